/*
 * slab_queue.c
 *	  Hands out slabs and sessions, queues backends that wait for a slab, and
 *	  releases what an ending process holds.
 *
 * See device_shared.h for the states, the rules of ownership and the lock.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "device/shared/arena.h"
#include "device/shared/device_jobs.h"

#define SESSIONS_KEPT_SHARE 4	/* one session in 4 is kept for those who cannot do without */

/* Leaves the queue.  No slab is granted afterwards, but one may have been granted just before. */
static void
leave_queue(SlabWaiter *waiter)
{
	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	if (waiter->waiting)
	{
		dlist_delete(&waiter->node);
		gpusort_arena->nwaiters--;
		waiter->waiting = false;
	}
	LWLockRelease(gpusort_arena->lock);
}

/* Releases everything that this backend holds. */
static void
release_all(int code, Datum arg)
{
	SlabWaiter *waiter = &gpusort_arena->waiter[GPUSORT_MY_PROC_NUMBER];

	gpusort_arena_unlock_at_exit();
	leave_queue(waiter);
	for (int i = 0; i < gpusort_arena->njobs; i++)
		if (gpusort_arena->job[i].owner == MyProc)
			gpusort_job_release(i);
	gpusort_all_released = true;
}

/* Registers release_all for the end of this process. */
static void
release_at_exit(void)
{
	static bool registered = false;

	if (!registered)
		before_shmem_exit(release_all, (Datum) 0);
	registered = true;
}

/* Waits until the waiter was granted a slab.  Returns false if time is up. */
static bool
wait_for_slab(SlabWaiter *waiter, long timeout_ms)
{
	static uint32 wait_event = 0;
	TimestampTz until = timeout_ms < 0 ? 0 : TimestampTzPlusMilliseconds(GetCurrentTimestamp(), timeout_ms);
	DeviceWatch watch;

	gpusort_watch_start(&watch, GPUSORT_ANY_DEVICE);
	if (wait_event == 0)
		wait_event = GPUSORT_WAIT_EVENT("GpusortSlab");
	PG_TRY();
	{
		for (;;)
		{
			bool		waiting;
			long		left = 1000;

			LWLockAcquire(gpusort_arena->lock, LW_SHARED);
			waiting = waiter->waiting;
			LWLockRelease(gpusort_arena->lock);
			if (!waiting)
				break;
			if (timeout_ms >= 0)
				left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until);
			if (left == 0 || (timeout_ms < 0 && gpusort_watch_stuck(&watch)))
				break;
			(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, left, wait_event);
			ResetLatch(MyLatch);
			CHECK_FOR_INTERRUPTS();
		}
	}
	PG_CATCH();
	{
		leave_queue(waiter);
		if (waiter->granted != GPUSORT_NO_JOB)
			gpusort_job_release(waiter->granted);
		PG_RE_THROW();
	}
	PG_END_TRY();
	leave_queue(waiter);
	return waiter->granted != GPUSORT_NO_JOB;
}

/*
 * Takes a slab.  Returns GPUSORT_NO_JOB if there is none.  For transit it waits up to
 * timeout_ms, or with -1 for as long as devices finish jobs, in order of arrival.
 */
int
gpusort_slab_acquire(SlabUse use, long timeout_ms)
{
	SharedArena *arena = gpusort_arena;
	SlabWaiter *waiter = &arena->waiter[GPUSORT_MY_PROC_NUMBER];
	int			keep = use == SLAB_BATCH ? arena->reserve : 0;
	int			slab = GPUSORT_NO_JOB;

	release_at_exit();
	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	if (arena->nfree > keep && dlist_is_empty(&arena->waiters))
	{
		DeviceJob  *job = dlist_container(DeviceJob, node, dlist_pop_head_node(&arena->free));

		arena->nfree--;
		gpusort_job_make_held(job);
		slab = gpusort_job_number(job);
	}
	else if (use == SLAB_TRANSIT && timeout_ms != 0)
	{
		waiter->proc = MyProc;
		waiter->waiting = true;
		waiter->granted = GPUSORT_NO_JOB;
		dlist_push_tail(&arena->waiters, &waiter->node);
		arena->nwaiters++;
	}
	LWLockRelease(arena->lock);

	if (slab == GPUSORT_NO_JOB && use == SLAB_TRANSIT && timeout_ms != 0 && wait_for_slab(waiter, timeout_ms))
		slab = waiter->granted;
	return slab;
}

/* True if a backend that already holds a slab may take another. */
bool
gpusort_slabs_plentiful(void)
{
	SharedArena *arena = gpusort_arena;
	bool		plentiful;

	LWLockAcquire(arena->lock, LW_SHARED);
	plentiful = arena->nfree > arena->nslabs / 2;
	LWLockRelease(arena->lock);
	return plentiful;
}

/* True if a backend may open a session that it could do without.  A cursor may keep that for long. */
bool
gpusort_sessions_plentiful(void)
{
	SharedArena *arena = gpusort_arena;
	int			in_use = 0;

	LWLockAcquire(arena->lock, LW_SHARED);
	for (int i = arena->nslabs; i < arena->njobs; i++)
		in_use += arena->job[i].state != JOB_FREE;
	LWLockRelease(arena->lock);
	return in_use < GPUSORT_MAX_SESSIONS - GPUSORT_MAX_SESSIONS / SESSIONS_KEPT_SHARE;
}

/* Takes a job record for a session.  Returns GPUSORT_NO_JOB if all are in use. */
int
gpusort_session_acquire(void)
{
	SharedArena *arena = gpusort_arena;
	int			found = GPUSORT_NO_JOB;

	release_at_exit();
	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	for (int i = arena->nslabs; i < arena->njobs && found == GPUSORT_NO_JOB; i++)
	{
		if (arena->job[i].state == JOB_FREE)
		{
			gpusort_job_make_held(&arena->job[i]);
			arena->job[i].session.session = ++arena->last_session;
			arena->job[i].appends = 0;
			arena->job[i].append_status = GPUSORT_DEVICE_OK;
			found = i;
		}
	}
	LWLockRelease(arena->lock);
	return found;
}
