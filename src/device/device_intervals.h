/*
 * device_intervals.h
 *	  Has a device find the interval of each key of a column: keys are sent as they
 *	  are read, and the intervals come back in the same order.
 *
 *	  open --> put ... put --> project --> next ... next
 *
 * Only a chunk of keys or intervals lies in the backend's memory at a time; the
 * column lies on the device.  Each call that fails, because the device did, has
 * counted that and closed the whole: the caller does the work itself, from keys
 * that it can still read.  With gpusort.engine = 'gpu' failing is an error.
 *
 * The column belongs to the memory context that was current at open, and is closed
 * with it, or when the last interval was handed out.
 */
#ifndef GPUSORT_DEVICE_INTERVALS_H
#define GPUSORT_DEVICE_INTERVALS_H

#include "keys/sort_spec.h"

typedef struct DeviceIntervals DeviceIntervals;

/* For nrows keys at most; NULL if the settings, the number of keys or the devices leave it to the CPU. */
extern DeviceIntervals *gpusort_intervals_open(const GpusortSpec *spec, uint64_t nrows);

/* Adds a native key, in the low bits. */
extern bool gpusort_intervals_put(DeviceIntervals *column, uint64_t key);

/* Ends the column. */
extern bool gpusort_intervals_project(DeviceIntervals *column);

/* The interval, from 0, of the next key; called once for each key that was put. */
extern bool gpusort_intervals_next(DeviceIntervals *column, uint32_t *interval);

#endif							/* GPUSORT_DEVICE_INTERVALS_H */
