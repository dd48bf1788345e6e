/*
 * worker.c
 *	  The device worker: one background process for each device, the only one that
 *	  loads a device module.
 *
 *	  start: free what the last worker left, wait after repeated faults, load the
 *			 module, move near the device, open it, publish its rates; threads of its
 *			 own make the calls that a driver may hang in
 *	  loop:	 start queued jobs, hand back ended ones, sleep on the latch and on the
 *			 eventfd that the module signals; an idle worker uses no CPU time
 *	  end:	 worker_exit runs at every end of the process and ends the jobs in flight,
 *			 so that their backends turn to the CPU
 *
 * A fault of the device ends the process with status 1.  The postmaster starts it again;
 * no other process is affected.  If there is no device, that is not a fault: the process
 * ends with status 0 and is not started again.
 *
 * The process ends by _exit when PostgreSQL has cleaned up, because exit handlers of a
 * device library may wait for a device that does not answer.
 */
#include "postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "device/shared/arena.h"
#include "device/shared/device_jobs.h"
#include "device/worker/job_check.h"
#include "device/worker/worker.h"
#include "guc.h"
#include "keys/engine_names.h"

#define IN_FLIGHT_MAX 32		/* jobs given to the module at once */
#define BACK_OFF_MAX_SECONDS 60
#define RETRY_OPEN_SECONDS 60
#define OPEN_PATIENCE 10		/* opening may take so many times gpusort.device_timeout: a driver that starts is slow */

PGDLLEXPORT void gpusort_worker_main(Datum main_arg);

/* A job that the module was given.  The record is read no more until the job ends. */
typedef struct RunningJob
{
	DeviceJob  *record;			/* in shared memory; NULL if this one is not in use */
	DeviceJob	job;			/* the copy that was checked */
} RunningJob;

typedef struct WorkerState
{
	int			ordinal;
	SharedDevice *shared;
	const GpusortDeviceModule *module;
	GpusortDevice *device;		/* NULL until opened */
	int			event_fd;
	int			in_flight;
	RunningJob	running[IN_FLIGHT_MAX];
	OpenSession sessions[GPUSORT_MAX_SESSIONS];
	bool		paused;			/* memory is short: starts no job until one has ended */
	TimestampTz last_progress;	/* when a job last ended, or was started on an idle device */
	bool		expected;		/* the end of the process is asked for or already counted */
} WorkerState;

static WorkerState worker;

/* Counts a fault and notes its message. */
static void
count_fault(const char *message)
{
	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	worker.shared->faults++;
	worker.shared->faults_in_a_row++;
	strlcpy(worker.shared->last_error, message, sizeof(worker.shared->last_error));
	worker.shared->last_error_at = GetCurrentTimestamp();
	LWLockRelease(gpusort_arena->lock);
	worker.expected = true;
}

pg_noreturn static void fault(const DeviceJob *job, const char *message);

/* Counts and logs a fault of the device, and ends the process. */
static void
fault(const DeviceJob *job, const char *message)
{
	count_fault(message);
	ereport(LOG,
			(errmsg("gpusort device %d failed and will be restarted: %s", worker.ordinal, message),
			 job ? errdetail("Job of kind %d: method \"%s\", %u segments, %u keys, key form %d, payload %d.",
							 (int) job->kind, gpusort_method_name(job->spec.method), job->nsegments,
							 job->nslots, (int) job->spec.form, (int) job->spec.payload) : 0));
	proc_exit(1);
}

/* Makes this process the device's worker.  Returns false if the device has another one. */
static bool
claim_device(void)
{
	SharedDevice *shared = worker.shared;
	bool		claimed;

	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	claimed = shared->worker == NULL;
	if (claimed)
	{
		shared->worker = MyProc;
		shared->worker_pid = MyProcPid;
		shared->state = DEVICE_STARTING;
		shared->generation++;
		shared->starts++;
	}
	LWLockRelease(gpusort_arena->lock);
	return claimed;
}

/* Sets the device's state, and wakes backends that wait for a device. */
static void
set_state(DeviceState state)
{
	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	worker.shared->state = state;
	LWLockRelease(gpusort_arena->lock);
	ConditionVariableBroadcast(&gpusort_arena->device_changed);
}

/* Sleeps.  Ends the process if a shutdown is requested meanwhile. */
static void
nap(long seconds)
{
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), seconds * 1000L);
	long		left;

	while ((left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until)) > 0)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, left, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (ShutdownRequestPending)
			proc_exit(1);
	}
}

/* Waits 1 second after the second fault in a row, then 2, 4, ..., up to BACK_OFF_MAX_SECONDS. */
static void
back_off(void)
{
	int			faults = worker.shared->faults_in_a_row;

	if (faults < 2)
		return;
	set_state(DEVICE_BACKING_OFF);
	nap(Min(BACK_OFF_MAX_SECONDS, 1L << Min(faults - 2, 6)));
	set_state(DEVICE_STARTING);
}

/* Notes and logs why the device cannot be used. */
static void
report_no_device(const char *message)
{
	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	strlcpy(worker.shared->last_error, message, sizeof(worker.shared->last_error));
	worker.shared->last_error_at = GetCurrentTimestamp();
	LWLockRelease(gpusort_arena->lock);
	ereport(LOG,
			(errmsg("gpusort sorts on the CPU: device %d is not available: %s", worker.ordinal, message)));
}

static void
publish_memory(void)
{
	uint64_t	now;
	uint64_t	peak;

	worker.module->memory_in_use(worker.device, &now, &peak);
	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	worker.shared->memory_now = now;
	worker.shared->memory_peak = peak;
	LWLockRelease(gpusort_arena->lock);
}

static void
publish_device(const GpusortDeviceInfo *info)
{
	SharedDevice *shared = worker.shared;

	LWLockAcquire(gpusort_arena->lock, LW_EXCLUSIVE);
	shared->info = *info;
	strlcpy(shared->library, worker.module->name, sizeof(shared->library));
	shared->ready_since = GetCurrentTimestamp();
	LWLockRelease(gpusort_arena->lock);
	publish_memory();
	set_state(DEVICE_READY);
}

/* Has the module do a step of opening.  A fault is raised if the driver hangs, too. */
static void
do_step(void (*step) (void *argument), DeviceOpening *opening)
{
	if (!gpusort_worker_call(step, opening, worker.event_fd, OPEN_PATIENCE * (long) gpusort_device_timeout))
		fault(NULL, "the driver did not open the device within ten times gpusort.device_timeout");
	if (opening->error.status == GPUSORT_DEVICE_FAULT)
		fault(NULL, opening->error.message);
}

/* Opens a device that was found.  Returns why there is none, or NULL. */
static const char *
open_found(DeviceOpening *opening)
{
	bool		reported = false;

	/* Before this one is opened, which may fail or wait for memory. */
	if (worker.ordinal == 0 && pg_strcasecmp(gpusort_device_list, "all") == 0)
		gpusort_worker_register_others(1, opening->count);
	for (;;)
	{
		do_step(gpusort_worker_open_found, opening);
		if (opening->device)
			return NULL;
		if (opening->error.status == GPUSORT_DEVICE_UNAVAILABLE)
			return opening->error.message;
		/* Others use the device's memory, which may pass. */
		if (!reported)
			report_no_device(opening->error.message);
		reported = true;
		set_state(DEVICE_BACKING_OFF);
		nap(RETRY_OPEN_SECONDS);
	}
}

/*
 * Loads the module and opens the device.  If there is none the process ends for good, unless
 * there was one before: it may have been reset, and a new process may find it again.
 */
static void
open_device(void)
{
	static DeviceOpening opening;	/* a thread that hangs keeps it until the process ends */
	const char *missing;

	worker.event_fd = opening.event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (worker.event_fd < 0)
		ereport(ERROR,
				(errcode_for_socket_access(),
				 errmsg("could not create an eventfd: %m")));
	opening.ordinal = worker.ordinal;
	worker.shared->has_module = gpusort_worker_module_path(opening.path, sizeof(opening.path));
	do_step(gpusort_worker_find_devices, &opening);
	if (opening.error.status != GPUSORT_DEVICE_OK)
		missing = opening.error.message;
	else if (gpusort_arena->nslabs == 0)
		missing = "the device module was not installed when the server started";
	else
		missing = open_found(&opening);

	if (missing && worker.shared->ready_since != 0)
		fault(NULL, missing);
	if (missing)
	{
		report_no_device(missing);
		proc_exit(0);
	}
	worker.module = opening.module;
	worker.device = opening.device;
	worker.module->enter(worker.device);
	/* Whoever sees the device ready sees the worker idle. */
	pgstat_report_activity(STATE_IDLE, NULL);
	publish_device(&opening.info);
	ereport(LOG,
			(errmsg("gpusort device %d is ready: %s (module \"%s\", driver %s)",
					worker.ordinal, opening.info.name, worker.module->name, opening.info.driver)));
}

/* The open session of that number, or NULL. */
static OpenSession *
find_session(uint64_t number)
{
	for (int i = 0; i < GPUSORT_MAX_SESSIONS; i++)
		if (number != 0 && worker.sessions[i].spec.session == number)
			return &worker.sessions[i];
	return NULL;
}

/* Gives the slab's segments to the module. */
static void
start_slab_sort(const DeviceJob *job, char *slab)
{
	const SlabLayout *layout = &job->layout;
	GpusortSlabSort request = {
		.ticket = job->ticket,
		.spec = job->spec,
		.verify = job->verify,
		.keys = slab + layout->keys,
		.payload = job->spec.payload == GPUSORT_PAYLOAD_CARRIED ? (uint32_t *) (slab + layout->payload) : NULL,
		.keys_out = job->spec.payload == GPUSORT_PAYLOAD_NONE ? slab + layout->keys_out : NULL,
		.payload_out = job->spec.payload != GPUSORT_PAYLOAD_NONE ? (uint32_t *) (slab + layout->payload_out) : NULL,
		.segments = (GpusortSegment *) (slab + layout->segments),
		.nsegments = job->nsegments,
		.nslots = job->nslots
	};

	memcpy(request.length_histogram, job->length_histogram, sizeof(request.length_histogram));
	worker.module->start_job(worker.device, &request);
}

/* Ends the record's job, or this process if the device is lost. */
static void
end_job(DeviceJob *record, const DeviceJob *job, const GpusortDeviceOutcome *outcome)
{
	if (outcome->error.status == GPUSORT_DEVICE_FAULT || outcome->error.status == GPUSORT_DEVICE_UNAVAILABLE)
		fault(job, outcome->error.message);
	if (outcome->error.status == GPUSORT_DEVICE_NOT_VERIFIED)
		ereport(LOG,
				(errmsg("gpusort device %d gave a wrong result, which was thrown away: %s",
						worker.ordinal, outcome->error.message),
				 errdetail("Method \"%s\", %u segments, %u keys, key form %d, payload %d.",
						   gpusort_method_name(outcome->method), job->nsegments, job->nslots,
						   (int) job->spec.form, (int) job->spec.payload)));
	gpusort_job_end(record, job, outcome);
}

/* Ends a job that the module is not given. */
static void
refuse_job(DeviceJob *record, const DeviceJob *job, const char *flaw)
{
	GpusortDeviceOutcome outcome = {.ticket = job->ticket, .error.status = GPUSORT_DEVICE_UNSUPPORTED};

	ereport(LOG,
			(errmsg("gpusort device %d refused a job that is not well formed: %s", worker.ordinal, flaw),
			 errdetail("Its record, of kind %d, was not written by gpusort or was overwritten.", (int) job->kind)));
	strlcpy(outcome.error.message, flaw, sizeof(outcome.error.message));
	gpusort_job_end(record, job, &outcome);
}

/* Opens the job's session.  Such a job ends at once. */
static void
open_session(DeviceJob *record, const DeviceJob *job)
{
	GpusortDeviceOutcome outcome = {.ticket = job->ticket};
	OpenSession *session = NULL;

	/* There are as many as there are records of sessions. */
	for (int i = 0; i < GPUSORT_MAX_SESSIONS && session == NULL; i++)
		if (worker.sessions[i].spec.session == 0)
			session = &worker.sessions[i];
	if (session == NULL)
	{
		refuse_job(record, job, "more sessions than there may be");
		return;
	}
	outcome.error.status = worker.module->open_session(worker.device, &job->session, &outcome.error);
	record->session_open = outcome.error.status == GPUSORT_DEVICE_OK;
	if (record->session_open)
		*session = (OpenSession) {.spec = job->session};
	end_job(record, job, &outcome);
	publish_memory();
}

/* Closes the job's session, if it is open.  Such a job ends at once. */
static void
close_session(DeviceJob *record, const DeviceJob *job, OpenSession *session)
{
	GpusortDeviceOutcome outcome = {.ticket = job->ticket};

	if (session)
	{
		worker.module->close_session(worker.device, session->spec.session);
		session->spec.session = 0;
	}
	record->session_open = false;
	end_job(record, job, &outcome);
	publish_memory();
}

/* Notes what a session's sort leaves to be fetched. */
static void
note_sort(OpenSession *session, uint64_t nrows)
{
	uint64_t	limit = session->spec.spec.limit;

	session->sorted = true;
	session->nresults = limit > 0 ? Min(limit, nrows) : nrows;
}

/* Notes that a session's sort failed: it is tried again, or nothing can be fetched. */
static void
note_failed_sort(OpenSession *session, bool again)
{
	session->sorted = !again;
	session->nresults = 0;
}

/* Hands a job to the module, under way from now on. */
static void
give_job(DeviceJob *record, const DeviceJob *job, OpenSession *session, char *slab)
{
	for (int i = 0; i < IN_FLIGHT_MAX; i++)
	{
		if (worker.running[i].record == NULL)
		{
			worker.running[i] = (RunningJob) {.record = record, .job = *job};
			break;
		}
	}
	worker.in_flight++;
	if (job->kind == JOB_SORT)
		start_slab_sort(job, slab);
	else if (job->kind == JOB_APPEND)
		worker.module->append(worker.device, session->spec.session, job->ticket,
							  job->column, job->first_row, job->nrows, slab);
	else if (job->kind == JOB_FETCH)
		worker.module->fetch(worker.device, session->spec.session, job->ticket,
							 job->column, job->first_row, job->nrows, slab);
	else
	{
		note_sort(session, job->nrows);
		worker.module->sort_session(worker.device, session->spec.session, job->ticket, job->nrows);
	}
}

static void
start_job(DeviceJob *record)
{
	const DeviceJob job = *record;	/* a backend that changes the record now changes nothing */
	bool		has_slab = gpusort_job_has_slab(record);
	OpenSession *session = find_session(job.session.session);
	const char *flaw = gpusort_job_flaw(&job, has_slab ? gpusort_arena->slab_bytes : 0, session);

	if (flaw)
		refuse_job(record, &job, flaw);
	else if (job.kind == JOB_OPEN_SESSION)
		open_session(record, &job);
	else if (job.kind == JOB_CLOSE_SESSION)
		close_session(record, &job, session);
	else
		give_job(record, &job, session, has_slab ? gpusort_slab_memory(gpusort_job_number(record)) : NULL);
}

static void
start_jobs(void)
{
	while (worker.in_flight < IN_FLIGHT_MAX && !worker.paused)
	{
		DeviceJob  *job = gpusort_job_take(worker.ordinal);

		if (job == NULL)
			break;
		if (worker.in_flight == 0)
			worker.last_progress = GetCurrentTimestamp();
		start_job(job);
	}
}

/* Hands an ended job back, or has it wait for memory that other jobs will free. */
static void
take_back(RunningJob *running, const GpusortDeviceOutcome *outcome)
{
	bool		again = outcome->error.status == GPUSORT_DEVICE_OUT_OF_MEMORY && worker.in_flight > 0;
	OpenSession *session = running->job.kind == JOB_SORT_SESSION ? find_session(running->job.session.session) : NULL;

	if (session && outcome->error.status != GPUSORT_DEVICE_OK)
		note_failed_sort(session, again);
	if (again)
	{
		worker.paused = true;	/* until one has ended */
		gpusort_job_put_back(running->record);
	}
	else
		end_job(running->record, &running->job, outcome);
	running->record = NULL;
}

/* Takes every ended job from the module. */
static void
end_jobs(void)
{
	GpusortDeviceOutcome outcome;
	bool		any = false;

	while (worker.module->poll(worker.device, &outcome))
	{
		RunningJob *running = NULL;

		for (int i = 0; i < IN_FLIGHT_MAX && running == NULL; i++)
			if (worker.running[i].record && worker.running[i].job.ticket == outcome.ticket)
				running = &worker.running[i];
		if (running == NULL)
			fault(NULL, "the module ended a job that was not started");
		worker.in_flight--;
		worker.last_progress = GetCurrentTimestamp();
		worker.paused = false;
		any = true;
		take_back(running, &outcome);
	}
	if (any)
		publish_memory();
}

/* Raises a fault if the device has jobs and none has ended in time. */
static void
check_progress(void)
{
	if (worker.in_flight > 0 &&
		TimestampDifferenceExceeds(worker.last_progress, GetCurrentTimestamp(), gpusort_device_timeout))
	{
		const DeviceJob *job = NULL;

		for (int i = 0; i < IN_FLIGHT_MAX && job == NULL; i++)
			if (worker.running[i].record)
				job = &worker.running[i].job;
		fault(job, "no job ended within gpusort.device_timeout");
	}
}

/* How long no job need end, in milliseconds; -1 if none is under way. */
static long
time_left(void)
{
	if (worker.in_flight == 0)
		return -1;
	return TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
										   TimestampTzPlusMilliseconds(worker.last_progress, gpusort_device_timeout));
}

static void
main_loop(void)
{
	WaitEventSet *set = GPUSORT_CREATE_WAIT_EVENT_SET(TopMemoryContext, NULL, 3);
	uint32		wait_event = GPUSORT_WAIT_EVENT("GpusortDeviceMain");

	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	AddWaitEventToSet(set, WL_SOCKET_READABLE, worker.event_fd, NULL, NULL);

	while (!ShutdownRequestPending)
	{
		WaitEvent	event;
		uint64_t	ended;

		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
		end_jobs();
		start_jobs();
		check_progress();
		if (worker.shared->state == DEVICE_NOT_ANSWERING)
			set_state(DEVICE_READY);
		(void) WaitEventSetWait(set, time_left(), &event, 1, wait_event);
		if (read(worker.event_fd, &ended, sizeof(ended)) < 0 && errno != EAGAIN && errno != EINTR)
			fault(NULL, "could not read the device's eventfd");
	}
	worker.expected = true;
	/* Not 0, because the worker is to be started again unless the server stops. */
	proc_exit(1);
}

/* Gives the device up: ends its jobs and wakes their backends. */
static void
worker_exit(int code, Datum arg)
{
	gpusort_arena_unlock_at_exit();
	if (code != 0 && !worker.expected && !ShutdownRequestPending)
		count_fault("the device worker ended unexpectedly");
	gpusort_arena_device_lost(worker.ordinal, code == 0 ? DEVICE_UNAVAILABLE : DEVICE_RESTARTING);
	ConditionVariableBroadcast(&gpusort_arena->device_changed);
}

/* Runs after the process has left shared memory. */
static void
leave(int code, Datum arg)
{
	_exit(code == 0 ? 0 : 1);
}

void
gpusort_worker_main(Datum main_arg)
{
	worker.ordinal = DatumGetInt32(main_arg);
	worker.shared = &gpusort_arena->devices[worker.ordinal];

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	if (!claim_device())
		proc_exit(0);
	before_shmem_exit(worker_exit, (Datum) 0);
	on_proc_exit(leave, (Datum) 0);
	gpusort_arena_recover(worker.ordinal);
	back_off();
	open_device();
	main_loop();
}
