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

#include "compat.h"
#include "sort/sort.h"
#include "sort/sort_progress.h"

#define PER_MILLE 1000

typedef struct ProgressSlot
{
	slock_t		lock;
	int			pid;			/* 0: sorts nothing */
	StatsEngine engine;
	GpusortMethod method;
	uint64		keys;
	TimestampTz started;
	pg_atomic_uint32 phase_and_share;	/* phase * PER_MILLE * 2 + per mille */
} ProgressSlot;

static ProgressSlot *slots = NULL;
static bool in_progress = false;

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

static void
at_transaction_end(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT || event == XACT_EVENT_PARALLEL_ABORT)
		gpusort_progress_end();
}

static void
at_subtransaction_end(SubXactEvent event, SubTransactionId self, SubTransactionId parent, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		gpusort_progress_end();
}

static void
at_exit(int code, Datum arg)
{
	gpusort_progress_end();
}

/* Shows this backend in gpusort.jobs; nested sorts show as the outermost. */
void
gpusort_progress_begin(StatsEngine engine, GpusortMethod method, uint64_t keys)
{
	static bool registered = false;
	ProgressSlot *slot;

	if (slots == NULL || in_progress || keys < GPUSORT_PROGRESS_MIN_KEYS)
		return;
	if (!registered)
	{
		RegisterXactCallback(at_transaction_end, NULL);
		RegisterSubXactCallback(at_subtransaction_end, NULL);
		before_shmem_exit(at_exit, (Datum) 0);
		registered = true;
	}
	slot = &slots[GPUSORT_MY_PROC_NUMBER];
	SpinLockAcquire(&slot->lock);
	slot->pid = MyProcPid;
	slot->engine = engine;
	slot->method = method;
	slot->keys = keys;
	slot->started = GetCurrentTimestamp();
	SpinLockRelease(&slot->lock);
	pg_atomic_write_u32(&slot->phase_and_share, 0);
	in_progress = true;
}

/* Says how far the phase is. */
void
gpusort_progress_update(SortPhase phase, uint64_t done, uint64_t total)
{
	uint32		share = total > 0 ? (uint32) (done * (double) PER_MILLE / total) : 0;

	if (in_progress)
		pg_atomic_write_u32(&slots[GPUSORT_MY_PROC_NUMBER].phase_and_share,
							phase * PER_MILLE * 2 + Min(share, PER_MILLE));
}

void
gpusort_progress_end(void)
{
	ProgressSlot *slot;

	if (!in_progress)
		return;
	slot = &slots[GPUSORT_MY_PROC_NUMBER];
	SpinLockAcquire(&slot->lock);
	slot->pid = 0;
	SpinLockRelease(&slot->lock);
	in_progress = false;
}

/* Rows (pid, engine, method, keys, started_at, phase, done): done is the share of the phase. */
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
		Datum		values[7];
		bool		nulls[7] = {0};

		SpinLockAcquire(&slots[i].lock);
		memcpy(&copy, &slots[i], sizeof(copy));
		SpinLockRelease(&slots[i].lock);
		if (copy.pid == 0)
			continue;
		values[0] = Int32GetDatum(copy.pid);
		values[1] = CStringGetTextDatum(copy.engine == GPUSORT_STATS_CPU ? "cpu" : "gpu");
		values[2] = CStringGetTextDatum(gpusort_sort_method_name(copy.method));
		values[3] = Int64GetDatum(copy.keys);
		values[4] = TimestampTzGetDatum(copy.started);
		values[5] = CStringGetTextDatum(phases[progress / (PER_MILLE * 2)]);
		values[6] = Float8GetDatum(progress % (PER_MILLE * 2) / (double) PER_MILLE);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
