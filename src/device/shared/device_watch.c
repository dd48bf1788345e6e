/*
 * device_watch.c
 *	  Whether devices still get anything done, for whoever waits for them.
 *
 * Reads counters without the lock: an old value only delays the answer.
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
 * True if no job has ended for twice the time in which a worker gives its device up:
 * the worker itself does not answer.
 */
bool
gpusort_watch_stuck(DeviceWatch *watch)
{
	if (jobs_ended(watch->device) != watch->jobs)
		gpusort_watch_start(watch, watch->device);
	return GetCurrentTimestamp() > watch->until;
}
