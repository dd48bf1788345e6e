/*
 * sort_progress.c
 *	  Slots in shared memory that say what each backend is sorting.
 *
 * A slot is written by its backend only.  Atomic members need no lock; all others are
 * written under the slot's spinlock.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "stats/sort_progress.h"

#define PER_MILLE 1000

typedef struct ProgressSlot
{
	slock_t		lock;
	int			pid;			/* 0 if the slot is free */
	EngineId	engine;			/* ENGINE_NONE if not known yet */
	SortUse		use;
	GpusortMethod method;
	bool		is_order_by;
	TimestampTz started;
	pg_atomic_uint32 phase_and_share;	/* phase * PER_MILLE * 2 + per mille */
	pg_atomic_uint64 keys;
	pg_atomic_uint64 rows_read; /* this and the next two are of an ORDER BY */
	pg_atomic_uint64 parts;
	pg_atomic_uint64 rows_returned;
} ProgressSlot;

/* What this backend knows of one of its slots. */
typedef struct ShownSort
{
	ShownSortId id;			/* 0 if the slot is free */
	SubTransactionId owner;		/* if this aborts, the sort is cleared */
} ShownSort;

static ProgressSlot *slots = NULL;	/* GPUSORT_SHOWN_SORTS for each backend */
static ShownSort shown[GPUSORT_SHOWN_SORTS];

PG_FUNCTION_INFO_V1(gpusort_jobs);

static int
slot_count(void)
{
	return MaxBackends * GPUSORT_SHOWN_SORTS;
}

Size
gpusort_progress_shmem_size(void)
{
	return mul_size(slot_count(), sizeof(ProgressSlot));
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
	for (int i = 0; i < slot_count(); i++)
	{
		SpinLockInit(&slots[i].lock);
		pg_atomic_init_u32(&slots[i].phase_and_share, 0);
		pg_atomic_init_u64(&slots[i].keys, 0);
		pg_atomic_init_u64(&slots[i].rows_read, 0);
		pg_atomic_init_u64(&slots[i].parts, 0);
		pg_atomic_init_u64(&slots[i].rows_returned, 0);
	}
}

/* The slot of a sort, or NULL if it is no longer shown. */
static ProgressSlot *
slot_of(ShownSortId id)
{
	int			place = id % GPUSORT_SHOWN_SORTS;

	return id != 0 && shown[place].id == id ? &slots[GPUSORT_MY_PROC_NUMBER * GPUSORT_SHOWN_SORTS + place] : NULL;
}

static void
clear_all(void)
{
	for (int i = 0; i < GPUSORT_SHOWN_SORTS; i++)
		gpusort_progress_end(shown[i].id);
}

static void
at_transaction_end(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT || event == XACT_EVENT_PARALLEL_ABORT)
		clear_all();
}

static void
at_subtransaction_end(SubXactEvent event, SubTransactionId self, SubTransactionId parent, void *arg)
{
	for (int i = 0; i < GPUSORT_SHOWN_SORTS; i++)
	{
		if (shown[i].id == 0 || shown[i].owner != self)
			continue;
		if (event == SUBXACT_EVENT_ABORT_SUB)
			gpusort_progress_end(shown[i].id);
		else if (event == SUBXACT_EVENT_COMMIT_SUB)
			shown[i].owner = parent;
	}
}

static void
at_exit(int code, Datum arg)
{
	clear_all();
}

ShownSortId
gpusort_progress_show(EngineId engine, SortUse use, GpusortMethod method, uint64_t keys)
{
	static bool registered = false;
	static ShownSortId last = 0;
	ProgressSlot *slot;
	TimestampTz now;
	int			place = 0;

	while (place < GPUSORT_SHOWN_SORTS && shown[place].id != 0)
		place++;
	if (slots == NULL || place == GPUSORT_SHOWN_SORTS)
		return 0;
	if (!registered)
	{
		RegisterXactCallback(at_transaction_end, NULL);
		RegisterSubXactCallback(at_subtransaction_end, NULL);
		before_shmem_exit(at_exit, (Datum) 0);
		registered = true;
	}
	last += GPUSORT_SHOWN_SORTS;
	shown[place].id = last + place;
	shown[place].owner = GetCurrentSubTransactionId();
	now = GetCurrentTimestamp();
	slot = slot_of(shown[place].id);
	pg_atomic_write_u32(&slot->phase_and_share, 0);
	pg_atomic_write_u64(&slot->keys, keys);
	pg_atomic_write_u64(&slot->rows_read, 0);
	pg_atomic_write_u64(&slot->parts, 0);
	pg_atomic_write_u64(&slot->rows_returned, 0);
	SpinLockAcquire(&slot->lock);
	slot->pid = MyProcPid;
	slot->engine = engine;
	slot->use = use;
	slot->method = method;
	slot->is_order_by = engine == ENGINE_NONE;
	slot->started = now;
	SpinLockRelease(&slot->lock);
	return shown[place].id;
}

void
gpusort_progress_update(ShownSortId id, SortPhase phase, uint64_t done, uint64_t total)
{
	ProgressSlot *slot = slot_of(id);
	double		share;

	if (slot == NULL)
		return;
	share = total > 0 ? done * (double) PER_MILLE / total : 0;
	pg_atomic_write_u32(&slot->phase_and_share, phase * PER_MILLE * 2 + (uint32) Min(share, PER_MILLE));
}

void
gpusort_progress_rows(ShownSortId id, const ProgressRows *rows)
{
	ProgressSlot *slot = slot_of(id);

	if (slot == NULL)
		return;
	pg_atomic_write_u64(&slot->keys, rows->expected);
	pg_atomic_write_u64(&slot->rows_read, rows->read);
	pg_atomic_write_u64(&slot->parts, rows->parts);
	pg_atomic_write_u64(&slot->rows_returned, rows->returned);
}

void
gpusort_progress_engine(ShownSortId id, EngineId engine, GpusortMethod method)
{
	ProgressSlot *slot = slot_of(id);

	if (slot == NULL)
		return;
	SpinLockAcquire(&slot->lock);
	slot->engine = engine;
	slot->method = method;
	SpinLockRelease(&slot->lock);
}

void
gpusort_progress_end(ShownSortId id)
{
	ProgressSlot *slot = slot_of(id);

	if (slot == NULL)
		return;
	SpinLockAcquire(&slot->lock);
	slot->pid = 0;
	SpinLockRelease(&slot->lock);
	shown[id % GPUSORT_SHOWN_SORTS].id = 0;
}

bool
gpusort_may_see_backend(int pid)
{
	PGPROC	   *proc;

	if (has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS))
		return true;
	proc = BackendPidGetProc(pid);
	return proc != NULL && OidIsValid(proc->roleId) && has_privs_of_role(GetUserId(), proc->roleId);
}

/*
 * Rows (pid, engine, used_for, method, keys, started_at, phase, done, rows_read, parts, rows_returned):
 * done is the share of the phase.
 */
Datum
gpusort_jobs(PG_FUNCTION_ARGS)
{
	static const char *const phases[SORT_PHASES] = {
		"reading", "sending", "sorting", "fetching", "writing", "returning"
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; slots != NULL && i < slot_count(); i++)
	{
		ProgressSlot copy;
		uint32		progress = pg_atomic_read_u32(&slots[i].phase_and_share);
		Datum		values[11];
		bool		nulls[11] = {0};

		SpinLockAcquire(&slots[i].lock);
		memcpy(&copy, &slots[i], sizeof(copy));
		SpinLockRelease(&slots[i].lock);
		if (copy.pid == 0 || !gpusort_may_see_backend(copy.pid))
			continue;
		values[0] = Int32GetDatum(copy.pid);
		values[1] = CStringGetTextDatum(gpusort_engine_name(copy.engine));
		nulls[1] = copy.engine == ENGINE_NONE;
		values[2] = CStringGetTextDatum(gpusort_use_name(copy.use));
		values[3] = CStringGetTextDatum(gpusort_method_name(copy.method));
		values[4] = Int64GetDatum(pg_atomic_read_u64(&slots[i].keys));
		values[5] = TimestampTzGetDatum(copy.started);
		values[6] = CStringGetTextDatum(phases[progress / (PER_MILLE * 2)]);
		values[7] = Float8GetDatum(progress % (PER_MILLE * 2) / (double) PER_MILLE);
		values[8] = Int64GetDatum(pg_atomic_read_u64(&slots[i].rows_read));
		values[9] = Int64GetDatum(pg_atomic_read_u64(&slots[i].parts));
		values[10] = Int64GetDatum(pg_atomic_read_u64(&slots[i].rows_returned));
		nulls[8] = nulls[9] = nulls[10] = !copy.is_order_by;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
