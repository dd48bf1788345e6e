/*
 * exec.c
 *	  Runs the rows node: reads all rows of its input, sorts them, returns them.
 *
 * It behaves as the Sort node does.  The input is read forward once, whatever direction is
 * asked for, and its rows are kept for a rescan only if the plan may go back.  Where aggregates above
 * want values, it returns a row of NULLs, for which their states are made, and they read the sort.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"

#include "compat.h"
#include "nodes/rows/exec.h"
#include "nodes/rows/rows_node.h"

List *
gpusort_rows_columns_of(const List *tlist, int varno, bool keep_constants)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, tlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst(cell));

		if (!keep_constants || !IsA(entry->expr, Const))
			entry->expr = (Expr *) makeVarFromTargetEntry(varno, lfirst(cell));
		columns = lappend(columns, entry);
	}
	return columns;
}

void
gpusort_rows_name_columns(Plan *plan, const Plan *named)
{
	ListCell   *cell;
	ListCell   *name;

	forboth(cell, plan->targetlist, name, named->targetlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst(name));

		entry->expr = lfirst_node(TargetEntry, cell)->expr;
		lfirst(cell) = entry;
	}
}

/*
 * What each column of a node is: a column of its input, or a constant.  The list of a node that the planner has made has
 * what its input computes.  There a constant may stand for one that an outer join makes NULL.
 */
static List *
columns_of_input(const CustomScan *scan)
{
	int			key = GPUSORT_ROWS_KEYS(scan->custom_private)->sortColIdx[0];
	const Var  *var = (Var *) list_nth_node(TargetEntry, scan->custom_scan_tlist, key - 1)->expr;

	if (IsA(var, Var) && var->varno == OUTER_VAR)
		return scan->custom_scan_tlist;
	return gpusort_rows_columns_of(outerPlan(scan)->targetlist, OUTER_VAR, true);
}

/*
 * For each column of the node the first one that has the same values.  The planner adds a
 * column to sort by the values of another in a different collation, or as another type of
 * the same form.
 */
static List *
column_sources(const CustomScan *scan, const List *columns)
{
	List	   *sources = NIL;
	List	   *exprs = NIL;
	ListCell   *cell;

	foreach(cell, columns)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);
		Node	   *expr = (Node *) entry->expr;
		int			source = list_length(exprs);

		if (IsA(expr, Var))
			expr = gpusort_rows_plain_column(list_nth_node(TargetEntry, outerPlan(scan)->targetlist, ((Var *) expr)->varattno - 1));

		for (int i = 0; i < list_length(exprs) && IsA(expr, Var); i++)
		{
			if (source > i && equal(expr, list_nth(exprs, i)))
				source = i;
		}
		exprs = lappend(exprs, expr);
		sources = lappend_int(sources, source);
	}
	return sources;
}

/* True if the input's rows are those of a heap.  Their slots hand them on as they are stored. */
static bool
has_stored_rows(PlanState *input)
{
	bool		fixed;

	return ExecGetResultSlotOps(input, &fixed) == &TTSOpsBufferHeapTuple && fixed && input->ps_ProjInfo == NULL;
}

/* Has keys sorted, each with its row, instead of columns. */
static void
keep_whole_rows(RowsNodeState *state)
{
	Sort	   *keys = palloc(sizeof(Sort));
	TupleDesc	desc = CreateTemplateTupleDesc(state->keys->numCols + 1);

	*keys = *state->keys;
	keys->sortColIdx = palloc(keys->numCols * sizeof(AttrNumber));
	state->input_columns = 0;
	for (int i = 0; i < keys->numCols; i++)
	{
		AttrNumber	column = state->keys->sortColIdx[i];

		TupleDescCopyEntry(desc, i + 1, state->desc, column);
		keys->sortColIdx[i] = i + 1;
		state->columns[i] = column - 1;
		state->input_columns = Max(state->input_columns, column);
	}
	state->columns[desc->natts - 1] = GPUSORT_WHOLE_ROW;
	TupleDescInitEntry(desc, desc->natts, NULL, RECORDOID, -1, 0);
	TupleDescAttr(desc, desc->natts - 1)->attlen = GPUSORT_MINIMAL_TUPLE;
	state->tlist = NIL;
	state->keys = keys;
	state->sources = NIL;
	state->moved = true;
	state->desc = desc;
}

/* Has rows returned in a slot of this kind, on which parents may rely. */
void
gpusort_rows_return_in(ScanState *node, const TupleTableSlotOps *ops)
{
	if (ops != &TTSOpsVirtual)
		node->ps.ps_ResultTupleSlot = ExecInitExtraTupleSlot(node->ps.state, node->ps.ps_ResultTupleDesc, ops);
	node->ps.ps_ProjInfo = NULL;
	node->ps.resultops = ops;
	node->ps.resultopsset = true;
	node->ps.resultopsfixed = true;
}

void
gpusort_rows_begin(CustomScanState *node, EState *estate, int eflags)
{
	RowsNodeState *state = (RowsNodeState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	int			natts = node->ss.ps.ps_ResultTupleDesc->natts;

	state->use = GPUSORT_ROWS_USE(plan->custom_private);
	state->random_access = (eflags & (EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK)) != 0 && state->use < ROWS_FOR_RANKS;
	state->current = -1;
	state->mark = -1;
	eflags &= ~(EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	outerPlanState(node) = ExecInitNode(outerPlan(plan), estate, eflags);
	state->limit = ExecInitExprList(plan->custom_exprs, &node->ss.ps);
	state->desc = node->ss.ps.ps_ResultTupleDesc;
	state->tlist = columns_of_input(plan);
	state->sources = column_sources(plan, state->tlist);
	state->keys = GPUSORT_ROWS_KEYS(plan->custom_private);
	state->columns = palloc((natts + 1) * sizeof(int));
	state->values = palloc((natts + 1) * sizeof(Datum));
	state->nulls = palloc((natts + 1) * sizeof(bool));
	for (int i = 0; i < natts; i++)
	{
		const Var  *var = (Var *) list_nth_node(TargetEntry, state->tlist, i)->expr;

		state->columns[i] = IsA(var, Var) ? var->varattno - 1 : -1;
		state->input_columns = Max(state->input_columns, state->columns[i] + 1);
		state->moved |= state->columns[i] >= 0 && state->columns[i] != i;
	}
	state->whole = list_nth_int(list_nth(plan->custom_private, ROWS_KEPT), ROWS_KEPT_WHOLE) != 0 &&
		has_stored_rows(outerPlanState(node));
	if (state->whole)
		keep_whole_rows(state);
	gpusort_rows_return_in(&node->ss, state->whole ? &TTSOpsMinimalTuple : &TTSOpsVirtual);
}

/* A row of the input, as RowValueGetter reads it. */
typedef struct InputRow
{
	TupleTableSlot *slot;
	const int  *columns;
} InputRow;

static Datum
input_value(void *row, int attribute, bool *is_null)
{
	const InputRow *place = row;

	return slot_getattr(place->slot, place->columns[attribute] + 1, is_null);
}

/* Appends the slot's row. */
static void
append_slot(RowsNodeState *state, TupleTableSlot *slot)
{
	RowStore   *store = state->sort->store;
	MinimalTuple whole = NULL;

	if (!state->moved)
	{
		gpusort_rows_store_append(store, slot->tts_values, slot->tts_isnull);
		return;
	}
	for (int i = 0; i < store->layout->natts; i++)
	{
		int			column = state->columns[i];

		state->values[i] = column < 0 ? (Datum) 0 : slot->tts_values[column];
		state->nulls[i] = column < 0 || slot->tts_isnull[column];
	}
	if (state->whole)
	{
		whole = ExecCopySlotMinimalTuple(slot);
		state->values[store->layout->natts - 1] = PointerGetDatum(whole);
		state->nulls[store->layout->natts - 1] = false;
	}
	gpusort_rows_store_append(store, state->values, state->nulls);
	if (whole != NULL)
		pfree(whole);
}

/* Appends the input's rows by ExecProcNode, without those that the bound rejects. */
static void
read_slots(PlanState *input, RowsNodeState *state)
{
	RowSort    *sort = state->sort;

	for (uint64 rows = 0;; rows++)
	{
		TupleTableSlot *slot = ExecProcNode(input);
		InputRow	row = {slot, state->columns};
		uint32		partition;

		if (TupIsNull(slot))
			break;
		if (rows % GPUSORT_ROWS_SHOWN_EVERY == 0)
			gpusort_rows_sort_show_read(sort);
		if (sort->bound != NULL && gpusort_rows_bound_rejects(sort->bound, input_value, &row, &partition))
			continue;
		slot_getsomeattrs(slot, state->input_columns);
		gpusort_rows_sort_reserve(sort, 1);
		if (sort->bound != NULL)
			gpusort_rows_bound_count(sort->bound, partition);
		append_slot(state, slot);
	}
}

/* How many rows the expressions in the plan add up to; 0 means all. */
static uint64
wanted_rows(RowsNodeState *state)
{
	ExprContext *context = state->scan.css.ss.ps.ps_ExprContext;
	int64		wanted = 0;
	ListCell   *cell;

	foreach(cell, state->limit)
	{
		bool		is_null;
		int64		rows = DatumGetInt64(ExecEvalExprSwitchContext(lfirst(cell), context, &is_null));

		if (is_null && cell == list_head(state->limit))
			return 0;
		if (!is_null && (rows < 0 || pg_add_s64_overflow(wanted, rows, &wanted)))
			return 0;
	}
	return wanted;
}

/* What bounds the rows wanted. */
static RowBoundSpec
wanted_bound(RowsNodeState *state)
{
	CustomScan *scan = (CustomScan *) state->scan.css.ss.ps.plan;
	List	   *ints = list_nth(scan->custom_private, ROWS_KEPT);
	RowBoundSpec spec = {
		.kind = list_nth_int(ints, ROWS_KEPT_KIND),
		.partition_keys = list_nth_int(ints, ROWS_KEPT_PARTITION_KEYS),
		.rows = wanted_rows(state)
	};

	if (list_nth_int(ints, ROWS_KEPT_IS_LESS) && spec.rows > 1)
		spec.rows--;
	return spec;
}

/* True if EXPLAIN ANALYZE shows times. */
static bool
is_timed(const RowsNodeState *state)
{
	const PlanState *node = &state->scan.css.ss.ps;

	return node->instrument != NULL && GPUSORT_NEEDS_TIMER(node->instrument);
}

/* Starts the sort. */
void
gpusort_rows_begin_sort(RowsNodeState *state, Size memory_limit)
{
	PlanState  *node = &state->scan.css.ss.ps;
	double		rows = outerPlan(node->plan)->plan_rows;
	bool		for_values = state->use >= ROWS_FOR_RANKS;
	MemoryContext caller = MemoryContextSwitchTo(node->state->es_query_cxt);

	state->sort = state->spare;
	state->spare = NULL;
	if (state->sort != NULL)
		gpusort_rows_sort_again(state->sort, rows, wanted_bound(state));
	else
		state->sort = gpusort_rows_sort_begin(state->desc, state->tlist, state->sources, state->keys, rows,
											  node->plan->plan_width, wanted_bound(state),
											  state->random_access || for_values, is_timed(state), memory_limit);
	if (for_values)
		state->sort->store->required = state->sort->keys->keys[0].attribute + 1;
	if (state->source == NULL)
		state->source = gpusort_rows_heap_source(outerPlanState(node), state->sort->layout, state->columns);
	MemoryContextSwitchTo(caller);
}

/* Reads the input into the sort. */
void
gpusort_rows_read_input(RowsNodeState *state)
{
	EState	   *estate = state->scan.css.ss.ps.state;
	PlanState  *input = outerPlanState(state);
	ScanDirection direction = estate->es_direction;
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_ZERO(start);
	if (is_timed(state))
		INSTR_TIME_SET_CURRENT(start);
	estate->es_direction = ForwardScanDirection;
	if (input->chgParam != NULL)
		ExecReScan(input);
	if (state->source == NULL)
		read_slots(input, state);
	else
		do
			gpusort_rows_sort_show_read(state->sort);
		while (gpusort_rows_heap_read(state->source, state->sort));
	estate->es_direction = direction;
	if (is_timed(state))
	{
		INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_SUBTRACT(end, start);
		INSTR_TIME_SUBTRACT(end, state->sort->stats.sort_time);
		INSTR_TIME_SUBTRACT(end, state->sort->stats.spill_time);
		state->sort->stats.read_time = end;
	}
	state->sort->stats.read_directly = state->source != NULL;
}

void
gpusort_rows_sort_input(RowsNodeState *state)
{
	const PlannedStmt *statement = state->scan.css.ss.ps.state->es_plannedstmt;

	gpusort_rows_begin_sort(state, work_mem * (Size) 1024);
	gpusort_rows_read_input(state);
	gpusort_rows_sort_finish(state->sort);
	/* Where rows are inserted, triggers write into the slot, also over NULLs and constants, which a batch keeps. */
	if (statement->commandType != CMD_SELECT || statement->hasModifyingCTE)
		state->sort->batch->is_lent = false;
	state->current = -1;
}

TupleTableSlot *
gpusort_rows_fill_slot(RowsNodeState *state, TupleTableSlot *slot)
{
	const RowBatch *batch = gpusort_rows_sort_read(state->sort, state->current);
	uint64		row = state->current - batch->first;
	uint64		first = row * batch->natts;

	ExecClearTuple(slot);
	state->ahead = 0;
	if (TTS_IS_MINIMALTUPLE(slot))
		return ExecStoreMinimalTuple((MinimalTuple) DatumGetPointer(batch->values[first + batch->natts - 1]), slot, false);
	if (batch->is_lent)
	{
		slot->tts_values = batch->values + first;
		slot->tts_isnull = batch->nulls + first;
		state->ahead = batch->nrows - 1 - row;
	}
	else
	{
		memcpy(slot->tts_values, batch->values + first, batch->natts * sizeof(Datum));
		memcpy(slot->tts_isnull, batch->nulls + first, batch->natts * sizeof(bool));
	}
	return ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
exec_rows(CustomScanState *node)
{
	RowsNodeState *state = (RowsNodeState *) node;
	TupleTableSlot *slot = node->ss.ps.ps_ResultTupleSlot;
	bool		forward = ScanDirectionIsForward(node->ss.ps.state->es_direction);
	int64		nrows;

	if (forward && gpusort_rows_move_slot(state, slot))
		return slot;
	if (state->sort == NULL)
		gpusort_rows_sort_input(state);
	nrows = state->sort->nrows;
	if (forward)
		state->current = Min(state->current + 1, nrows);
	else
		state->current = Max(state->current - 1, -1);
	if (state->current < 0 || state->current >= nrows)
		return ExecClearTuple(slot);
	return gpusort_rows_fill_slot(state, slot);
}

/* Returns a row of NULLs if there are values, once. */
static TupleTableSlot *
exec_values(CustomScanState *node)
{
	RowsNodeState *state = (RowsNodeState *) node;

	if (state->sort == NULL)
		gpusort_rows_sort_input(state);
	if (++state->current > 0 || state->sort->nrows == 0)
		return ExecClearTuple(node->ss.ps.ps_ResultTupleSlot);
	return ExecStoreAllNullTuple(node->ss.ps.ps_ResultTupleSlot);
}

static SortOffer
offered_values(CustomScanState *node)
{
	return (SortOffer) {.sort = ((RowsNodeState *) node)->sort};
}

SortOffer
gpusort_rows_offered(CustomScanState *node)
{
	RowsNodeState *state = (RowsNodeState *) node;

	if (state->whole)
		return (SortOffer) {NULL};
	return (SortOffer) {.sort = state->sort,.last = &state->current,.ahead = &state->ahead};
}

static void
forget_rows(RowsNodeState *state)
{
	ExecClearTuple(state->scan.css.ss.ps.ps_ResultTupleSlot);
	if (state->sort != NULL)
	{
		state->scan.counters = state->sort->stats;
		if (gpusort_rows_sort_empty(state->sort))
			state->spare = state->sort;
		else
			gpusort_rows_sort_free(state->sort);
	}
	state->sort = NULL;
	state->current = -1;
	state->mark = -1;
}

static void
end_rows(CustomScanState *node)
{
	RowsNodeState *state = (RowsNodeState *) node;

	ExecClearTuple(node->ss.ps.ps_ResultTupleSlot);
	if (state->sort != NULL)
		gpusort_rows_sort_free(state->sort);
	if (state->spare != NULL)
		gpusort_rows_sort_free(state->spare);
	ExecEndNode(outerPlanState(node));
}

/* Starts again, with the sorted rows if they are kept and the input has not changed. */
static void
rescan_rows(CustomScanState *node)
{
	RowsNodeState *state = (RowsNodeState *) node;
	PlanState  *input = outerPlanState(node);

	if (state->sort == NULL)
		return;
	if (input->chgParam == NULL && state->random_access)
	{
		ExecClearTuple(node->ss.ps.ps_ResultTupleSlot);
		state->current = -1;
		state->mark = -1;
		return;
	}
	forget_rows(state);
	if (input->chgParam == NULL)
		ExecReScan(input);
}

static void
mark_rows(CustomScanState *node)
{
	RowsNodeState *state = (RowsNodeState *) node;

	state->mark = state->current;
}

static void
restore_rows(CustomScanState *node)
{
	RowsNodeState *state = (RowsNodeState *) node;

	state->current = state->mark;
}

/* Called after every run. */
static void
shutdown_rows(CustomScanState *node)
{
	RowsNodeState *state = (RowsNodeState *) node;

	if (state->sort != NULL)
		state->scan.counters = state->sort->stats;
	gpusort_parallel_stats_publish(&state->scan);
}

#define METHODS(exec) \
{ \
	.CustomName = GPUSORT_OFFERS, \
	.BeginCustomScan = gpusort_rows_begin, \
	.ExecCustomScan = exec, \
	.EndCustomScan = end_rows, \
	.ReScanCustomScan = rescan_rows, \
	.MarkPosCustomScan = mark_rows, \
	.RestrPosCustomScan = restore_rows, \
	.EstimateDSMCustomScan = gpusort_parallel_stats_estimate, \
	.InitializeDSMCustomScan = gpusort_parallel_stats_share, \
	.InitializeWorkerCustomScan = gpusort_parallel_stats_attach, \
	.ShutdownCustomScan = shutdown_rows, \
	.ExplainCustomScan = gpusort_rows_explain, \
}

static const OfferMethods rows_exec_methods = {METHODS(exec_rows), gpusort_rows_offered};
static const OfferMethods values_exec_methods = {METHODS(exec_values), offered_values};

Node *
gpusort_rows_create_alone(RowsUse use)
{
	RowsNodeState *state = (RowsNodeState *) newNode(sizeof(RowsNodeState), T_CustomScanState);

	state->scan.css.methods = use == ROWS_FOR_ORDER ? &rows_exec_methods.exec : &values_exec_methods.exec;
	return (Node *) state;
}
