/*
 * build.c
 *	  Builds a btree index: scans the table, sorts its rows, adds them to pages in order.
 *
 * The server's own scan finds the rows, evaluates expressions and tells which rows are dead
 * to others.  The sort holds for each row what its index tuple holds, detoasted
 * and compressed as there, and a TID.  The last bit of the TID tells whether the row is alive.
 *
 * Errors are PostgreSQL's.  Where one is to be raised after the scan (two live rows of one
 * key in a unique index, a row too large), the file is emptied and PostgreSQL builds the
 * index again, and raises it.
 */
#include "postgres.h"

#include "access/heaptoast.h"
#include "access/nbtree.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "catalog/catalog.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/plancat.h"
#include "utils/backend_progress.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "guc.h"
#include "index/index_build.h"
#include "index/index_pages.h"
#include "keys/key_lists.h"
#include "rows/row_sort.h"

/* Smaller tables are left to PostgreSQL. */
#define BUILD_MIN_BLOCKS 64

typedef struct IndexBuild
{
	Relation	index;
	TupleDesc	desc;			/* of the index */
	int			nkeys;
	bool		fit_all;		/* rows of short values may be too large */
	int			nvarlena;
	int			varlena[INDEX_MAX_KEYS];	/* attributes whose values may have to be detoasted or compressed */
	bool		unique;
	bool		nulls_not_distinct;
	bool		equal_images;	/* keys are equal only if their bytes are */
	RowSort    *sort;
	IndexPages *pages;
	MemoryContext scratch;
	IndexTuple	tuple;			/* memory for one */
	IndexTuple	last_live;		/* the same, valid if has_last, which it has only if unique */
	bool		has_last;
	Size		max_tuple;
} IndexBuild;

/* The operator that orders a key of the index, or InvalidOid if it is not one that the server was made with. */
static Oid
key_operator(Relation index, int key)
{
	Oid			family = index->rd_opfamily[key];
	Oid			type = index->rd_opcintype[key];
	bool		descending = (index->rd_indoption[key] & INDOPTION_DESC) != 0;
	Oid			operator = get_opfamily_member(family, type, type, descending ? BTGreaterStrategyNumber : BTLessStrategyNumber);
	Oid			found_family;
	Oid			found_type;
	GPUSORT_ORDERING_STRATEGY strategy;

	if (family >= FirstNormalObjectId || !OidIsValid(operator) || operator >= FirstNormalObjectId ||
		!get_ordering_op_properties(operator, &found_family, &found_type, &strategy) || found_family != family)
		return InvalidOid;
	return operator;
}

/* The sort's rows: the attributes of the index, then the TID. */
static TupleDesc
row_descriptor(TupleDesc index)
{
	TupleDesc	desc = CreateTemplateTupleDesc(index->natts + 1);

	for (int i = 0; i < index->natts; i++)
		TupleDescInitEntry(desc, i + 1, NULL, getBaseType(TupleDescAttr(index, i)->atttypid), -1, 0);
	TupleDescInitEntry(desc, index->natts + 1, NULL, INT8OID, -1, 0);
	TupleDescFinalize(desc);
	return desc;
}

/* True if the values of the sort's rows are laid out as those of the index are. */
static bool
same_layout(TupleDesc index, TupleDesc row)
{
	for (int i = 0; i < index->natts; i++)
	{
		Form_pg_attribute a = TupleDescAttr(index, i);
		Form_pg_attribute b = TupleDescAttr(row, i);

		if (a->attlen != b->attlen || a->attbyval != b->attbyval || a->attalign != b->attalign || a->attlen < -1)
			return false;
	}
	return true;
}

/* Estimates the number of rows.  They come as they come if there is a predicate. */
static double
expected_rows(Relation heap, const IndexInfo *info)
{
	BlockNumber blocks;
	double		rows;
	double		visible;

	if (info->ii_Predicate != NIL)
		return 0;
	estimate_rel_size(heap, NULL, &blocks, &rows, &visible);
	return rows;
}

/* Estimates the bytes of a row. */
static int
expected_width(TupleDesc row)
{
	int			width = 0;

	for (int i = 0; i < row->natts; i++)
		width += get_typavgwidth(TupleDescAttr(row, i)->atttypid, -1);
	return width;
}

/* Starts a sort in the order of the index, or returns NULL and says why PostgreSQL is to build it. */
static RowSort *
begin_sort(Relation heap, Relation index, const IndexInfo *info, const char **why_not)
{
	int			nkeys = IndexRelationGetNumberOfKeyAttributes(index);
	TupleDesc	row = row_descriptor(RelationGetDescr(index));
	List	   *tlist = NIL;
	AttrNumber	columns[INDEX_MAX_KEYS + 1];
	Oid			operators[INDEX_MAX_KEYS + 1];
	Oid			collations[INDEX_MAX_KEYS + 1];
	bool		nulls_first[INDEX_MAX_KEYS + 1];
	RowSort    *sort;

	*why_not = "PostgreSQL's comparators alone can order it";
	if (!same_layout(RelationGetDescr(index), row))
		return NULL;
	for (int i = 0; i < row->natts; i++)
	{
		Var		   *column = makeVar(OUTER_VAR, i + 1, TupleDescAttr(row, i)->atttypid, -1, InvalidOid, 0);

		tlist = lappend(tlist, makeTargetEntry((Expr *) column, i + 1, NULL, false));
	}
	for (int key = 0; key < nkeys; key++)
	{
		RowKey		kind = {0};

		columns[key] = key + 1;
		operators[key] = key_operator(index, key);
		collations[key] = index->rd_indcollation[key];
		nulls_first[key] = (index->rd_indoption[key] & INDOPTION_NULLS_FIRST) != 0;
		if (!OidIsValid(operators[key]) ||
			gpusort_rows_key_kind(&kind, operators[key], collations[key], TupleDescAttr(row, key)->atttypid) == KEY_IS_COMPARED)
			return NULL;
		/* Only a lock on the table keeps labels out that are made from now on. */
		if (kind.is_enum && info->ii_Concurrent)
		{
			*why_not = "an enum may get labels while the index is built";
			return NULL;
		}
		if (key == 0 && !gpusort_force_nodes && !gpusort_index_beats_workers(heap, index, info, &kind))
		{
			*why_not = "PostgreSQL's build by parallel workers is expected to be faster";
			return NULL;
		}
	}
	columns[nkeys] = row->natts;
	operators[nkeys] = Int8LessOperator;
	collations[nkeys] = InvalidOid;
	nulls_first[nkeys] = false;
	sort = gpusort_rows_sort_begin(row, tlist, NIL, gpusort_key_lists(nkeys + 1, columns, operators, collations, nulls_first),
								   expected_rows(heap, info), expected_width(row), (RowBoundSpec) {0}, false, false,
								   maintenance_work_mem * (Size) 1024);
	return sort;
}

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

/* Lists the attributes that may have to be detoasted or compressed. */
static void
list_varlena(IndexBuild *build)
{
	Size		bytes = 0;

	for (int i = 0; i < build->desc->natts; i++)
	{
		int16		length = TupleDescAttr(build->desc, i)->attlen;

		if (length == -1)
			build->varlena[build->nvarlena++] = i;
		bytes += (length == -1 ? TOAST_INDEX_TARGET : length) + MAXIMUM_ALIGNOF;
	}
	build->fit_all = bytes > INDEX_SIZE_MASK / 2;
}

/* True if index_form_tuple would change the row's values, or perhaps refuse the row. */
static bool
needs_fit(const IndexBuild *build, const Datum *values, const bool *nulls)
{
	if (build->fit_all)
		return true;
	for (int i = 0; i < build->nvarlena; i++)
	{
		int			attribute = build->varlena[i];

		if (!nulls[attribute] && (VARATT_IS_EXTERNAL(DatumGetPointer(values[attribute])) ||
								  VARSIZE_ANY(DatumGetPointer(values[attribute])) > TOAST_INDEX_TARGET))
			return true;
	}
	return false;
}

/* Appends a row to the sort. */
static void
collect(Relation index, ItemPointer tid, Datum *values, bool *nulls, bool is_alive, void *state)
{
	IndexBuild *build = state;
	int			natts = build->desc->natts;
	Datum		row_values[INDEX_MAX_KEYS + 1];
	bool		row_nulls[INDEX_MAX_KEYS + 1];
	bool		fit = needs_fit(build, values, nulls);
	uint64		place = (uint64) ItemPointerGetBlockNumber(tid) << 16 | ItemPointerGetOffsetNumber(tid);

	if (fit)
	{
		MemoryContext caller = MemoryContextSwitchTo(build->scratch);

		index_deform_tuple(index_form_tuple(build->desc, values, nulls), build->desc, row_values, row_nulls);
		MemoryContextSwitchTo(caller);
	}
	else
	{
		memcpy(row_values, values, natts * sizeof(Datum));
		memcpy(row_nulls, nulls, natts * sizeof(bool));
	}
	row_values[natts] = Int64GetDatum(place << 1 | (is_alive ? 1 : 0));
	row_nulls[natts] = false;
	gpusort_rows_sort_reserve(build->sort, 1);
	gpusort_rows_store_append(build->sort->store, row_values, row_nulls);
	if (fit)
		MemoryContextReset(build->scratch);
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
	if (size > build->max_tuple)
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

/* Adds all rows to the pages.  Returns false if there is an error in them. */
static bool
load(IndexBuild *build)
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
		row = batch->first + batch->nrows;
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, row);
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

/* Sorts the rows and writes the index.  Returns false, with the file empty, if there is an error in them. */
static bool
write_index(IndexBuild *build)
{
	bool		good;

	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PROGRESS_BTREE_PHASE_PERFORMSORT_1);
	gpusort_rows_sort_finish(build->sort);
	build->pages = gpusort_index_pages_begin(build->index);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PROGRESS_BTREE_PHASE_LEAF_LOAD);
	good = load(build);
	if (good)
		gpusort_index_pages_finish(build->pages);
	else
		gpusort_index_pages_abandon(build->pages);
	return good;
}

/* Builds the index by a sort that has begun.  Returns NULL if there is an error in its rows. */
static IndexBuildResult *
build_by_sort(Relation heap, Relation index, IndexInfo *info, RowSort *sort)
{
	IndexBuild	build = {
		.index = index,
		.desc = RelationGetDescr(index),
		.nkeys = IndexRelationGetNumberOfKeyAttributes(index),
		.unique = info->ii_Unique,
		.nulls_not_distinct = info->ii_NullsNotDistinct,
		.equal_images = _bt_allequalimage(index, false),
		.sort = sort,
		.scratch = AllocSetContextCreate(CurrentMemoryContext, "gpusort index build", ALLOCSET_DEFAULT_SIZES),
		.tuple = palloc(BLCKSZ),
		.last_live = palloc(BLCKSZ),
		.max_tuple = gpusort_index_pages_max_tuple()
	};
	IndexBuildResult *result = palloc0(sizeof(IndexBuildResult));

	list_varlena(&build);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, PROGRESS_BTREE_PHASE_INDEXBUILD_TABLESCAN);
	result->heap_tuples = table_index_build_scan(heap, index, info, true, true, collect, &build, NULL);
	result->index_tuples = sort->nrows + sort->store->nrows;
	show_scanned(result->index_tuples);
	if (!write_index(&build))
		result = NULL;
	else
		ereport(DEBUG1,
				(errmsg_internal("gpusort built index \"%s\" of %.0f rows, with " UINT64_FORMAT " kB in temporary files",
								 RelationGetRelationName(index), result->index_tuples, (uint64) sort->stats.disk_bytes / 1024)));
	MemoryContextDelete(build.scratch);
	return result;
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
	RowSort    *sort = why_not == NULL ? begin_sort(heap, index, info, &why_not) : NULL;
	IndexBuildResult *built;

	tell(index, sort == NULL ? why_not : NULL);
	if (sort == NULL)
		return false;
	built = build_by_sort(heap, index, info, sort);
	if (built != NULL)
		*result = *built;
	gpusort_rows_sort_free(sort);
	return built != NULL;
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
