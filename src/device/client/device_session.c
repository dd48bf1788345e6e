/*
 * device_session.c
 *	  The backend's side of a session.
 *
 * Data passes through transit slabs, a few at a time, so that copying into one slab
 * overlaps with the device's copy of another.  The slab of an append is released by the
 * worker.  The slabs of a fetch are all released before the call returns.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "device/client/device_client.h"
#include "device/client/device_session.h"
#include "guc.h"

#define PIPELINE 4				/* slabs in flight per session */
#define SESSION_RETRY_MS 20
#define SESSION_PATIENCE_MS 5000

struct DeviceSession
{
	MemoryContext context;
	MemoryContextCallback callback;
	GpusortSessionSpec description;
	SortUse		use;
	int			job;			/* the job record of the session */
	int			device;
	uint64_t	generation;
	int			slabs[PIPELINE];	/* of a fetch, oldest first */
	int			nslabs;
	GpusortMethod method;
};

/* Releases the session's slabs and its job record.  Runs when its memory context ends. */
static void
release(void *arg)
{
	DeviceSession *session = arg;

	while (session->nslabs > 0)
		gpusort_job_release(session->slabs[--session->nslabs]);
	if (session->job != GPUSORT_NO_JOB)
		gpusort_job_release(session->job);
	session->job = GPUSORT_NO_JOB;
}

static DeviceSession *
make_session(const GpusortSessionSpec *description)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpusort session", ALLOCSET_SMALL_SIZES);
	DeviceSession *session = MemoryContextAllocZero(context, sizeof(DeviceSession));

	session->context = context;
	session->job = GPUSORT_NO_JOB;
	session->description = *description;
	session->description.verify = gpusort_verify;
	session->callback.func = release;
	session->callback.arg = session;
	MemoryContextRegisterResetCallback(context, &session->callback);
	return session;
}

/* True if another backend has a session. */
static bool
others_have_sessions(void)
{
	bool		found = false;

	LWLockAcquire(gpusort_arena->lock, LW_SHARED);
	for (int i = gpusort_arena->nslabs; i < gpusort_arena->njobs && !found; i++)
		found = gpusort_arena->job[i].state != JOB_FREE && gpusort_arena->job[i].owner != MyProc;
	LWLockRelease(gpusort_arena->lock);
	return found;
}

/* Names the device for the session's jobs.  Returns false if it is not ready. */
static bool
find_device(DeviceSession *session, int device)
{
	session->device = device;
	if (device == GPUSORT_ANY_DEVICE)
		return gpusort_device_pick(&session->device, &session->generation);
	return gpusort_device_ready(device, &session->generation);
}

static bool
try_open(DeviceSession *session, int device, SortReason *why)
{
	DeviceJob  *job;
	uint64_t	number;

	session->job = gpusort_session_acquire();
	if (session->job == GPUSORT_NO_JOB)
	{
		*why = REASON_TOO_MANY_SESSIONS;
		return false;
	}
	job = &gpusort_arena->job[session->job];
	number = job->session.session;
	job->session = session->description;
	job->session.session = number;
	job->kind = JOB_OPEN_SESSION;
	job->use = session->use;
	job->spec = session->description.spec;
	job->nsegments = 1;
	job->nslots = (uint32_t) Min(session->description.nrows, PG_UINT32_MAX);
	*why = REASON_DEVICE_FAULT;
	if (find_device(session, device) &&
		gpusort_job_submit(session->job, session->device, session->generation) &&
		gpusort_job_wait(session->job, why))
		return true;
	gpusort_job_release(session->job);
	session->job = GPUSORT_NO_JOB;
	return false;
}

/*
 * With gpusort.engine = 'gpu' this tries again while other backends have sessions, because they
 * may end and free memory.  It does so only for some seconds: their backends may be idle.
 */
DeviceSession *
gpusort_session_open(const GpusortSpec *spec, SortUse use, int device, uint64_t nrows, uint32_t ncolumns,
					 const uint8_t *column_width, SortReason *why)
{
	GpusortSessionSpec description = {.spec = *spec, .nrows = nrows, .ncolumns = ncolumns};
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), SESSION_PATIENCE_MS);
	DeviceSession *session;

	Assert(ncolumns >= 1 && ncolumns <= GPUSORT_SESSION_COLUMNS);
	memcpy(description.column_width, column_width, ncolumns);
	if (gpusort_engine == GPUSORT_ENGINE_GPU)
		gpusort_devices_await();
	*why = nrows > GPUSORT_LONGEST_SEGMENT ? REASON_UNSUPPORTED : gpusort_devices_unready();
	if (*why != REASON_NONE)
		return NULL;
	session = make_session(&description);
	session->use = use;
	for (;;)
	{
		bool		others = others_have_sessions();

		if (try_open(session, device, why))
			return session;
		if (gpusort_engine != GPUSORT_ENGINE_GPU || !others || GetCurrentTimestamp() > until)
			break;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, SESSION_RETRY_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	gpusort_session_close(session);
	return NULL;
}

void
gpusort_session_close(DeviceSession *session)
{
	MemoryContextDelete(session->context);
}

/* Waits until no more than `most` appends are under way.  Returns false if one has failed. */
static bool
wait_for_appends(DeviceSession *session, int most, SortReason *why)
{
	GpusortDeviceStatus status;
	DeviceWatch watch;

	gpusort_watch_start(&watch, session->device);
	while (gpusort_session_appends(session->job, &status) > most)
	{
		if (gpusort_watch_stuck(&watch))
		{
			*why = REASON_NO_ANSWER;
			return false;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 1000, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	*why = gpusort_job_failure(status);
	return *why == REASON_NONE;
}

/* Notes that the session's device has failed.  Returns false. */
static bool
fail(DeviceSession *session)
{
	gpusort_device_note_failure(session->device);
	return false;
}

/* Describes the copy of rows of a column to a slab, or from it. */
static void
describe_copy(const DeviceSession *session, int slab, JobKind kind, uint32_t column, uint64_t first_row, uint64_t nrows)
{
	DeviceJob  *job = &gpusort_arena->job[slab];

	job->kind = kind;
	job->use = session->use;
	job->spec = session->description.spec;
	job->column = column;
	job->first_row = first_row;
	job->nrows = nrows;
	job->nsegments = 1;
	job->nslots = (uint32_t) nrows;
}

bool
gpusort_session_write(DeviceSession *session, uint32_t column, uint64_t first_row, uint64_t nrows,
					  SessionGive give, const void *source, SortReason *why)
{
	uint32_t	width = session->description.column_width[column];
	uint64_t	rows_per_slab = gpusort_arena->slab_bytes / width;

	for (uint64_t done = 0; done < nrows;)
	{
		uint64_t	count = Min(nrows - done, rows_per_slab);
		int			slab;

		CHECK_FOR_INTERRUPTS();
		if (!wait_for_appends(session, PIPELINE - 1, why))
			return fail(session);
		slab = gpusort_slab_acquire(SLAB_TRANSIT, -1);
		if (slab == GPUSORT_NO_JOB)
		{
			*why = REASON_NO_ANSWER;
			return fail(session);
		}
		HOLD_INTERRUPTS();
		give(source, done, count, width, gpusort_slab_memory(slab));
		RESUME_INTERRUPTS();
		describe_copy(session, slab, JOB_APPEND, column, first_row + done, count);
		if (!gpusort_append_submit(slab, session->job))
		{
			gpusort_job_release(slab);
			*why = REASON_DEVICE_FAULT;
			return fail(session);
		}
		done += count;
	}
	return true;
}

/* A SessionGive that copies an array. */
static void
give_array(const void *source, uint64_t done, uint64_t nrows, uint32_t width, void *target)
{
	memcpy(target, (const char *) source + done * width, nrows * width);
}

bool
gpusort_session_append(DeviceSession *session, uint32_t column, uint64_t first_row, uint64_t nrows,
					   const void *source, SortReason *why)
{
	return gpusort_session_write(session, column, first_row, nrows, give_array, source, why);
}

bool
gpusort_session_sort(DeviceSession *session, uint64_t nrows, SortReason *why)
{
	DeviceJob  *job = &gpusort_arena->job[session->job];

	if (!wait_for_appends(session, 0, why))
		return fail(session);
	job->kind = JOB_SORT_SESSION;
	job->nrows = nrows;
	*why = REASON_DEVICE_FAULT;
	if (!gpusort_job_submit(session->job, session->device, session->generation) ||
		!gpusort_job_wait(session->job, why))
		return fail(session);
	session->method = job->outcome.method;
	return true;
}

/* Starts the copy of rows from the device to a slab.  Returns false if the device has lost them. */
static bool
start_fetch(DeviceSession *session, int slab, uint32_t column, uint64_t first_row, uint64_t nrows)
{
	describe_copy(session, slab, JOB_FETCH, column, first_row, nrows);
	gpusort_arena->job[slab].session.session = gpusort_arena->job[session->job].session.session;
	return gpusort_job_submit(slab, session->device, session->generation);
}

/* A place in the rows that are read, between two pieces. */
typedef struct ReadCursor
{
	const SessionRead *read;
	uint64_t	done;			/* rows of it */
} ReadCursor;

static uint32_t
column_width(const DeviceSession *session, uint32_t column)
{
	return column == GPUSORT_SESSION_INDEX ? sizeof(uint32_t) : session->description.column_width[column];
}

/* Rows of the piece at the cursor: what a slab holds, or what is left. */
static uint64_t
piece_rows(const DeviceSession *session, const ReadCursor *cursor)
{
	uint64_t	rows_per_slab = gpusort_arena->slab_bytes / column_width(session, cursor->read->column);

	return Min(cursor->read->nrows - cursor->done, rows_per_slab);
}

static void
advance(ReadCursor *cursor, uint64_t nrows)
{
	cursor->done += nrows;
	if (cursor->done == cursor->read->nrows)
	{
		cursor->read++;
		cursor->done = 0;
	}
}

/* Waits for the oldest slab of a fetch, and hands its piece over. */
static bool
end_fetch(DeviceSession *session, ReadCursor *ended, SessionTake take, SortReason *why)
{
	int			slab = session->slabs[0];
	uint64_t	nrows = piece_rows(session, ended);
	bool		ok = gpusort_job_wait(slab, why);

	if (ok)
		take(ended->read, ended->done, nrows, column_width(session, ended->read->column), gpusort_slab_memory(slab));
	gpusort_job_release(slab);
	session->nslabs--;
	memmove(session->slabs, session->slabs + 1, session->nslabs * sizeof(int));
	advance(ended, nrows);
	return ok;
}

bool
gpusort_session_read(DeviceSession *session, const SessionRead *reads, int nreads, SessionTake take, SortReason *why)
{
	const SessionRead *end = reads + nreads;
	ReadCursor	started = {reads};
	ReadCursor	ended = {reads};
	bool		ok = true;

	while (ok && ended.read < end)
	{
		int			slab = GPUSORT_NO_JOB;

		CHECK_FOR_INTERRUPTS();
		/* A backend that holds a transit slab must not wait for another. */
		if (started.read < end && session->nslabs < PIPELINE)
			slab = gpusort_slab_acquire(SLAB_TRANSIT, session->nslabs == 0 ? -1 : 0);
		if (slab != GPUSORT_NO_JOB)
		{
			uint64_t	nrows = piece_rows(session, &started);

			session->slabs[session->nslabs++] = slab;
			ok = start_fetch(session, slab, started.read->column, started.read->first_row + started.done, nrows);
			advance(&started, nrows);
			if (!ok)
				*why = REASON_DEVICE_FAULT;
		}
		else if (session->nslabs == 0)
		{
			*why = REASON_NO_ANSWER;
			ok = false;
		}
		else
			ok = end_fetch(session, &ended, take, why);
	}
	while (session->nslabs > 0)
		gpusort_job_release(session->slabs[--session->nslabs]);
	return ok || fail(session);
}

/* A SessionTake that copies the rows to the read's target. */
static void
copy_rows(const SessionRead *read, uint64_t done, uint64_t nrows, uint32_t width, const void *data)
{
	memcpy((char *) read->target + done * width, data, nrows * width);
}

bool
gpusort_session_fetch(DeviceSession *session, uint32_t column, uint64_t nrows, void *target, SortReason *why)
{
	const SessionRead read = {.column = column, .nrows = nrows, .target = target};

	return gpusort_session_read(session, &read, nrows > 0, copy_rows, why);
}

GpusortMethod
gpusort_session_method(const DeviceSession *session)
{
	return session->method;
}

int
gpusort_session_device(const DeviceSession *session)
{
	return session->device;
}
