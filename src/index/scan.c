/*
 * scan.c
 *	  Scans the table of an index into a sort in the index's order.
 *
 * The server's own scan finds the rows, evaluates expressions and tells which rows are dead
 * to others.  The sort holds for each row what its index tuple holds, detoasted
 * and compressed as there, and a TID.  The last bit of the TID tells whether the row is alive.
 */
#include "postgres.h"

#include "access/heaptoast.h"
#include "access/parallel.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "optimizer/plancat.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "index/index_build.h"
#include "keys/sort_keys.h"

typedef struct TableScan
{
	TupleDesc	desc;			/* of the index */
	bool		fit_all;		/* rows of short values may be too large */
	int			nvarlena;
	int			varlena[INDEX_MAX_KEYS];	/* attributes whose values may have to be detoasted or compressed */
	RowSort    *sort;
	MemoryContext scratch;
} TableScan;

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
double
gpusort_index_expected_rows(Relation heap, const IndexInfo *info)
{
	BlockNumber blocks;
	double		rows;
	double		visible;

	if (info->ii_Predicate != NIL)
		return 0;
	estimate_rel_size(heap, NULL, &blocks, &rows, &visible);
	return rows;
}

int
gpusort_index_row_width(Relation index)
{
	TupleDesc	row = row_descriptor(RelationGetDescr(index));
	int			width = 0;

	for (int i = 0; i < row->natts; i++)
		width += get_typavgwidth(TupleDescAttr(row, i)->atttypid, -1);
	return width;
}

Sort *
gpusort_index_keys(Relation index, const IndexInfo *info, const char **why_not)
{
	int			nkeys = IndexRelationGetNumberOfKeyAttributes(index);
	TupleDesc	row = row_descriptor(RelationGetDescr(index));
	Sort	   *keys = makeNode(Sort);

	*why_not = "gpusort has no faster way to compare its keys";
	if (!same_layout(RelationGetDescr(index), row))
		return NULL;
	for (int key = 0; key < nkeys; key++)
	{
		RowKey		kind = {0};
		Oid			operator = key_operator(index, key);
		Oid			collation = index->rd_indcollation[key];

		gpusort_add_sort_key(keys, key + 1, operator, collation, (index->rd_indoption[key] & INDOPTION_NULLS_FIRST) != 0);
		if (!OidIsValid(operator) ||
			gpusort_rows_key_kind(&kind, operator, collation, TupleDescAttr(row, key)->atttypid) == KEY_IS_COMPARED)
			return NULL;
		/* Only a lock on the table keeps labels out that are made from now on. */
		if (kind.is_enum && info->ii_Concurrent)
		{
			*why_not = "an enum may get labels while the index is built";
			return NULL;
		}
	}
	gpusort_add_sort_key(keys, row->natts, Int8LessOperator, InvalidOid, false);
	return keys;
}

RowSort *
gpusort_index_begin_sort(Relation index, const Sort *keys, double rows, Size memory_limit)
{
	return gpusort_rows_sort_begin(row_descriptor(RelationGetDescr(index)), NIL, NIL, keys, rows, gpusort_index_row_width(index),
								   (RowBoundSpec) {0}, false, false, memory_limit);
}

/* Lists the attributes that may have to be detoasted or compressed. */
static void
list_varlena(TableScan *scan)
{
	Size		bytes = 0;

	for (int i = 0; i < scan->desc->natts; i++)
	{
		int16		length = TupleDescAttr(scan->desc, i)->attlen;

		if (length == -1)
			scan->varlena[scan->nvarlena++] = i;
		bytes += (length == -1 ? TOAST_INDEX_TARGET : length) + MAXIMUM_ALIGNOF;
	}
	scan->fit_all = bytes > INDEX_SIZE_MASK / 2;
}

/* True if index_form_tuple would change the row's values, or perhaps refuse the row. */
static bool
needs_fit(const TableScan *scan, const Datum *values, const bool *nulls)
{
	if (scan->fit_all)
		return true;
	for (int i = 0; i < scan->nvarlena; i++)
	{
		int			attribute = scan->varlena[i];

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
	TableScan  *scan = state;
	int			natts = scan->desc->natts;
	Datum		row_values[INDEX_MAX_KEYS + 1];
	bool		row_nulls[INDEX_MAX_KEYS + 1];
	bool		fit = needs_fit(scan, values, nulls);
	uint64		place = (uint64) ItemPointerGetBlockNumber(tid) << 16 | ItemPointerGetOffsetNumber(tid);

	if (fit)
	{
		MemoryContext caller = MemoryContextSwitchTo(scan->scratch);

		index_deform_tuple(index_form_tuple(scan->desc, values, nulls), scan->desc, row_values, row_nulls);
		MemoryContextSwitchTo(caller);
	}
	else
	{
		memcpy(row_values, values, natts * sizeof(Datum));
		memcpy(row_nulls, nulls, natts * sizeof(bool));
	}
	row_values[natts] = Int64GetDatum(place << 1 | (is_alive ? 1 : 0));
	row_nulls[natts] = false;
	if (scan->sort->store->nrows % GPUSORT_ROWS_SHOWN_EVERY == 0)
		gpusort_rows_sort_show_read(scan->sort);
	gpusort_rows_sort_reserve(scan->sort, 1);
	gpusort_rows_store_append(scan->sort->store, row_values, row_nulls);
	if (fit)
		MemoryContextReset(scan->scratch);
}

double
gpusort_index_scan(Relation heap, Relation index, IndexInfo *info, RowSort *sort, TableScanDesc parallel_scan)
{
	TableScan	scan = {
		.desc = RelationGetDescr(index),
		.sort = sort,
		.scratch = AllocSetContextCreate(CurrentMemoryContext, "gpusort index scan", ALLOCSET_DEFAULT_SIZES)
	};
	double		tuples;

	list_varlena(&scan);
	tuples = table_index_build_scan(heap, index, info, true, !IsParallelWorker(), collect, &scan, parallel_scan);
	MemoryContextDelete(scan.scratch);
	return tuples;
}
