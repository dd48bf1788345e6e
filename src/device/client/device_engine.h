/*
 * device_engine.h
 *	  The GPU as an engine of gpusort_sort_run.
 */
#ifndef GPUSORT_DEVICE_ENGINE_H
#define GPUSORT_DEVICE_ENGINE_H

#include "request/sort_request.h"

/*
 * Has a device sort the request.  Checks for interrupts at least every 50 ms.
 * Returns NONE when sorted, with used_method set, else why it failed, with keys and
 * payload untouched.
 */
extern SortReason gpusort_device_sort(SortRequest *request);

#endif							/* GPUSORT_DEVICE_ENGINE_H */
