/*
 * arena.c
 *	  The shared arena: slabs, job records and every change of their state.
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
#include "device/device_shared.h"
#include "guc.h"

#define SLAB_BYTES_MIN ((size_t) 64 * 1024)
#define SLAB_BYTES_MAX ((size_t) 8 * 1024 * 1024)
#define SLABS_WANTED 16			/* as many at least, down to the smallest slab */
#define RESERVE_SHARE 4			/* one slab in so many is kept for transit */
#define PAGE ((size_t) 4096)

SharedArena *gpusort_arena = NULL;

static void take(DeviceJob *job);
static void make_free(DeviceJob *job);
static bool wait_for_slab(SlabWaiter *waiter, long timeout_ms);
static void leave_queue(SlabWaiter *waiter);
static void release_all(int code, Datum arg);

static inline int
job_number(const DeviceJob *job)
{
	return (int) (job - gpusort_arena->job);
}

static inline bool
has_slab(const DeviceJob *job)
{
	return job_number(job) < gpusort_arena->nslabs;
}

/* What must hold whenever the lock is free. */
static void
assert_check_job(const DeviceJob *job)
{
	Assert(LWLockHeldByMe(gpusort_arena->lock));
	Assert(job->state != JOB_FREE || (job->owner == NULL && !job->abandoned));
	Assert((job->state != JOB_HELD && job->state != JOB_ENDED) || job->owner != NULL);
	Assert(!job->abandoned || (job->owner == NULL && (job->state == JOB_QUEUED || job->state == JOB_RUNNING)));
	Assert(job->state != JOB_LOST || has_slab(job));
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
	assert_check_job(job);
}

/* Any state -> FREE; a slab goes to whoever has waited longest. */
static void
make_free(DeviceJob *job)
{
	SharedArena *arena = gpusort_arena;

	job->state = JOB_FREE;
	job->owner = NULL;
	job->abandoned = false;
	job->session_open = false;
	if (has_slab(job))
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
			waiter->granted = job_number(job);
			job->state = JOB_HELD;
			job->owner = waiter->proc;
			SetLatch(&waiter->proc->procLatch);
		}
	}
	assert_check_job(job);
}

/*
 * Takes a slab; GPUSORT_NO_JOB if there is none.  For transit, waits up to
 * timeout_ms (-1: for ever) behind those who came first.
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
		slab = job_number(job);
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
			if (left == 0)
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

/* The ready device with the least to do; false if none is ready. */
bool
gpusort_device_pick(int *device, uint64_t *generation)
{
	SharedArena *arena = gpusort_arena;
	int			load = INT_MAX;

	LWLockAcquire(arena->lock, LW_SHARED);
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
	{
		SharedDevice *candidate = &arena->devices[i];

		if (candidate->state == DEVICE_READY && candidate->queued + candidate->running < load)
		{
			load = candidate->queued + candidate->running;
			*device = i;
			*generation = candidate->generation;
		}
	}
	LWLockRelease(arena->lock);
	return load < INT_MAX;
}

/* HELD -> QUEUED, under the lock. */
static void
enqueue(DeviceJob *job, SharedDevice *device, int number)
{
	job->state = JOB_QUEUED;
	job->device = number;
	job->generation = device->generation;
	job->ticket = ++gpusort_arena->last_ticket;
	dlist_push_tail(&device->queue, &job->node);
	device->queued++;
	SetLatch(&device->worker->procLatch);
}

/* HELD -> QUEUED; false, and still HELD, if the device is not of that generation any more. */
bool
gpusort_job_submit(int number, int device, uint64_t generation)
{
	SharedArena *arena = gpusort_arena;
	DeviceJob  *job = &arena->job[number];
	SharedDevice *target = &arena->devices[device];
	bool		ready;

	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	Assert(job->state == JOB_HELD && job->owner == MyProc);
	ready = target->state == DEVICE_READY && target->generation == generation;
	if (ready)
		enqueue(job, target, device);
	LWLockRelease(arena->lock);
	return ready;
}

/*
 * HELD -> QUEUED, and out of the caller's hands: the worker frees the slab and
 * notes the end at the session.  False, and still HELD, if the device has lost it.
 */
bool
gpusort_append_submit(int number, int session_job)
{
	SharedArena *arena = gpusort_arena;
	DeviceJob  *job = &arena->job[number];
	DeviceJob  *session = &arena->job[session_job];
	bool		open;

	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	Assert(job->state == JOB_HELD && job->owner == MyProc && session->owner == MyProc);
	open = session->session_open;
	if (open)
	{
		job->session_job = session_job;
		job->session.session = session->session.session;
		job->owner = NULL;
		job->abandoned = true;
		session->appends++;
		enqueue(job, &arena->devices[session->device], session->device);
	}
	LWLockRelease(arena->lock);
	return open;
}

/* How many appends of the session are on their way; *status is FAULT if the device has lost it. */
int
gpusort_session_appends(int session_job, GpusortDeviceStatus *status)
{
	DeviceJob  *session = &gpusort_arena->job[session_job];
	int			appends;

	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	Assert(session->owner == MyProc);
	appends = session->session_open ? session->appends : 0;
	*status = session->session_open ? session->append_status : GPUSORT_DEVICE_FAULT;
	LWLockRelease(gpusort_arena->lock);
	return appends;
}

/* Notes at its session, if that still exists, that an append has ended. */
static void
note_append(const DeviceJob *job)
{
	DeviceJob  *session = &gpusort_arena->job[job->session_job];

	if (session->session.session != job->session.session || session->owner == NULL)
		return;
	session->appends--;
	if (job->outcome.error.status != GPUSORT_DEVICE_OK)
		session->append_status = job->outcome.error.status;
	SetLatch(&session->owner->procLatch);
}

static JobState
job_state(const DeviceJob *job)
{
	JobState	state;

	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	Assert(job->owner == MyProc);
	state = job->state;
	LWLockRelease(gpusort_arena->lock);
	return state;
}

/* True if a submitted job has ended, well or not. */
bool
gpusort_job_ended(int number)
{
	JobState	state = job_state(&gpusort_arena->job[number]);

	return state != JOB_QUEUED && state != JOB_RUNNING;
}

/* Why a job that ended badly did so, as static text for counters and messages. */
const char *
gpusort_job_failure(GpusortDeviceStatus status)
{
	switch (status)
	{
		case GPUSORT_DEVICE_OK:
			return NULL;
		case GPUSORT_DEVICE_OUT_OF_MEMORY:
			return "out of device memory";
		case GPUSORT_DEVICE_UNSUPPORTED:
			return "not supported by the device";
		case GPUSORT_DEVICE_NOT_VERIFIED:
			return "the device's result failed verification";
		case GPUSORT_DEVICE_UNAVAILABLE:
		case GPUSORT_DEVICE_FAULT:
			break;
	}
	return "device fault";
}

/*
 * Waits for a submitted job.  True if it ended well; else *why says why not, as
 * static text.  The slab is the caller's again, except that the output of a job
 * that did not end well may still change.
 */
bool
gpusort_job_wait(int number, const char **why)
{
	static uint32 wait_event = 0;
	SharedArena *arena = gpusort_arena;
	DeviceJob  *job = &arena->job[number];
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), 2 * (int64) gpusort_device_timeout);
	uint64_t	ended = arena->devices[job->device].jobs;
	bool		lost;

	if (wait_event == 0)
		wait_event = GPUSORT_WAIT_EVENT("GpusortDevice");
	while (!gpusort_job_ended(number))
	{
		uint64_t	ended_now = arena->devices[job->device].jobs;

		if (ended_now != ended)
		{
			/* The queue moves. */
			until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), 2 * (int64) gpusort_device_timeout);
			ended = ended_now;
		}
		else if (GetCurrentTimestamp() > until)
		{
			*why = "the device worker does not answer";
			return false;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 1000, wait_event);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	lost = job->state == JOB_LOST;
	if (!lost)
		job->state = JOB_HELD;
	assert_check_job(job);
	LWLockRelease(arena->lock);
	*why = lost ? "device fault" : gpusort_job_failure(job->outcome.error.status);
	return *why == NULL;
}

/* Gives a slab or a session back, whatever state it is in. */
void
gpusort_job_release(int number)
{
	SharedArena *arena = gpusort_arena;
	DeviceJob  *job = &arena->job[number];
	SharedDevice *device;

	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	Assert(job->owner == MyProc);
	device = &arena->devices[job->device];
	job->owner = NULL;
	if (job->state == JOB_RUNNING)
		job->abandoned = true;
	else if (job->session_open && job->state != JOB_LOST)
	{
		/* The device still holds the session's memory: have it closed. */
		job->kind = JOB_CLOSE_SESSION;
		job->abandoned = true;
		if (job->state != JOB_QUEUED)
		{
			job->state = JOB_QUEUED;
			dlist_push_tail(&device->queue, &job->node);
			device->queued++;
		}
		SetLatch(&device->worker->procLatch);
	}
	else if (job->state != JOB_LOST)
	{
		if (job->state == JOB_QUEUED)
		{
			dlist_delete(&job->node);
			device->queued--;
		}
		make_free(job);
	}
	assert_check_job(job);
	LWLockRelease(arena->lock);
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
}

/* The next queued job, now RUNNING, or NULL. */
DeviceJob *
gpusort_job_take(int number)
{
	SharedDevice *device = &gpusort_arena->devices[number];
	DeviceJob  *job = NULL;

	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	if (!dlist_is_empty(&device->queue))
	{
		job = dlist_container(DeviceJob, node, dlist_pop_head_node(&device->queue));
		Assert(job->state == JOB_QUEUED && job->device == number);
		job->state = JOB_RUNNING;
		device->queued--;
		device->running++;
		assert_check_job(job);
	}
	LWLockRelease(gpusort_arena->lock);
	return job;
}

/* RUNNING -> QUEUED again, at the head. */
void
gpusort_job_put_back(DeviceJob *job)
{
	SharedDevice *device = &gpusort_arena->devices[job->device];

	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	Assert(job->state == JOB_RUNNING);
	device->running--;
	job->state = JOB_QUEUED;
	dlist_push_head(&device->queue, &job->node);
	device->queued++;
	LWLockRelease(gpusort_arena->lock);
}

/* RUNNING -> ENDED, or what follows if nobody waits for it any more. */
void
gpusort_job_end(DeviceJob *job, const GpusortDeviceOutcome *outcome)
{
	SharedDevice *device = &gpusort_arena->devices[job->device];

	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	Assert(job->state == JOB_RUNNING);
	job->outcome = *outcome;
	device->running--;
	if (outcome->error.status == GPUSORT_DEVICE_OK)
	{
		device->jobs++;
		device->faults_in_a_row = 0;
	}
	else if (outcome->error.status == GPUSORT_DEVICE_NOT_VERIFIED)
		device->verification_failures++;
	if (job->kind == JOB_APPEND)
		note_append(job);
	if (!job->abandoned)
	{
		job->state = JOB_ENDED;
		SetLatch(&job->owner->procLatch);
	}
	else if (job->session_open)
	{
		job->kind = JOB_CLOSE_SESSION;
		job->state = JOB_QUEUED;
		dlist_push_tail(&device->queue, &job->node);
		device->queued++;
	}
	else
		make_free(job);
	assert_check_job(job);
	LWLockRelease(gpusort_arena->lock);
}

/*
 * Ends every job of a device whose worker goes.  memory_safe says that the device
 * writes nothing more; else slabs of running jobs stay LOST until recovery.
 */
void
gpusort_arena_device_lost(int number, bool memory_safe)
{
	SharedArena *arena = gpusort_arena;
	SharedDevice *device = &arena->devices[number];

	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	for (int i = 0; i < arena->njobs; i++)
	{
		DeviceJob  *job = &arena->job[i];
		PGPROC	   *owner = job->owner;
		bool		in_flight = job->state == JOB_QUEUED || job->state == JOB_RUNNING;

		if (job->state == JOB_FREE || job->device != number)
			continue;
		job->session_open = false;
		if (!in_flight)
		{
			if (owner && !has_slab(job))
				SetLatch(&owner->procLatch);
			continue;
		}
		if (job->state == JOB_QUEUED)
			dlist_delete(&job->node);
		job->outcome.error.status = GPUSORT_DEVICE_FAULT;
		if (job->state == JOB_RUNNING && has_slab(job) && !memory_safe)
		{
			job->state = JOB_LOST;
			job->abandoned = false;
		}
		else if (job->abandoned)
			make_free(job);
		else
			job->state = JOB_ENDED;
		assert_check_job(job);
		if (owner)
			SetLatch(&owner->procLatch);
	}
	device->queued = device->running = 0;
	LWLockRelease(arena->lock);
}

/* Frees what the device's last worker left; it has ended, so nothing is written any more. */
void
gpusort_arena_recover(int number)
{
	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	for (int i = 0; i < gpusort_arena->nslabs; i++)
	{
		DeviceJob  *job = &gpusort_arena->job[i];

		if (job->state != JOB_LOST || job->device != number)
			continue;
		if (job->owner)
			job->state = JOB_ENDED;
		else
			make_free(job);
		assert_check_job(job);
	}
	LWLockRelease(gpusort_arena->lock);
}
