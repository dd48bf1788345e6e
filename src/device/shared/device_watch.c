/*
 * device_watch.c
 *	  Tells a backend that waits whether devices still finish jobs.
 *
 * Reads counters without the lock: in a wait of this length it does no harm if a value is a
 * moment old.
 */
#include "postgres.h"

#include "storage/latch.h"
#include "utils/timestamp.h"

#include "device/shared/arena.h"
#include "device/shared/device_jobs.h"
#include "guc.h"

static uint64_t
answers_of(int device)
{
	uint64_t	answers = 0;

	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
		if (device == i || device == GPUSORT_ANY_DEVICE)
			answers += gpusort_arena->devices[i].answers;
	return answers;
}

void
gpusort_watch_start(DeviceWatch *watch, int device)
{
	watch->device = device;
	watch->answers = answers_of(device);
	watch->until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), 2 * (int64) gpusort_device_timeout);
}

/*
 * Marks the devices as not answering, so that nobody else waits for them, and wakes their
 * workers: one that runs makes its device ready again.
 */
static void
mark_devices(int device)
{
	PGPROC	   *marked[GPUSORT_MAX_DEVICES] = {NULL};

	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
	{
		SharedDevice *shared = &gpusort_arena->devices[i];

		if ((device != i && device != GPUSORT_ANY_DEVICE) || shared->state != DEVICE_READY ||
			shared->queued + shared->running == 0)
			continue;
		shared->state = DEVICE_NOT_ANSWERING;
		strlcpy(shared->last_error, "the device worker does not answer", sizeof(shared->last_error));
		shared->last_error_at = GetCurrentTimestamp();
		marked[i] = shared->worker;
	}
	LWLockRelease(gpusort_arena->lock);
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
	{
		if (marked[i] == NULL)
			continue;
		SetLatch(&marked[i]->procLatch);
		ereport(LOG,
				(errmsg("gpusort device %d is passed over: its worker does not answer", i)));
	}
}

/*
 * True if no job came back for twice gpusort.device_timeout.  A worker gives up a device that
 * ends none for half of that time, so then the worker itself does not answer.
 */
bool
gpusort_watch_stuck(DeviceWatch *watch)
{
	if (answers_of(watch->device) != watch->answers)
		gpusort_watch_start(watch, watch->device);
	if (GetCurrentTimestamp() <= watch->until)
		return false;
	mark_devices(watch->device);
	return true;
}
