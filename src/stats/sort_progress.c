/*
 * sort_progress.c
 *	  Slots in shared memory, one for each backend, that say what it is sorting.
 *
 * A slot is written by its backend only, under the slot's spinlock; phase and
 * share done are atomics that need none.
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "stats/sort_progress.h"

#define PER_MILLE 1000

typedef struct ProgressSlot
{
	slock_t		lock;
	int			pid;			/* 0: sorts nothing */
	EngineId	engine;
	SortUse		use;
	GpusortMethod method;
	uint64		keys;
	TimestampTz started;
	pg_atomic_uint32 phase_and_share;	/* phase * PER_MILLE * 2 + per mille */
} ProgressSlot;

static ProgressSlot *slots = NULL;

PG_FUNCTION_INFO_V1(gpusort_jobs);

Size
gpusort_progress_shmem_size(void)
{
	return mul_size(MaxBackends, sizeof(ProgressSlot));
}

/* Runs under AddinShmemInitLock. */
void
gpusort_progress_shmem_startup(void)
{
	bool		found;

	slots = ShmemInitStruct("gpusort jobs", gpusort_progress_shmem_size(), &found);
	if (found)
		return;
	memset(slots, 0, gpusort_progress_shmem_size());
	for (int i = 0; i < MaxBackends; i++)
	{
		SpinLockInit(&slots[i].lock);
		pg_atomic_init_u32(&slots[i].phase_and_share, 0);
	}
}

/* The outermost sort: its number, and the subtransaction that it belongs to. */
static ProgressJob shown = 0;
static SubTransactionId owner;

static void
at_transaction_end(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT || event == XACT_EVENT_PARALLEL_ABORT)
		gpusort_progress_end(shown);
}

static void
at_subtransaction_end(SubXactEvent event, SubTransactionId self, SubTransactionId parent, void *arg)
{
	if (shown == 0 || owner != self)
		return;
	if (event == SUBXACT_EVENT_ABORT_SUB)
		gpusort_progress_end(shown);
	else if (event == SUBXACT_EVENT_COMMIT_SUB)
		owner = parent;
}

static void
at_exit(int code, Datum arg)
{
	gpusort_progress_end(shown);
}

/* Shows this backend in gpusort.jobs, unless it is shown. */
ProgressJob
gpusort_progress_show(EngineId engine, SortUse use, GpusortMethod method, uint64_t keys)
{
	static bool registered = false;
	static ProgressJob last = 0;
	ProgressSlot *slot;
	TimestampTz now;

	if (slots == NULL || shown != 0)
		return 0;
	if (!registered)
	{
		RegisterXactCallback(at_transaction_end, NULL);
		RegisterSubXactCallback(at_subtransaction_end, NULL);
		before_shmem_exit(at_exit, (Datum) 0);
		registered = true;
	}
	now = GetCurrentTimestamp();
	slot = &slots[GPUSORT_MY_PROC_NUMBER];
	pg_atomic_write_u32(&slot->phase_and_share, 0);
	SpinLockAcquire(&slot->lock);
	slot->pid = MyProcPid;
	slot->engine = engine;
	slot->use = use;
	slot->method = method;
	slot->keys = keys;
	slot->started = now;
	SpinLockRelease(&slot->lock);
	owner = GetCurrentSubTransactionId();
	return shown = ++last;
}

void
gpusort_progress_write(ProgressJob job, SortPhase phase, uint64_t done, uint64_t total)
{
	if (job == shown)
	{
		uint32		share = total > 0 ? (uint32) (done * (double) PER_MILLE / total) : 0;

		pg_atomic_write_u32(&slots[GPUSORT_MY_PROC_NUMBER].phase_and_share,
							phase * PER_MILLE * 2 + Min(share, PER_MILLE));
	}
}

/* No more, unless that was done when a transaction aborted. */
void
gpusort_progress_clear(ProgressJob job)
{
	ProgressSlot *slot;

	if (job != shown)
		return;
	slot = &slots[GPUSORT_MY_PROC_NUMBER];
	SpinLockAcquire(&slot->lock);
	slot->pid = 0;
	SpinLockRelease(&slot->lock);
	shown = 0;
}

/* Rows (pid, engine, used_for, method, keys, started_at, phase, done): done is the share of the phase. */
Datum
gpusort_jobs(PG_FUNCTION_ARGS)
{
	static const char *const phases[SORT_PHASES] = {"reading", "sending", "sorting", "fetching", "merging"};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; slots != NULL && i < MaxBackends; i++)
	{
		ProgressSlot copy;
		uint32		progress = pg_atomic_read_u32(&slots[i].phase_and_share);
		Datum		values[8];
		bool		nulls[8] = {0};

		SpinLockAcquire(&slots[i].lock);
		memcpy(&copy, &slots[i], sizeof(copy));
		SpinLockRelease(&slots[i].lock);
		if (copy.pid == 0)
			continue;
		values[0] = Int32GetDatum(copy.pid);
		values[1] = CStringGetTextDatum(gpusort_engine_name(copy.engine));
		values[2] = CStringGetTextDatum(gpusort_use_name(copy.use));
		values[3] = CStringGetTextDatum(gpusort_method_name(copy.method));
		values[4] = Int64GetDatum(copy.keys);
		values[5] = TimestampTzGetDatum(copy.started);
		values[6] = CStringGetTextDatum(phases[progress / (PER_MILLE * 2)]);
		values[7] = Float8GetDatum(progress % (PER_MILLE * 2) / (double) PER_MILLE);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
