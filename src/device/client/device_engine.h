/*
 * device_engine.h
 *	  The GPU as an engine of gpusort_sort_run.
 */
#ifndef GPUSORT_DEVICE_ENGINE_H
#define GPUSORT_DEVICE_ENGINE_H

#include "request/sort_request.h"

/*
 * Has a device sort the request.  Checks for interrupts while it waits for the device, but
 * not while it copies.  Returns REASON_NONE when sorted, with used_method set.  Else returns
 * why it failed; the request can then be sorted again.
 */
extern SortReason gpusort_device_sort(SortRequest *request);

#endif							/* GPUSORT_DEVICE_ENGINE_H */
