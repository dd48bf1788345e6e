/*
 * fuzz_jobs.c
 *	  The device worker and job records that nobody has checked.
 *
 * This is worker.c itself, with an arena of its own: each record of the input is given to
 * it as the queue would, and then it takes back from the emulated device what has ended.
 * Slabs end where memory ends, so a job that reaches beyond them is seen.  The worker must
 * refuse a record, run it, or end itself in order at a fault of the device.  Segments that
 * the record does not count are such a fault.
 *
 * Input: a byte with the number of a record, a byte with what happens then, the fields of the
 * record, 2 bytes with a number of bytes, that many bytes of the slab; and so on.
 */
#include "fuzz.h"

#include <sched.h>
#include <setjmp.h>

#include "storage/ipc.h"

static sigjmp_buf worker_ends;

#define gpusort_worker_main gpusort_fuzz_worker_main
#define proc_exit(code) siglongjmp(worker_ends, 1)
#include "device/worker/worker.c"
#undef proc_exit

#include "utils/wait_event.h"

#define SLABS 2
#define SESSIONS 2
#define SLAB_BYTES 4096
#define THEN_WAIT 1				/* until nothing is under way */
#define THEN_FORGE 2			/* write the record again, while the device has its job */
#define MEMORY_BYTES (64 * 1024 * 1024)

static SharedArena arena;
static DeviceJob records[SLABS + SESSIONS];
static LWLock lock;

static void
prepare(void)
{
	static int	fd = -1;

	LWLockInitialize(&lock, LWTRANCHE_FIRST_USER_DEFINED);
	if (fd < 0)
		fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	worker.event_fd = fd;
	worker.module = gpusort_device_module();
}

/* Empties arena and device. */
static void
begin(void)
{
	GpusortDeviceInfo info;
	GpusortDeviceError error;
	const GpusortDeviceModule *module = worker.module;
	int			fd = worker.event_fd;

	memset(&worker, 0, sizeof(worker));
	memset(&arena, 0, sizeof(arena));
	memset(records, 0, sizeof(records));
	arena.lock = &lock;
	ConditionVariableInit(&arena.device_changed);
	arena.slab_bytes = SLAB_BYTES;
	arena.nslabs = SLABS;
	arena.njobs = SLABS + SESSIONS;
	arena.job = records;
	arena.base = aligned_alloc(4096, SLABS * SLAB_BYTES);
	memset(arena.base, 0, SLABS * SLAB_BYTES);
	dlist_init(&arena.free);
	dlist_init(&arena.waiters);
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
		dlist_init(&arena.devices[i].queue);
	gpusort_arena = &arena;
	worker.module = module;
	worker.event_fd = fd;
	worker.shared = &arena.devices[0];
	worker.device = module->open(0, MEMORY_BYTES, arena.base, SLABS * SLAB_BYTES, fd, &info, &error);
}

/* Takes back what has ended until nothing is under way; a fault ends the process. */
static void
drain(void)
{
	while (worker.in_flight > 0)
	{
		uint64_t	ended;

		end_jobs();
		if (worker.in_flight > 0 && read(worker.event_fd, &ended, sizeof(ended)) < 0)
			sched_yield();
	}
}

/* The fields that backends write, with values that are mostly near what is right. */
static void
read_record(FuzzInput *input, DeviceJob *job)
{
	job->kind = (JobKind) (int8) gpusort_fuzz_number(input, 1);
	job->spec.form = gpusort_fuzz_number(input, 1);
	job->spec.payload = gpusort_fuzz_number(input, 1);
	job->spec.method = gpusort_fuzz_number(input, 1);
	job->spec.descending = gpusort_fuzz_number(input, 1) & 1;
	job->spec.limit = gpusort_fuzz_number(input, 4);
	job->spec.buckets = gpusort_fuzz_number(input, 4);
	job->use = (SortUse) (int8) gpusort_fuzz_number(input, 1);
	job->verify = gpusort_fuzz_number(input, 1) & 1;
	job->layout.keys = gpusort_fuzz_number(input, 4);
	job->layout.payload = gpusort_fuzz_number(input, 4);
	job->layout.keys_out = gpusort_fuzz_number(input, 4);
	job->layout.payload_out = gpusort_fuzz_number(input, 4);
	job->layout.segments = gpusort_fuzz_number(input, 4);
	job->nsegments = gpusort_fuzz_number(input, 4);
	job->nslots = gpusort_fuzz_number(input, 4);
	job->length_histogram[gpusort_fuzz_number(input, 1) % GPUSORT_LENGTH_BINS] = gpusort_fuzz_number(input, 4);
	job->session.session = gpusort_fuzz_number(input, 1);
	job->session.spec = job->spec;
	job->session.verify = job->verify;
	job->session.nrows = gpusort_fuzz_number(input, 4);
	job->session.ncolumns = gpusort_fuzz_number(input, 1);
	for (int i = 0; i < Min(job->session.ncolumns, GPUSORT_SESSION_COLUMNS); i++)
		job->session.column_width[i] = gpusort_fuzz_number(input, 1);
	job->column = (int32) (int8) gpusort_fuzz_number(input, 1);
	job->first_row = gpusort_fuzz_number(input, 8);
	job->nrows = gpusort_fuzz_number(input, 8);
	job->session_job = (int32) (int8) gpusort_fuzz_number(input, 1);
}

/* Gives the worker the records of the input. */
static void
give_records(FuzzInput *input)
{
	uint64		ticket = 0;

	while (input->place < input->size)
	{
		int			number = gpusort_fuzz_number(input, 1) % lengthof(records);
		int			then = gpusort_fuzz_number(input, 1);
		DeviceJob  *job = &records[number];
		Size		bytes;

		if (job->state != JOB_FREE)
			drain();
		if (job->state == JOB_QUEUED)	/* a closing of an abandoned session */
		{
			dlist_delete(&job->node);
			arena.devices[0].queued--;
		}
		else if (job->state == JOB_FREE && number < SLABS && arena.nfree > 0 && job->node.next != NULL)
		{
			dlist_delete(&job->node);
			arena.nfree--;
		}
		memset(job, 0, sizeof(DeviceJob));
		read_record(input, job);
		bytes = gpusort_fuzz_number(input, 2);
		bytes = Min(bytes, input->size - input->place);
		if (number < SLABS)
			memcpy(gpusort_slab_memory(number), input->data + input->place, Min(bytes, SLAB_BYTES));
		input->place += bytes;
		job->state = JOB_RUNNING;
		job->abandoned = true;
		job->ticket = ++ticket;
		arena.devices[0].running++;
		start_job(job);
		if (then & THEN_FORGE && job->state == JOB_RUNNING)
			read_record(input, job);
		if (then & THEN_WAIT)
			drain();
	}
	drain();
}

static void
run(FuzzInput *input)
{
	begin();
	if (sigsetjmp(worker_ends, 0) == 0)
		give_records(input);
	worker.module->close(worker.device);
	free(arena.base);
}

const FuzzTarget gpusort_fuzz_jobs = {.name = "jobs",.prepare = prepare,.run = run};
