/*
 * heap_source.c
 *	  Reads a sequential scan of a heap straight into a row store.
 *
 * Used only for a SeqScan of a heap without qualifiers, with an MVCC snapshot and outside
 * EvalPlanQual.  Its target list must consist of constants and columns, maybe with another
 * collation.  There ExecProcNode would only hand over the columns.  The scan descriptor is
 * the scan node's own, also when parallel workers share it.
 *
 * When the table access method returns the first tuple of a page, it has listed the
 * visible tuples of that page in the scan descriptor, which holds its pin.  The other
 * tuples are read from that list, and the scan's index is set to the last of them, so
 * that the next call continues with the next page.  So the server itself does reading
 * ahead, pruning, visibility and predicate locks.  No interface promises that list, so
 * each page is compared with it.  If a server keeps another list, the query fails, and
 * works again with gpusort.enable_sort = off.
 *
 * The leading columns of fixed length lie at fixed offsets in a tuple without NULLs before them.  If
 * all tuples of a page are so up to the last wanted column, each of these columns is copied by a loop of its own.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/tupmacs.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "guc.h"
#include "nodes/rows/heap_source.h"

#define SOURCE_CACHE_LINE 64
#define SOURCE_PREFETCH 3		/* tuples ahead of the one that is read, */
#define SOURCE_PREFETCH_BYTES 512	/* of which so many bytes are prefetched */

/* A column of the table. */
typedef struct SourceColumn
{
	int16		length;
	char		align;
	bool		by_value;
	bool		wanted;			/* some output attribute is this column */
} SourceColumn;

struct HeapSource
{
	SeqScanState *scan;
	TupleDesc	desc;
	int			natts;			/* columns of the table up to the last wanted one */
	SourceColumn *columns;
	bool		whole;			/* column number natts is the whole row */
	int			nfixed;			/* leading columns at fixed offsets */
	int		   *offsets;		/* the offsets of these */
	Size		fixed_end;		/* where the next column begins, before alignment */
	int			record_copies;	/* how often a column is in a record, at most */
	int			ntail;			/* output attributes passed by value that do not lie at fixed offsets */
	int		   *tail;			/* which these are */
	int		   *column_of;		/* table column of each output attribute; -1 for a constant */

	Datum	   *column_values;	/* of one tuple, by table column */
	bool	   *column_nulls;
	Datum	   *values;			/* of one tuple, by output or, of a complete one, in the order of its record */
	bool	   *nulls;
	MinimalTuple row;			/* the copy of a whole row */
	BlockNumber last_page;		/* that was read from its list */
	HeapTupleHeader tuples[MaxHeapTuplesPerPage];
	uint16		lengths[MaxHeapTuplesPerPage];
};

/* What a target entry shows, without changes of its type or collation that keep the value as it is. */
Node *
gpusort_rows_plain_column(const TargetEntry *entry)
{
	Node	   *expr = (Node *) entry->expr;

	while (IsA(expr, RelabelType))
		expr = (Node *) ((RelabelType *) expr)->arg;
	return expr;
}

/* True if a scan has no qualifiers, and its target list consists of user columns of the relation and constants. */
static bool
scan_is_plain(const Scan *scan)
{
	ListCell   *cell;

	if (scan->plan.qual != NIL)
		return false;
	foreach(cell, scan->plan.targetlist)
	{
		Var		   *var = (Var *) gpusort_rows_plain_column(lfirst_node(TargetEntry, cell));

		if (IsA(var, Const))
			continue;
		if (!IsA(var, Var) || var->varno != scan->scanrelid || var->varattno <= 0)
			return false;
	}
	return true;
}

/* Finds out where columns lie in a tuple without NULLs. */
static void
describe_columns(HeapSource *source, int outputs)
{
	Size		offset = 0;

	source->columns = palloc0((source->natts + 1) * sizeof(SourceColumn));
	source->offsets = palloc0(Max(source->natts, 1) * sizeof(int));
	for (int i = 0; i < source->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(source->desc, i);
		SourceColumn *column = &source->columns[i];

		column->length = form->attlen;
		column->align = form->attalign;
		column->by_value = form->attbyval;
		if (source->nfixed == i && column->length > 0)
		{
			offset = att_align_nominal(offset, column->align);
			source->offsets[i] = offset;
			offset += column->length;
			source->nfixed++;
		}
	}
	source->fixed_end = offset;
	for (int out = 0; out < outputs; out++)
	{
		if (source->column_of[out] >= 0)
			source->columns[source->column_of[out]].wanted = true;
	}
}

/* Lists what has to be read by walking through a tuple. */
static void
describe_tail(HeapSource *source, const RowLayout *layout)
{
	int		   *copies = palloc0((source->natts + 1) * sizeof(int));

	source->tail = palloc(Max(layout->natts, 1) * sizeof(int));
	for (int out = 0; out < layout->natts; out++)
	{
		if (layout->attributes[out].by_value && source->column_of[out] >= source->nfixed)
			source->tail[source->ntail++] = out;
	}
	for (int r = 0; r < layout->nrecord; r++)
	{
		int			column = source->column_of[layout->record_attributes[r]];

		source->record_copies = Max(source->record_copies, ++copies[column]);
	}
	source->record_copies += source->whole;
	pfree(copies);
}

/*
 * Returns a source that reads the input's rows, or NULL if only ExecProcNode can.  Attribute
 * i of the layout is the input's column columns[i].  The source can be read again after the
 * input was rescanned.
 */
HeapSource *
gpusort_rows_heap_source(PlanState *input, const RowLayout *layout, const int *columns)
{
	HeapSource *source;
	SeqScanState *scan;
	Plan	   *plan = input->plan;

	if (gpusort_force_nodes == GPUSORT_FORCE_ROW_BY_ROW || !IsA(input, SeqScanState) ||
		!scan_is_plain((Scan *) plan) || input->state->es_epq_active != NULL)
		return NULL;
	scan = (SeqScanState *) input;
	if (scan->ss.ss_currentRelation == NULL ||
		scan->ss.ss_currentRelation->rd_tableam != GetHeapamTableAmRoutine() ||
		!IsMVCCSnapshot(input->state->es_snapshot))
		return NULL;

	source = palloc0(sizeof(HeapSource));
	source->scan = scan;
	source->desc = RelationGetDescr(scan->ss.ss_currentRelation);
	source->column_of = palloc(Max(layout->natts, 1) * sizeof(int));
	for (int out = 0; out < layout->natts; out++)
	{
		Var		   *var;

		source->column_of[out] = -1;
		if (!layout->attributes[out].is_stored || columns[out] == GPUSORT_WHOLE_ROW)
			continue;
		var = (Var *) gpusort_rows_plain_column(list_nth_node(TargetEntry, plan->targetlist, columns[out]));
		if (!IsA(var, Var))
			return NULL;
		source->column_of[out] = var->varattno - 1;
		source->natts = Max(source->natts, var->varattno);
	}
	source->whole = layout->natts > 0 && columns[layout->natts - 1] == GPUSORT_WHOLE_ROW;
	if (source->whole)
	{
		source->column_of[layout->natts - 1] = source->natts;
		source->row = palloc(BLCKSZ);
	}
	describe_columns(source, layout->natts);
	describe_tail(source, layout);
	source->column_values = palloc0((source->natts + 1) * sizeof(Datum));
	source->column_nulls = palloc0((source->natts + 1) * sizeof(bool));
	source->values = palloc0(Max(layout->natts, 1) * sizeof(Datum));
	source->nulls = palloc0(Max(layout->natts, 1) * sizeof(bool));
	return source;
}

/*
 * Reads the columns of tuple t from first_column on.  The column before it ends at offset.
 */
static pg_attribute_always_inline void
walk_tuple(HeapSource *source, int t, int first_column, Size offset, bool complete)
{
	HeapTupleHeader tuple = source->tuples[t];
	char	   *data = (char *) tuple + tuple->t_hoff;
	uint8	   *null_bits = !complete && (tuple->t_infomask & HEAP_HASNULL) ? tuple->t_bits : NULL;
	int			present = complete ? source->natts : Min(HeapTupleHeaderGetNatts(tuple), source->natts);

	for (int i = first_column; i < present; i++)
	{
		const SourceColumn *column = &source->columns[i];

		if (!complete)
		{
			source->column_nulls[i] = null_bits != NULL && att_isnull(i, null_bits);
			if (source->column_nulls[i])
				continue;
		}
		offset = att_align_pointer(offset, column->align, column->length, data + offset);
		if (column->wanted)
			source->column_values[i] = fetch_att(data + offset, column->by_value, column->length);
		offset = att_addlength_pointer(offset, column->length, data + offset);
	}
	for (int i = Max(present, first_column); i < source->natts; i++)
		source->column_values[i] = getmissingattr(source->desc, i + 1, &source->column_nulls[i]);
	if (source->whole)
	{
		memcpy(source->row, (char *) tuple + MINIMAL_TUPLE_OFFSET, source->lengths[t] - MINIMAL_TUPLE_OFFSET);
		source->row->t_len = source->lengths[t] - MINIMAL_TUPLE_OFFSET;
		source->column_values[source->natts] = PointerGetDatum(source->row);
	}
}

/* Appends tuples one by one. */
static void
append_tuples(HeapSource *source, RowStore *store, int ntuples)
{
	int			natts = store->layout->natts;

	for (int t = 0; t < ntuples; t++)
	{
		walk_tuple(source, t, 0, 0, false);
		for (int out = 0; out < natts; out++)
		{
			int			column = source->column_of[out];

			if (column < 0)
				continue;
			source->values[out] = source->column_values[column];
			source->nulls[out] = source->column_nulls[column];
		}
		gpusort_rows_store_append(store, source->values, source->nulls);
	}
}

/* Copies a column that lies at a fixed offset in all tuples. */
static void
copy_column(const HeapSource *source, char *out, int16 length, int offset, int ntuples)
{
#define COPY(type, to_datum) \
	for (int t = 0; t < ntuples; t++) \
		((type *) out)[t] = *(const type *) ((const char *) source->tuples[t] + source->tuples[t]->t_hoff + offset)

	GPUSORT_FOR_LENGTH(length, COPY);
#undef COPY
}

/* Copies a column that lies at a fixed offset in all tuples to the front of their records. */
static void
copy_to_front(const HeapSource *source, RowStore *store, const RowAttribute *attribute, int offset, int ntuples)
{
#define COPY(type, to_datum) \
	for (int t = 0; t < ntuples; t++) \
		*(type *) (gpusort_rows_record(store, store->nrows + t) + attribute->offset) = \
			*(const type *) ((const char *) source->tuples[t] + source->tuples[t]->t_hoff + offset)

	GPUSORT_FOR_LENGTH(attribute->length, COPY);
#undef COPY
}

/* Writes the records of complete tuples, and their values behind the columns at fixed offsets. */
static void
append_tails(HeapSource *source, RowStore *store, int ntuples)
{
	const RowLayout *layout = store->layout;

	/*
	 * Behind their front, records take no more than the tuples of a page, but for padding, and
	 * columns that they hold several times.
	 */
	gpusort_rows_store_reserve_records(store, (Size) source->record_copies * BLCKSZ +
									   (Size) ntuples * (layout->front_bytes + (layout->nrecord + 1) * MAXIMUM_ALIGNOF));
	for (int t = 0; t < ntuples; t++)
	{
		HeapTupleHeader tuple = source->tuples[t];
		uint32		row = store->nrows + t;

		for (int i = 0; i < source->nfixed; i++)
		{
			if (!source->columns[i].by_value)
				source->column_values[i] = PointerGetDatum((char *) tuple + tuple->t_hoff + source->offsets[i]);
		}
		walk_tuple(source, t, source->nfixed, source->fixed_end, true);
		for (int r = 0; r < layout->nrecord; r++)
			source->values[r] = source->column_values[source->column_of[layout->record_attributes[r]]];
		if (layout->nrecord > 0)
			gpusort_rows_store_put_stored(store, row, source->values);
		for (int i = 0; i < source->ntail; i++)
			gpusort_rows_store_put(store, row, source->tail[i], source->column_values[source->column_of[source->tail[i]]]);
	}
}

/* Appends complete tuples, column by column. */
static void
append_columns(HeapSource *source, RowStore *store, int ntuples)
{
	const RowLayout *layout = store->layout;
	bool		tails = layout->nrecord > 0 || source->ntail > 0;

	gpusort_rows_store_reserve(store, store->nrows + ntuples);
	for (int out = 0; out < layout->natts; out++)
	{
		int			column = source->column_of[out];
		const RowAttribute *attribute = &layout->attributes[out];
		RowColumn  *target = &store->columns[out];

		if (column < 0)
			continue;
		if (target->has_nulls)
			memset(target->nulls.data + store->nrows, 0, ntuples);
		if (column < source->nfixed && attribute->in_column)
			copy_column(source, target->values.data + (Size) store->nrows * attribute->length, attribute->length,
						source->offsets[column], ntuples);
	}
	if (tails)
		append_tails(source, store, ntuples);
	for (int out = 0; out < layout->natts && layout->front_bytes > 0; out++)
	{
		int			column = source->column_of[out];

		if (layout->attributes[out].in_front && column < source->nfixed)
			copy_to_front(source, store, &layout->attributes[out], source->offsets[column], ntuples);
	}
	store->nrows += ntuples;
}

/* A tuple of a source, as RowValueGetter reads it. */
typedef struct SourceTuple
{
	const HeapSource *source;
	HeapTupleData tuple;
} SourceTuple;

static Datum
tuple_value(void *row, int attribute, bool *is_null)
{
	SourceTuple *place = row;

	return heap_getattr(&place->tuple, place->source->column_of[attribute] + 1, place->source->desc, is_null);
}

/* To find a column behind others of variable length, these are read one after the other, from memory that is not in the caches. */
static void
prefetch_tuple(const HeapSource *source, int t)
{
	for (int done = 0; done < Min(source->lengths[t], SOURCE_PREFETCH_BYTES); done += SOURCE_CACHE_LINE)
		__builtin_prefetch((const char *) source->tuples[t] + done);
}

/* Keeps the tuples that the bound does not reject, and returns how many there are. */
static int
drop_tuples(HeapSource *source, int ntuples, RowBound *bound)
{
	SourceTuple place = {.source = source};
	bool		walks = source->column_of[bound->keys->keys[0].attribute] >= source->nfixed;
	int			kept = 0;

	for (int t = 0; t < ntuples; t++)
	{
		int			ahead = t + SOURCE_PREFETCH;
		uint32		partition;

		if (walks && ahead < ntuples)
			prefetch_tuple(source, ahead);
		place.tuple.t_data = source->tuples[t];
		if (gpusort_rows_bound_rejects(bound, tuple_value, &place, &partition))
			continue;
		gpusort_rows_bound_count(bound, partition);
		source->lengths[kept] = source->lengths[t];
		source->tuples[kept++] = source->tuples[t];
	}
	return kept;
}

/*
 * Lists the visible tuples of the page whose first tuple the scan has just returned, and
 * moves the scan to the last of them.  Returns how many there are.
 */
static int
take_page(HeapSource *source, HeapScanDesc scan, const ItemPointerData *first)
{
	BlockNumber block = ItemPointerGetBlockNumber(first);
	int			nvisible = scan->rs_ntuples;
	Page		page;

	StaticAssertStmt(lengthof(scan->rs_vistuples) == lengthof(source->tuples), "a page of tuples fits");
	if (scan->rs_cindex != 0 || nvisible < 1 || nvisible > lengthof(source->tuples) || block == source->last_page ||
		!BufferIsValid(scan->rs_cbuf) || BufferGetBlockNumber(scan->rs_cbuf) != block ||
		scan->rs_vistuples[0] != ItemPointerGetOffsetNumber(first))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("the scan of table \"%s\" does not list the rows of page %u as this module reads them",
						RelationGetRelationName(scan->rs_base.rs_rd), block),
				 errhint("Set gpusort.enable_sort to off.")));
	page = BufferGetPage(scan->rs_cbuf);
	for (int i = 0; i < nvisible; i++)
	{
		ItemId		item = PageGetItemId(page, scan->rs_vistuples[i]);

		source->tuples[i] = (HeapTupleHeader) PageGetItem(page, item);
		source->lengths[i] = ItemIdGetLength(item);
	}
	scan->rs_cindex = nvisible - 1;
	source->last_page = block;
	if (pgstat_should_count_relation(scan->rs_base.rs_rd))
		GPUSORT_HEAP_TUPLES_RETURNED(scan->rs_base.rs_rd) += nvisible - 1;
	return nvisible;
}

/* True if no column of a tuple up to the last wanted one is NULL or missing. */
static bool
is_complete(const HeapSource *source, const HeapTupleHeader tuple)
{
	if (HeapTupleHeaderGetNatts(tuple) < source->natts)
		return false;
	for (int column = 0; (tuple->t_infomask & HEAP_HASNULL) && column < source->natts; column++)
		if (att_isnull(column, tuple->t_bits))
			return false;
	return true;
}

/* Appends the visible tuples of the next page that has some, without those that the bound rejects.  Returns false at the end. */
bool
gpusort_rows_heap_read(HeapSource *source, RowSort *sort)
{
	ScanState  *node = &source->scan->ss;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	HeapScanDesc scan;
	int			nvisible;
	int			ntuples;
	bool		all_complete = true;

	CHECK_FOR_INTERRUPTS();
	if (node->ss_currentScanDesc == NULL)
		node->ss_currentScanDesc = gpusort_compat_begin_seq_scan(node);
	scan = (HeapScanDesc) node->ss_currentScanDesc;
	if (!scan->rs_inited)
		source->last_page = InvalidBlockNumber;
	if (node->ps.instrument)
		InstrStartNode(node->ps.instrument);
	if (!table_scan_getnextslot(&scan->rs_base, ForwardScanDirection, slot))
		nvisible = 0;
	else if (scan->rs_base.rs_flags & SO_ALLOW_PAGEMODE)
		nvisible = take_page(source, scan, &slot->tts_tid);
	else
	{
		source->tuples[0] = scan->rs_ctup.t_data;
		source->lengths[0] = scan->rs_ctup.t_len;
		nvisible = 1;
	}
	if (node->ps.instrument)
		InstrStopNode(node->ps.instrument, nvisible);
	if (nvisible == 0)
		return false;
	gpusort_rows_sort_reserve(sort, nvisible);
	ntuples = sort->bound == NULL ? nvisible : drop_tuples(source, nvisible, sort->bound);
	for (int t = 0; t < ntuples; t++)
		all_complete = all_complete && is_complete(source, source->tuples[t]);
	if (all_complete)
		append_columns(source, sort->store, ntuples);
	else
		append_tuples(source, sort->store, ntuples);
	return true;
}
