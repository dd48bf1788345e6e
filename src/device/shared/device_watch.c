/*
 * device_watch.c
 *	  Tells a backend that waits whether devices still finish jobs.
 *
 * Reads counters without the lock: in a wait of this length it does no harm if a value is a
 * moment old.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "device/shared/arena.h"
#include "device/shared/device_watch.h"
#include "guc.h"

static uint64_t
jobs_ended(int device)
{
	uint64_t	jobs = 0;

	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
		if (device == i || device == GPUSORT_ANY_DEVICE)
			jobs += gpusort_arena->devices[i].jobs;
	return jobs;
}

void
gpusort_watch_start(DeviceWatch *watch, int device)
{
	watch->device = device;
	watch->jobs = jobs_ended(device);
	watch->until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), 2 * (int64) gpusort_device_timeout);
}

/*
 * True if no job has ended well for twice gpusort.device_timeout.  A worker gives its device
 * up after half of that time, so then the worker itself does not answer.
 */
bool
gpusort_watch_stuck(DeviceWatch *watch)
{
	if (jobs_ended(watch->device) != watch->jobs)
		gpusort_watch_start(watch, watch->device);
	return GetCurrentTimestamp() > watch->until;
}
