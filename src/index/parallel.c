/*
 * parallel.c
 *	  Has parallel workers scan the table and sort the rows together with the leader.
 *
 * The rows are sorted as those of a parallel query are (rows/shared_sort.h).  There are as many workers
 * as PostgreSQL's own build would have, and maintenance_work_mem is for all processes together.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "access/parallel.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/spin.h"
#include "tcop/tcopprot.h"
#include "utils/backend_progress.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "guc.h"
#include "index/index_build.h"
#include "rows/shared_sort.h"

/* Of its memory a participant needs this for rows that it sorts, and for parts that wait for the leader. */
#define SORTING_MEMORY ((Size) 32 * 1024 * 1024)

/* Fewer rows of a table of fewer blocks are in order before workers have started and shared theirs. */
#define WORKERS_MIN_ROWS 100000
#define WORKERS_MIN_BLOCKS 8192

/* What lies in the memory that the processes share. */
typedef enum SharedKey
{
	SHARED_BUILD = 1,			/* SharedBuild */
	SHARED_SCAN,				/* ParallelTableScanDescData */
	SHARED_SORT,				/* SharedSortState */
	SHARED_BUFFERS,				/* BufferUsage of each worker */
	SHARED_WAL,					/* WalUsage of each worker */
	SHARED_QUERY				/* its text */
} SharedKey;

typedef struct SharedBuild
{
	Oid			heap;
	Oid			index;
	bool		concurrent;
	double		rows;			/* that one process is expected to sort */
	Size		memory_limit;	/* of such a sort */

	/* Sums over all processes that have scanned. */
	slock_t		mutex;
	double		heap_tuples;
	double		index_tuples;
	uint64		disk_bytes;
	bool		broken_hot_chain;
} SharedBuild;

/* A process that takes part. */
typedef struct Participant
{
	SharedBuild *build;
	SharedSortState *sort_state;
	ParallelTableScanDesc scan;
	dsa_area  **areas;
	RowSort    *sort;
	SharedSort *part;			/* of the sort that all share */
} Participant;

struct IndexWorkers
{
	ParallelContext *context;
	Snapshot	snapshot;
	Participant leader;
};

extern PGDLLEXPORT void gpusort_index_worker_main(dsm_segment *segment, shm_toc *toc);

/* Scans a share of the table, and waits for the others that scan. */
static void
take_part(Participant *self, Relation heap, Relation index, IndexInfo *info, const Sort *keys)
{
	SharedBuild *build = self->build;
	double		tuples;

	self->sort = gpusort_index_begin_sort(index, keys, build->rows, build->memory_limit);
	self->part = gpusort_shared_sort_join(self->sort_state, self->areas, self->sort, ParallelWorkerNumber + 1, 0);
	if (!gpusort_shared_sort_collects(self->part))
		return;
	tuples = gpusort_index_scan(heap, index, info, self->sort, gpusort_compat_table_beginscan_parallel(heap, self->scan));
	if (!IsParallelWorker())
		pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PROGRESS_BTREE_PHASE_PERFORMSORT_1);
	gpusort_rows_sort_share(self->sort);
	SpinLockAcquire(&build->mutex);
	build->heap_tuples += tuples;
	build->index_tuples += self->sort->nrows;
	build->disk_bytes += self->sort->stats.disk_bytes;
	build->broken_hot_chain |= info->ii_BrokenHotChain;
	SpinLockRelease(&build->mutex);
	gpusort_shared_sort_collected(self->part);
}

static void
leave(Participant *self)
{
	gpusort_shared_sort_leave(self->part);
	gpusort_shared_sort_detach(self->sort_state, self->areas);
}

/* Opens the table and its index with the locks that the leader has. */
static void
work(Participant *self)
{
	SharedBuild *build = self->build;
	LOCKMODE	heap_lock = build->concurrent ? ShareUpdateExclusiveLock : ShareLock;
	LOCKMODE	index_lock = build->concurrent ? RowExclusiveLock : AccessExclusiveLock;
	Relation	heap = table_open(build->heap, heap_lock);
	Relation	index = index_open(build->index, index_lock);
	IndexInfo  *info = BuildIndexInfo(index);
	const char *why_not;
	const Sort *keys;

	info->ii_Concurrent = build->concurrent;
	keys = gpusort_index_keys(index, info, &why_not);
	if (keys == NULL)
		elog(ERROR, "gpusort: a worker cannot build index \"%s\": %s", RelationGetRelationName(index), why_not);
	take_part(self, heap, index, info, keys);
	gpusort_shared_sort_help(self->part);
	leave(self);
	gpusort_rows_sort_free(self->sort);
	index_close(index, index_lock);
	table_close(heap, heap_lock);
}

/* The main function of a worker. */
void
gpusort_index_worker_main(dsm_segment *segment, shm_toc *toc)
{
	BufferUsage *buffers = shm_toc_lookup(toc, SHARED_BUFFERS, false);
	WalUsage   *wal = shm_toc_lookup(toc, SHARED_WAL, false);
	Participant self = {
		.build = shm_toc_lookup(toc, SHARED_BUILD, false),
		.sort_state = shm_toc_lookup(toc, SHARED_SORT, false),
		.scan = shm_toc_lookup(toc, SHARED_SCAN, false)
	};

	debug_query_string = shm_toc_lookup(toc, SHARED_QUERY, true);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	self.areas = gpusort_shared_sort_attach(self.sort_state);
	InstrStartParallelQuery();
	work(&self);
	InstrEndParallelQuery(&buffers[ParallelWorkerNumber], &wal[ParallelWorkerNumber]);
}

static void
estimate(ParallelContext *context, Size size)
{
	shm_toc_estimate_chunk(&context->estimator, size);
	shm_toc_estimate_keys(&context->estimator, 1);
}

static void *
allocate(ParallelContext *context, SharedKey key, Size size)
{
	void	   *memory = shm_toc_allocate(context->toc, size);

	shm_toc_insert(context->toc, key, memory);
	return memory;
}

/* Leaves parallel mode, when the workers have ended. */
static void
end_context(IndexWorkers *workers)
{
	if (IsMVCCSnapshot(workers->snapshot))
		UnregisterSnapshot(workers->snapshot);
	DestroyParallelContext(workers->context);
	ExitParallelMode();
}

/* Creates the memory that all processes share.  Returns false if there is none. */
static bool
create_shared(IndexWorkers *workers, Relation heap)
{
	ParallelContext *context = workers->context;
	Size		buffers_size = mul_size(sizeof(BufferUsage), context->nworkers);
	Size		wal_size = mul_size(sizeof(WalUsage), context->nworkers);
	Size		scan_size = table_parallelscan_estimate(heap, workers->snapshot);
	Size		sort_size = gpusort_shared_sort_size(context->nworkers + 1);
	Size		query_size = debug_query_string ? strlen(debug_query_string) + 1 : 0;
	Participant *leader = &workers->leader;

	estimate(context, sizeof(SharedBuild));
	estimate(context, scan_size);
	estimate(context, sort_size);
	estimate(context, buffers_size);
	estimate(context, wal_size);
	estimate(context, query_size);
	InitializeParallelDSM(context);
	if (context->seg == NULL)
		return false;
	leader->build = allocate(context, SHARED_BUILD, sizeof(SharedBuild));
	leader->scan = allocate(context, SHARED_SCAN, scan_size);
	leader->sort_state = allocate(context, SHARED_SORT, sort_size);
	allocate(context, SHARED_BUFFERS, buffers_size);
	allocate(context, SHARED_WAL, wal_size);
	if (query_size > 0)
		memcpy(allocate(context, SHARED_QUERY, query_size), debug_query_string, query_size);
	return true;
}

/* Memory that is left for the runs of each participant. */
static Size
memory_for_runs(int participants)
{
	Size		memory = maintenance_work_mem * (Size) 1024 / participants;

	return Max(memory / 3, memory - Min(memory, SORTING_MEMORY));
}

/* Fills the memory that all processes share.  Returns false if there is none for rows. */
static bool
init_shared(IndexWorkers *workers, Relation heap, Relation index, const IndexInfo *info)
{
	Participant *leader = &workers->leader;
	SharedBuild *build = leader->build;
	int			participants = workers->context->nworkers + 1;

	table_parallelscan_initialize(heap, leader->scan, workers->snapshot);
	leader->areas = gpusort_shared_sort_init(leader->sort_state, workers->context->seg, participants,
											 memory_for_runs(participants));
	if (leader->areas == NULL)
		return false;
	memset(build, 0, sizeof(SharedBuild));
	build->heap = RelationGetRelid(heap);
	build->index = RelationGetRelid(index);
	build->concurrent = info->ii_Concurrent;
	build->rows = gpusort_index_expected_rows(heap, info) / participants;
	build->memory_limit = gpusort_shared_sort_local_bytes(leader->sort_state, build->rows * gpusort_index_row_width(index));
	SpinLockInit(&build->mutex);
	return true;
}

/* True if workers save more time than it takes to start them.  Expressions may cost as much as they like. */
static bool
workers_pay(Relation heap, const IndexInfo *info)
{
	return gpusort_force_nodes || info->ii_Expressions != NIL || info->ii_Predicate != NIL ||
		RelationGetNumberOfBlocks(heap) >= WORKERS_MIN_BLOCKS || gpusort_index_expected_rows(heap, info) >= WORKERS_MIN_ROWS;
}

IndexWorkers *
gpusort_index_workers_start(Relation heap, Relation index, const IndexInfo *info)
{
	IndexWorkers *workers;

	if (info->ii_ParallelWorkers == 0 || !workers_pay(heap, info))
		return NULL;
	workers = palloc0(sizeof(IndexWorkers));
	EnterParallelMode();
	workers->context = CreateParallelContext("gpusort", "gpusort_index_worker_main", info->ii_ParallelWorkers);
	workers->snapshot = info->ii_Concurrent ? RegisterSnapshot(GetTransactionSnapshot()) : SnapshotAny;
	if (!create_shared(workers, heap) || !init_shared(workers, heap, index, info))
	{
		end_context(workers);
		return NULL;
	}
	LaunchParallelWorkers(workers->context);
	if (workers->context->nworkers_launched == 0)
	{
		gpusort_shared_sort_detach(workers->leader.sort_state, workers->leader.areas);
		end_context(workers);
		return NULL;
	}
	return workers;
}

RowSort *
gpusort_index_workers_scan(IndexWorkers *workers, Relation heap, Relation index, IndexInfo *info, const Sort *keys,
						   IndexBuildResult *result)
{
	Participant *leader = &workers->leader;

	take_part(leader, heap, index, info, keys);
	/* Others scanned as well, or instead.  All of them are counted before anyone goes on. */
	info->ii_BrokenHotChain |= leader->build->broken_hot_chain;
	result->heap_tuples = leader->build->heap_tuples;
	result->index_tuples = leader->build->index_tuples;
	leader->sort->stats.disk_bytes = leader->build->disk_bytes;
	return leader->sort;
}

bool
gpusort_index_workers_next(IndexWorkers *workers)
{
	return gpusort_shared_sort_next(workers->leader.part);
}

void
gpusort_index_workers_end(IndexWorkers *workers)
{
	ParallelContext *context = workers->context;
	BufferUsage *buffers = shm_toc_lookup(context->toc, SHARED_BUFFERS, false);
	WalUsage   *wal = shm_toc_lookup(context->toc, SHARED_WAL, false);

	gpusort_shared_sort_stop(workers->leader.sort_state);
	WaitForParallelWorkersToFinish(context);
	for (int i = 0; i < context->nworkers_launched; i++)
		InstrAccumParallelQuery(&buffers[i], &wal[i]);
	leave(&workers->leader);
	end_context(workers);
}
