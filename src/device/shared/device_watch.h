/*
 * device_watch.h
 *	  Whether devices still get anything done, for whoever waits for them.
 */
#ifndef GPUSORT_DEVICE_WATCH_H
#define GPUSORT_DEVICE_WATCH_H

#include "datatype/timestamp.h"

#define GPUSORT_ANY_DEVICE (-1)

typedef struct DeviceWatch
{
	int			device;
	uint64_t	jobs;			/* ended so far */
	TimestampTz until;			/* when more should have ended */
} DeviceWatch;

extern void gpusort_watch_start(DeviceWatch *watch, int device);
extern bool gpusort_watch_stuck(DeviceWatch *watch);

#endif							/* GPUSORT_DEVICE_WATCH_H */
