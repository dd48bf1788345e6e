/*
 * device_watch.h
 *	  Tells a backend that waits whether devices still finish jobs.
 */
#ifndef GPUSORT_DEVICE_WATCH_H
#define GPUSORT_DEVICE_WATCH_H

#include "datatype/timestamp.h"

#define GPUSORT_ANY_DEVICE (-1)

typedef struct DeviceWatch
{
	int			device;
	uint64_t	answers;		/* how many there were at the start */
	TimestampTz until;			/* when there should be another */
} DeviceWatch;

extern void gpusort_watch_start(DeviceWatch *watch, int device);
extern bool gpusort_watch_stuck(DeviceWatch *watch);

#endif							/* GPUSORT_DEVICE_WATCH_H */
