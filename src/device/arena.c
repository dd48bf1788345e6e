/*
 * arena.c
 *	  The shared arena: its layout, and who gets a slab.
 *
 * See device_shared.h for the states, the rules of ownership and the lock.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "device/arena.h"
#include "guc.h"

#define SLAB_BYTES_MIN ((size_t) 64 * 1024)
#define SLAB_BYTES_MAX ((size_t) 8 * 1024 * 1024)
#define SLABS_WANTED 16			/* as many at least, down to the smallest slab */
#define RESERVE_SHARE 4			/* one slab in so many is kept for transit */
#define PAGE ((size_t) 4096)

SharedArena *gpusort_arena = NULL;
bool		gpusort_all_released = false;

static void take(DeviceJob *job);
static bool wait_for_slab(SlabWaiter *waiter, long timeout_ms);
static void leave_queue(SlabWaiter *waiter);
static void release_all(int code, Datum arg);

/* What must hold whenever the lock is free. */
void
gpusort_job_assert_check(const DeviceJob *job)
{
	Assert(LWLockHeldByMe(gpusort_arena->lock));
	Assert(job->state != JOB_FREE || (job->owner == NULL && !job->abandoned));
	Assert((job->state != JOB_HELD && job->state != JOB_ENDED) || job->owner != NULL);
	Assert(!job->abandoned || (job->owner == NULL && (job->state == JOB_QUEUED || job->state == JOB_RUNNING)));
	Assert(job->state != JOB_LOST || gpusort_job_has_slab(job));
	Assert(gpusort_arena->nfree >= 0 && gpusort_arena->nfree <= gpusort_arena->nslabs);
}

/* The largest slab that still gives SLABS_WANTED of them. */
static size_t
slab_bytes(void)
{
	size_t		arena_bytes = (size_t) gpusort_buffer_size * 1024 * 1024;
	size_t		bytes = SLAB_BYTES_MAX;

	while (bytes > SLAB_BYTES_MIN && arena_bytes / bytes < SLABS_WANTED)
		bytes /= 2;
	return bytes;
}

static int
slab_count(void)
{
	return (int) ((size_t) gpusort_buffer_size * 1024 * 1024 / slab_bytes());
}

Size
gpusort_arena_shmem_size(void)
{
	Size		size = MAXALIGN(sizeof(SharedArena));

	size = add_size(size, MAXALIGN(mul_size(MaxBackends, sizeof(SlabWaiter))));
	size = add_size(size, MAXALIGN(mul_size(slab_count() + GPUSORT_MAX_SESSIONS, sizeof(DeviceJob))));
	return add_size(add_size(size, PAGE), mul_size(slab_count(), slab_bytes()));
}

/* Lays the arena out; runs under AddinShmemInitLock. */
void
gpusort_arena_shmem_startup(void)
{
	bool		found;
	SharedArena *arena = ShmemInitStruct("gpusort arena", gpusort_arena_shmem_size(), &found);
	char	   *next = (char *) arena + MAXALIGN(sizeof(SharedArena));

	gpusort_arena = arena;
	if (found)
		return;
	memset(arena, 0, sizeof(SharedArena));
	arena->lock = &GetNamedLWLockTranche("gpusort arena")->lock;
	ConditionVariableInit(&arena->device_changed);
	arena->slab_bytes = slab_bytes();
	arena->nslabs = arena->nfree = slab_count();
	arena->reserve = Max(1, arena->nslabs / RESERVE_SHARE);
	arena->njobs = arena->nslabs + GPUSORT_MAX_SESSIONS;
	dlist_init(&arena->free);
	dlist_init(&arena->waiters);
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
		dlist_init(&arena->devices[i].queue);

	arena->waiter = (SlabWaiter *) next;
	memset(arena->waiter, 0, MaxBackends * sizeof(SlabWaiter));
	next += MAXALIGN(MaxBackends * sizeof(SlabWaiter));
	arena->job = (DeviceJob *) next;
	memset(arena->job, 0, arena->njobs * sizeof(DeviceJob));
	next += MAXALIGN(arena->njobs * sizeof(DeviceJob));
	arena->base = (char *) TYPEALIGN(PAGE, next);
	for (int i = 0; i < arena->nslabs; i++)
		dlist_push_tail(&arena->free, &arena->job[i].node);
}

/* Sees to it that this process leaves nothing behind. */
static void
release_at_exit(void)
{
	static bool registered = false;

	if (!registered)
		before_shmem_exit(release_all, (Datum) 0);
	registered = true;
}

/* FREE -> HELD, by this backend. */
static void
take(DeviceJob *job)
{
	Assert(job->state == JOB_FREE);
	job->state = JOB_HELD;
	job->owner = MyProc;
	job->session_open = false;
	gpusort_job_assert_check(job);
}

/* Any state -> FREE; a slab goes to whoever has waited longest. */
void
gpusort_job_make_free(DeviceJob *job)
{
	SharedArena *arena = gpusort_arena;

	job->state = JOB_FREE;
	job->owner = NULL;
	job->abandoned = false;
	job->session_open = false;
	if (gpusort_job_has_slab(job))
	{
		if (dlist_is_empty(&arena->waiters))
		{
			dlist_push_head(&arena->free, &job->node);
			arena->nfree++;
		}
		else
		{
			SlabWaiter *waiter = dlist_container(SlabWaiter, node, dlist_pop_head_node(&arena->waiters));

			arena->nwaiters--;
			waiter->waiting = false;
			waiter->granted = gpusort_job_number(job);
			job->state = JOB_HELD;
			job->owner = waiter->proc;
			SetLatch(&waiter->proc->procLatch);
		}
	}
	gpusort_job_assert_check(job);
}

/*
 * Takes a slab; GPUSORT_NO_JOB if there is none.  For transit, waits up to
 * timeout_ms (-1: while the devices get anything done) behind those who came first.
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
		take(job);
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

/* Waits until the waiter was granted a slab; false if time is up. */
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

/* Afterwards nothing more is granted; a slab may have been just before. */
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

/* Whether so many slabs are free that who holds one may take another. */
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

/* Takes a record for a session; GPUSORT_NO_JOB if all are in use. */
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
			take(&arena->job[i]);
			arena->job[i].session.session = ++arena->last_session;
			arena->job[i].appends = 0;
			arena->job[i].append_status = GPUSORT_DEVICE_OK;
			found = i;
		}
	}
	LWLockRelease(arena->lock);
	return found;
}

/* Leaves nothing behind in this backend's name. */
static void
release_all(int code, Datum arg)
{
	SlabWaiter *waiter = &gpusort_arena->waiter[GPUSORT_MY_PROC_NUMBER];

	if (LWLockHeldByMe(gpusort_arena->lock))
		LWLockReleaseAll();
	leave_queue(waiter);
	for (int i = 0; i < gpusort_arena->njobs; i++)
		if (gpusort_arena->job[i].owner == MyProc)
			gpusort_job_release(i);
	gpusort_all_released = true;
}
