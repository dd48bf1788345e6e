/*
 * build.c
 *	  Builds a btree index: scans the table, sorts its rows, adds them to pages in order.
 *
 * Errors are PostgreSQL's.  Where one is to be raised after the scan (two live rows of one
 * key in a unique index, a row too large), the file is emptied and PostgreSQL builds the
 * index again, and raises it.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/tableam.h"
#include "catalog/catalog.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"

#include "compat.h"
#include "guc.h"
#include "index/index_build.h"
#include "index/index_pages.h"

/* Smaller tables are left to PostgreSQL. */
#define BUILD_MIN_BLOCKS 64

typedef struct IndexBuild
{
	Relation	index;
	TupleDesc	desc;			/* of the index */
	int			nkeys;
	bool		unique;
	bool		nulls_not_distinct;
	bool		equal_images;	/* keys are equal only if their bytes are */
	RowSort    *sort;
	IndexWorkers *workers;		/* NULL if the leader is alone */
	IndexPages *pages;
	MemoryContext scratch;
	IndexTuple	tuple;			/* memory for one */
	IndexTuple	last_live;		/* the same, valid if has_last, which it has only if unique */
	bool		has_last;
} IndexBuild;

/* Returns why the build is PostgreSQL's, whatever its keys are, or NULL. */
static const char *
why_not_taken(Relation heap, Relation index, const IndexInfo *info)
{
	if (!gpusort_enable_index_build)
		return "gpusort.enable_index_build is off";
	if (IsBootstrapProcessingMode() || IsSystemRelation(heap))
		return "it is of a system catalog or a TOAST table";
	if (heap->rd_tableam != GetHeapamTableAmRoutine())
		return "the table is not a heap";
	if (info->ii_ExclusionOps != NULL)
		return "it is of an exclusion constraint";
	if (RelationGetNumberOfBlocks(index) != 0)
		return "it is not empty";
	if (!gpusort_force_nodes && RelationGetNumberOfBlocks(heap) < BUILD_MIN_BLOCKS)
		return "the table is small";
	return NULL;
}

/* Makes build->tuple of a row, as index_form_tuple does of values that fit.  Returns false if it is too large for an index. */
static bool
form_tuple(IndexBuild *build, Datum *values, bool *nulls)
{
	int			natts = build->desc->natts;
	int64		place = DatumGetInt64(values[natts]) >> 1;
	unsigned short info = 0;
	uint16		mask = 0;
	Size		offset;
	Size		data;
	Size		size;

	for (int i = 0; i < natts; i++)
	{
		if (nulls[i])
			info = INDEX_NULL_MASK;
	}
	offset = IndexInfoFindDataOffset(info);
	data = heap_compute_data_size(build->desc, values, nulls);
	size = MAXALIGN(offset + data);
	if (size > GPUSORT_BT_MAX_ITEM_SIZE)
		return false;
	memset(build->tuple, 0, size);
	heap_fill_tuple(build->desc, values, nulls, (char *) build->tuple + offset, data, &mask,
					info != 0 ? (uint8 *) build->tuple + sizeof(IndexTupleData) : NULL);
	Assert((mask & HEAP_HASEXTERNAL) == 0);
	build->tuple->t_info = size | info | ((mask & HEAP_HASVARWIDTH) ? INDEX_VAR_MASK : 0);
	ItemPointerSet(&build->tuple->t_tid, place >> 16, place & 0xffff);
	return true;
}

/* Compares the key of the tuple with that of the last live one. */
static int
compare_with_last(const IndexBuild *build)
{
	for (int i = 0; i < build->nkeys; i++)
	{
		bool		last_null;
		bool		is_null;
		Datum		last = index_getattr(build->last_live, i + 1, build->desc, &last_null);
		Datum		value = index_getattr(build->tuple, i + 1, build->desc, &is_null);
		int			order = ApplySortComparator(value, is_null, last, last_null, &build->sort->keys->keys[i].compare);

		if (order != 0)
			return order;
	}
	return 0;
}

/* True if the tuple's key is that of the last live one, and they may not both be in a unique index. */
static bool
is_duplicate(const IndexBuild *build, const bool *nulls)
{
	for (int i = 0; i < build->nkeys && !build->nulls_not_distinct; i++)
	{
		if (nulls[i])
			return false;
	}
	if (build->equal_images)
		return _bt_keep_natts_fast(build->index, build->last_live, build->tuple) > build->nkeys;
	return compare_with_last(build) == 0;
}

#ifdef USE_ASSERT_CHECKING
/* True if the tuple may follow the last live one. */
static bool
is_in_order(const IndexBuild *build)
{
	int			order = build->has_last ? compare_with_last(build) : 1;

	return order > 0 || (order == 0 && ItemPointerCompare(&build->tuple->t_tid, &build->last_live->t_tid) > 0);
}
#endif

/* Adds the next row to the pages.  Returns false if that is an error. */
static bool
load_row(IndexBuild *build, Datum *values, bool *nulls)
{
	bool		is_alive = DatumGetInt64(values[build->desc->natts]) & 1;
	IndexTuple	tuple;

	if (!form_tuple(build, values, nulls) || (is_alive && build->has_last && is_duplicate(build, nulls)))
		return false;
	Assert(is_in_order(build));
	tuple = build->tuple;
	build->tuple = gpusort_index_pages_add(build->pages, tuple);
	if (build->unique && is_alive)
	{
		build->tuple = build->last_live;
		build->last_live = tuple;
		build->has_last = true;
	}
	return true;
}

/* Adds the rows that the sort has to the pages.  Returns false if there is an error in them. */
static bool
load_sorted(IndexBuild *build, uint64 *done)
{
	RowSort    *sort = build->sort;
	int			natts = build->desc->natts + 1;

	for (uint64 row = 0; row < sort->nrows;)
	{
		RowBatch   *batch;
		MemoryContext caller;

		CHECK_FOR_INTERRUPTS();
		batch = gpusort_rows_sort_read(sort, row);
		caller = MemoryContextSwitchTo(build->scratch);
		for (int i = row - batch->first; i < batch->nrows; i++)
		{
			if (!load_row(build, batch->values + i * natts, batch->nulls + i * natts))
			{
				MemoryContextSwitchTo(caller);
				return false;
			}
		}
		MemoryContextSwitchTo(caller);
		MemoryContextReset(build->scratch);
		*done += batch->first + batch->nrows - row;
		row = batch->first + batch->nrows;
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, *done);
	}
	return true;
}

/* Adds all rows to the pages.  Returns false if there is an error in them. */
static bool
load(IndexBuild *build)
{
	uint64		done = 0;

	if (build->workers == NULL)
		return load_sorted(build, &done);
	while (gpusort_index_workers_next(build->workers))
	{
		if (!load_sorted(build, &done))
			return false;
	}
	return true;
}

/* Shows how many rows were read. */
static void
show_scanned(uint64 rows)
{
	const int	params[] = {PROGRESS_CREATEIDX_TUPLES_TOTAL, PROGRESS_SCAN_BLOCKS_TOTAL, PROGRESS_SCAN_BLOCKS_DONE};
	const int64 values[] = {rows, 0, 0};

	pgstat_progress_update_multi_param(lengthof(params), params, values);
}

/* Scans the table into a sort, and sorts. */
static void
sort_alone(Relation heap, IndexBuild *build, IndexInfo *info, const Sort *keys, IndexBuildResult *result)
{
	RowSort    *sort = gpusort_index_begin_sort(build->index, keys, gpusort_index_expected_rows(heap, info),
												maintenance_work_mem * (Size) 1024);

	build->sort = sort;
	result->heap_tuples = gpusort_index_scan(heap, build->index, info, sort, NULL);
	result->index_tuples = sort->nrows + sort->store->nrows;
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PROGRESS_BTREE_PHASE_PERFORMSORT_1);
	gpusort_rows_sort_finish(sort);
}

/* Builds the index.  Returns false, with its file empty, if there is an error in its rows. */
static bool
build_by_sort(Relation heap, Relation index, IndexInfo *info, const Sort *keys, IndexBuildResult *result)
{
	IndexBuild	build = {
		.index = index,
		.desc = RelationGetDescr(index),
		.nkeys = IndexRelationGetNumberOfKeyAttributes(index),
		.unique = info->ii_Unique,
		.nulls_not_distinct = info->ii_NullsNotDistinct,
		.equal_images = _bt_allequalimage(index, false),
		.workers = gpusort_index_workers_start(heap, index, info),
		.scratch = AllocSetContextCreate(CurrentMemoryContext, "gpusort index build", ALLOCSET_DEFAULT_SIZES),
		.tuple = palloc(BLCKSZ),
		.last_live = palloc(BLCKSZ)
	};
	bool		good;

	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PROGRESS_BTREE_PHASE_INDEXBUILD_TABLESCAN);
	if (build.workers != NULL)
		build.sort = gpusort_index_workers_scan(build.workers, heap, index, info, keys, result);
	else
		sort_alone(heap, &build, info, keys, result);
	show_scanned(result->index_tuples);
	build.pages = gpusort_index_pages_begin(index);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PROGRESS_BTREE_PHASE_LEAF_LOAD);
	good = load(&build);
	if (build.workers != NULL)
		gpusort_index_workers_end(build.workers);
	if (good)
	{
		gpusort_index_pages_finish(build.pages);
		ereport(DEBUG1,
				(errmsg_internal("gpusort built index \"%s\" of %.0f rows, with " UINT64_FORMAT " kB in temporary files",
								 RelationGetRelationName(index), result->index_tuples,
								 (uint64) build.sort->stats.disk_bytes / 1024)));
	}
	else
		gpusort_index_pages_abandon(build.pages);
	gpusort_rows_sort_free(build.sort);
	return good;
}

/* Says what becomes of the build. */
static void
tell(Relation index, const char *why_not)
{
	const char *name = RelationGetRelationName(index);
	int			level = gpusort_explain_choices && !IsSystemRelation(index) ? NOTICE : DEBUG1;

	if (why_not == NULL)
		ereport(level, (errmsg("gpusort: build of index \"%s\" taken", name)));
	else
		ereport(level, (errmsg("gpusort: build of index \"%s\" kept: %s", name, why_not)));
}

/* Builds the index unless PostgreSQL is to do it, for a reason that is told.  Returns false then. */
static bool
build_index(Relation heap, Relation index, IndexInfo *info, IndexBuildResult *result)
{
	const char *why_not = why_not_taken(heap, index, info);
	const Sort *keys = why_not == NULL ? gpusort_index_keys(index, info, &why_not) : NULL;

	tell(index, keys == NULL ? why_not : NULL);
	return keys != NULL && build_by_sort(heap, index, info, keys, result);
}

IndexBuildResult *
gpusort_index_build(Relation heap, Relation index, IndexInfo *info)
{
	IndexBuildResult *result = palloc0(sizeof(IndexBuildResult));
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpusort index build", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	bool		built = build_index(heap, index, info, result);

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return built ? result : btbuild(heap, index, info);
}
