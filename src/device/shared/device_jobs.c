/*
 * device_jobs.c
 *	  Moves jobs from the backend that submits them to the worker and back: all
 *	  changes of state between HELD and FREE.
 *
 * See device_shared.h for the states, the rules of ownership and the lock.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "device/shared/arena.h"
#include "device/shared/device_jobs.h"

/* How long a backend gives its jobs to other devices after one has failed. */
#define AVOID_MS 10000

/* The device that failed a job of this backend, and when it may have one again. */
static int	failed_device;
static TimestampTz failed_until = 0;

void
gpusort_device_note_failure(int device)
{
	failed_device = device;
	failed_until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), AVOID_MS);
}

/* True if a device is ready that is not the one that failed.  Called under the lock. */
static bool
find_spare(void)
{
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
		if (gpusort_arena->devices[i].state == DEVICE_READY && i != failed_device)
			return true;
	return false;
}

bool
gpusort_device_spare(void)
{
	bool		spare;

	if (failed_until == 0)
		return false;
	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	spare = find_spare();
	LWLockRelease(gpusort_arena->lock);
	return spare;
}

static uint64_t
free_memory(const SharedDevice *device)
{
	return device->info.memory_limit - Min(device->memory_now, device->info.memory_limit);
}

/*
 * Picks the ready device with the fewest jobs, of equals the one with the most free memory.
 * If possible it is not one that has just failed.  Returns false if none is ready.
 */
bool
gpusort_device_pick(int *device, uint64_t *generation)
{
	SharedArena *arena = gpusort_arena;
	const SharedDevice *best = NULL;
	int			fewest = 0;
	bool		avoid = failed_until != 0 && GetCurrentTimestamp() < failed_until;

	LWLockAcquire(arena->lock, LW_SHARED);
	avoid = avoid && find_spare();
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
	{
		const SharedDevice *candidate = &arena->devices[i];
		int			jobs = candidate->queued + candidate->running;

		if (candidate->state != DEVICE_READY || (avoid && i == failed_device))
			continue;
		if (best == NULL || jobs < fewest || (jobs == fewest && free_memory(candidate) > free_memory(best)))
		{
			best = candidate;
			fewest = jobs;
			*device = i;
			*generation = candidate->generation;
		}
	}
	LWLockRelease(arena->lock);
	return best != NULL;
}

/* Gives the generation of a device.  Returns false if it is not ready. */
bool
gpusort_device_ready(int device, uint64_t *generation)
{
	bool		ready;

	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	ready = gpusort_arena->devices[device].state == DEVICE_READY;
	*generation = gpusort_arena->devices[device].generation;
	LWLockRelease(gpusort_arena->lock);
	return ready;
}

/*
 * Sets a latch, if there is one to set.  Not under the lock: in a system call a process is
 * stopped most easily, and all others would wait for its lock.
 */
static void
wake(PGPROC *proc)
{
	Assert(!LWLockHeldByMe(gpusort_arena->lock));
	if (proc != NULL)
		SetLatch(&proc->procLatch);
}

/* Any state -> QUEUED, at the end of the device's queue.  Called under the lock. */
static void
queue_job(DeviceJob *job, SharedDevice *device)
{
	job->state = JOB_QUEUED;
	dlist_push_tail(&device->queue, &job->node);
	device->queued++;
}

/* HELD -> QUEUED.  Called under the lock.  Returns the worker, to be woken. */
static PGPROC *
submit(DeviceJob *job, SharedDevice *device, int number)
{
	job->device = number;
	job->ticket = ++gpusort_arena->last_ticket;
	queue_job(job, device);
	return device->worker;
}

/* HELD -> QUEUED.  Returns false, and the job stays HELD, if the device is no longer of that generation. */
bool
gpusort_job_submit(int number, int device, uint64_t generation)
{
	SharedArena *arena = gpusort_arena;
	DeviceJob  *job = &arena->job[number];
	SharedDevice *target = &arena->devices[device];
	PGPROC	   *worker = NULL;

	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	Assert(job->state == JOB_HELD && job->owner == MyProc);
	if (target->state == DEVICE_READY && target->generation == generation)
		worker = submit(job, target, device);
	LWLockRelease(arena->lock);
	wake(worker);
	return worker != NULL;
}

/*
 * HELD -> QUEUED for an append.  The worker will free the slab and note the end at the
 * session.  Returns false, and the job stays HELD, if the device has lost the session.
 */
bool
gpusort_append_submit(int number, int session_job)
{
	SharedArena *arena = gpusort_arena;
	DeviceJob  *job = &arena->job[number];
	DeviceJob  *session = &arena->job[session_job];
	PGPROC	   *worker = NULL;

	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	Assert(job->state == JOB_HELD && job->owner == MyProc && session->owner == MyProc);
	if (session->session_open)
	{
		job->session_job = session_job;
		job->session.session = session->session.session;
		job->owner = NULL;
		job->abandoned = true;
		session->appends++;
		worker = submit(job, &arena->devices[session->device], session->device);
	}
	LWLockRelease(arena->lock);
	wake(worker);
	return worker != NULL;
}

/* How many appends of the session are under way.  *status is FAULT if the device has lost the session. */
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

/* Notes at the session of an append, if it still exists, that the append has ended.  Returns its owner, or NULL. */
static PGPROC *
note_append(const DeviceJob *job, GpusortDeviceStatus status)
{
	int			number = job->session_job;
	DeviceJob  *session = &gpusort_arena->job[number];

	if (number < gpusort_arena->nslabs || number >= gpusort_arena->njobs)
		return NULL;
	if (session->session.session != job->session.session || session->owner == NULL)
		return NULL;
	session->appends--;
	if (status != GPUSORT_DEVICE_OK)
		session->append_status = status;
	return session->owner;
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

/* True if a submitted job has ended, with success or without. */
bool
gpusort_job_ended(int number)
{
	JobState	state = job_state(&gpusort_arena->job[number]);

	return state != JOB_QUEUED && state != JOB_RUNNING;
}

/* The reason for a job's status, or REASON_NONE if it succeeded. */
SortReason
gpusort_job_failure(GpusortDeviceStatus status)
{
	switch (status)
	{
		case GPUSORT_DEVICE_OK:
			return REASON_NONE;
		case GPUSORT_DEVICE_OUT_OF_MEMORY:
			return REASON_OUT_OF_MEMORY;
		case GPUSORT_DEVICE_UNSUPPORTED:
			return REASON_UNSUPPORTED;
		case GPUSORT_DEVICE_NOT_VERIFIED:
			return REASON_NOT_VERIFIED;
		case GPUSORT_DEVICE_UNAVAILABLE:
		case GPUSORT_DEVICE_FAULT:
			break;
	}
	return REASON_DEVICE_FAULT;
}

/*
 * Waits for a submitted job.  Returns true if it succeeded, else false with *why set.  The
 * slab belongs to the caller again, but the output of a job that failed may still change.
 */
bool
gpusort_job_wait(int number, SortReason *why)
{
	static uint32 wait_event = 0;
	SharedArena *arena = gpusort_arena;
	DeviceJob  *job = &arena->job[number];
	DeviceWatch watch;
	bool		lost;

	if (wait_event == 0)
		wait_event = GPUSORT_WAIT_EVENT("GpusortDevice");
	gpusort_watch_start(&watch, job->device);
	while (!gpusort_job_ended(number))
	{
		if (gpusort_watch_stuck(&watch))
		{
			gpusort_device_note_failure(job->device);
			*why = REASON_NO_ANSWER;
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
	gpusort_job_assert_check(job);
	LWLockRelease(arena->lock);
	*why = lost ? REASON_DEVICE_FAULT : gpusort_job_failure(job->outcome.error.status);
	if (gpusort_reason_is_of_one_device(*why))
		gpusort_device_note_failure(job->device);
	return *why == REASON_NONE;
}

/* Gives back a slab or a session, in whatever state it is. */
void
gpusort_job_release(int number)
{
	SharedArena *arena = gpusort_arena;
	DeviceJob  *job = &arena->job[number];
	SharedDevice *device;
	PGPROC	   *waiting = NULL;

	if (gpusort_all_released)
		return;
	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	Assert(job->owner == MyProc);
	device = &arena->devices[job->device];
	job->owner = NULL;
	if (job->state == JOB_RUNNING)
		job->abandoned = true;
	else if (job->session_open && job->state != JOB_LOST)
	{
		/* The device still holds the session's memory, so the worker must close the session. */
		job->kind = JOB_CLOSE_SESSION;
		job->abandoned = true;
		if (job->state != JOB_QUEUED)
			queue_job(job, device);
		waiting = device->worker;
	}
	else if (job->state != JOB_LOST)
	{
		if (job->state == JOB_QUEUED)
		{
			dlist_delete(&job->node);
			device->queued--;
		}
		waiting = gpusort_job_make_free(job);
	}
	gpusort_job_assert_check(job);
	LWLockRelease(arena->lock);
	wake(waiting);
}

/* Takes the next queued job and makes it RUNNING.  NULL if there is none. */
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
		gpusort_job_assert_check(job);
	}
	LWLockRelease(gpusort_arena->lock);
	return job;
}

/* RUNNING -> QUEUED, at the head of the queue. */
void
gpusort_job_put_back(DeviceJob *job)
{
	SharedDevice *device = &gpusort_arena->devices[job->device];

	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	Assert(job->state == JOB_RUNNING);
	device->running--;
	device->answers++;
	job->state = JOB_QUEUED;
	dlist_push_head(&device->queue, &job->node);
	device->queued++;
	LWLockRelease(gpusort_arena->lock);
}

/* Counts a job that has ended, for its device and for its use. */
static void
count(SharedDevice *device, const DeviceJob *job, const GpusortDeviceOutcome *outcome)
{
	bool		sorts = job->kind == JOB_SORT || job->kind == JOB_SORT_SESSION;

	if (outcome->error.status == GPUSORT_DEVICE_OK)
	{
		device->jobs++;
		device->copy_in_s += outcome->copy_in_s;
		device->sort_s += outcome->sort_s;
		device->verify_s += outcome->verify_s;
		device->copy_out_s += outcome->copy_out_s;
		if (sorts)
		{
			device->sorts++;
			device->faults_in_a_row = 0;
			gpusort_stats_count_now(job->use, outcome->method, &(SortCounts) {.device_sorts = 1});
		}
	}
	else if (outcome->error.status == GPUSORT_DEVICE_NOT_VERIFIED)
	{
		device->verification_failures++;
		gpusort_stats_count_now(job->use, job->spec.method, &(SortCounts) {.verification_failures = 1});
	}
}

/*
 * RUNNING -> ENDED.  An abandoned job becomes FREE, or closes its session first.  What the
 * record says of the job is read from `job`, the worker's copy.
 */
void
gpusort_job_end(DeviceJob *record, const DeviceJob *job, const GpusortDeviceOutcome *outcome)
{
	SharedDevice *device = &gpusort_arena->devices[record->device];
	PGPROC	   *waiter = NULL;
	PGPROC	   *next_owner = NULL;

	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	Assert(record->state == JOB_RUNNING);
	record->outcome = *outcome;
	device->running--;
	device->answers++;
	count(device, job, outcome);
	if (job->kind == JOB_APPEND)
		waiter = note_append(job, outcome->error.status);
	if (!record->abandoned)
	{
		record->state = JOB_ENDED;
		waiter = record->owner;
	}
	else if (record->session_open && !gpusort_job_has_slab(record))
	{
		record->kind = JOB_CLOSE_SESSION;
		queue_job(record, device);
	}
	else
		next_owner = gpusort_job_make_free(record);
	gpusort_job_assert_check(record);
	LWLockRelease(gpusort_arena->lock);
	wake(waiter);
	wake(next_owner);
}

/*
 * Wakes the owners of a device's jobs, after the lock was released.  To wake one that does not wait
 * does no harm, and a slab that became free has the backend that it was given to as its owner.
 */
static void
wake_owners(int number)
{
	for (int i = 0; i < gpusort_arena->njobs; i++)
	{
		const DeviceJob *job = &gpusort_arena->job[i];
		PGPROC	   *owner;

		LWLockAcquire(gpusort_arena->lock, LW_SHARED);
		owner = job->device == number ? job->owner : NULL;
		LWLockRelease(gpusort_arena->lock);
		wake(owner);
	}
}

/*
 * Called when a worker ends: ends every job of its device and sets the device's state.  The
 * device may still write to slabs of running jobs, so these stay LOST until
 * gpusort_arena_recover.
 */
void
gpusort_arena_device_lost(int number, DeviceState state)
{
	SharedArena *arena = gpusort_arena;
	SharedDevice *device = &arena->devices[number];

	LWLockAcquire(arena->lock, LW_EXCLUSIVE);
	device->worker = NULL;
	device->worker_pid = 0;
	device->generation++;
	device->state = state;
	for (int i = 0; i < arena->njobs; i++)
	{
		DeviceJob  *job = &arena->job[i];

		if (job->state == JOB_FREE || job->device != number)
			continue;
		job->session_open = false;
		if (job->state != JOB_QUEUED && job->state != JOB_RUNNING)
			continue;
		if (job->state == JOB_QUEUED)
			dlist_delete(&job->node);
		job->outcome.error.status = GPUSORT_DEVICE_FAULT;
		if (job->state == JOB_RUNNING && gpusort_job_has_slab(job))
		{
			job->state = JOB_LOST;
			job->abandoned = false;
		}
		else if (job->abandoned)
			(void) gpusort_job_make_free(job);
		else
			job->state = JOB_ENDED;
		gpusort_job_assert_check(job);
	}
	device->queued = device->running = 0;
	LWLockRelease(arena->lock);
	wake_owners(number);
}

/* Frees the slabs that the device's last worker left LOST.  That process has ended, so nothing is written any more. */
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
			(void) gpusort_job_make_free(job);
		gpusort_job_assert_check(job);
	}
	LWLockRelease(gpusort_arena->lock);
	wake_owners(number);
}
