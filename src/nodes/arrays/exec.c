/*
 * exec.c
 *	  Runs the arrays node: reads rows in groups, has their arrays sorted, and
 *	  returns the rows in the order in which they came.
 *
 * With an engine that sorts while we go on, the next group is read and submitted
 * before the one before it is waited for, so that reading and returning rows
 * overlap with sorting.
 *
 * Groups begin with one row and grow fourfold, so that somebody who wants few rows
 * does not wait for many, and only groups of full size are read ahead.  A LIMIT
 * right above is known and never read past.  Errors of a call come when its row is
 * returned, for whatever is out of the ordinary is left to the function and
 * evaluated only then.
 *
 * When a cursor steps back, the child is stepped back over the rows read ahead,
 * and from then on each row is computed by itself until the next rescan.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "common/int.h"
#include "optimizer/optimizer.h"
#include "portability/instr_time.h"
#include "utils/datum.h"

#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "nodes/arrays/arrays_node.h"
#include "nodes/arrays/arrays_state.h"
#include "nodes/arrays/target_list.h"

#define BATCH_BYTES (256 * 1024)	/* of keys: what a core's cache holds */
#define MIN_BATCH_BYTES (16 * 1024)
#define MAX_ROWS 1024			/* per group */
#define RAMP_FACTOR 4

/* The innermost running executor, and whether it was asked for all rows. */
typedef struct CurrentRun
{
	EState	   *estate;
	bool		to_end;
} CurrentRun;

static CurrentRun current_run = {NULL, false};
static ExecutorRun_hook_type previous_run = NULL;

static void run_query(GPUSORT_RUN_PARAMETERS);
static void begin_node(CustomScanState *css, EState *estate, int eflags);
static TupleTableSlot *exec_node(CustomScanState *css);
static void end_node(CustomScanState *css);
static void rescan_node(CustomScanState *css);
static void shutdown_node(CustomScanState *css);

static void init_calls(ArraysState *state, CustomScan *plan);
static void init_columns(ArraysState *state, CustomScan *plan);
static void init_memory(ArraysState *state);
static void init_group(ArraysState *state, RowGroup *group);
static void make_room_for_rows(ArraysState *state, RowGroup *group, int rows);
static void start_scan(ArraysState *state);
static void find_limit(ArraysState *state);
static bool next_group(ArraysState *state);
static bool fill_group(ArraysState *state, RowGroup *group);
static int rows_wanted(ArraysState *state);
static TupleTableSlot *read_row(ArraysState *state);
static bool pack_row(ArraysState *state, RowGroup *group, TupleTableSlot *slot);
static void keep_columns(ArraysState *state, RowGroup *group, TupleTableSlot *slot);
static void submit_group(ArraysState *state, RowGroup *group);
static bool is_being_sorted(ArraysState *state, RowGroup *group);
static void wait_for_group(ArraysState *state, RowGroup *group);
static void empty_group(ArraysState *state, RowGroup *group);
static void drop_groups(ArraysState *state);
static TupleTableSlot *emit_row(ArraysState *state, RowGroup *group);
static void load_scan_slot(ArraysState *state, TupleTableSlot *child);
static TupleTableSlot *project(ArraysState *state, ProjectionInfo *projection);
static void remember_origin(ArraysState *state, ItemPointer tid);
static ScanState *positioned_child(ArraysState *state);
static TupleTableSlot *step_single(ArraysState *state);
static double milliseconds_since(instr_time start);

const CustomScanMethods gpusort_arrays_scan_methods = {
	.CustomName = GPUSORT_NODE_PREFIX "Arrays",
	.CreateCustomScanState = gpusort_arrays_create_state
};

static const CustomExecMethods exec_methods = {
	.CustomName = GPUSORT_NODE_PREFIX "Arrays",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = exec_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.ShutdownCustomScan = shutdown_node,
	.ExplainCustomScan = gpusort_arrays_explain
};

/* Makes the node known to everybody who reads plans, parallel workers among them. */
void
gpusort_arrays_exec_init(void)
{
	RegisterCustomScanMethods(&gpusort_arrays_scan_methods);
	previous_run = ExecutorRun_hook;
	ExecutorRun_hook = run_query;
}

Node *
gpusort_arrays_create_state(CustomScan *plan)
{
	ArraysState *state = (ArraysState *) newNode(sizeof(ArraysState), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}

/* Notes whether the caller wants all rows.  After an error the note is of another run. */
static void
run_query(GPUSORT_RUN_PARAMETERS)
{
	CurrentRun	outer = current_run;

	current_run.estate = query->estate;
	current_run.to_end = count == 0;
	if (previous_run)
		previous_run(GPUSORT_RUN_ARGUMENTS);
	else
		standard_ExecutorRun(GPUSORT_RUN_ARGUMENTS);
	current_run = outer;
}

static void
begin_node(CustomScanState *css, EState *estate, int eflags)
{
	ArraysState *state = (ArraysState *) css;
	CustomScan *plan = (CustomScan *) css->ss.ps.plan;

	outerPlanState(css) = ExecInitNode(outerPlan(plan), estate, eflags & ~EXEC_FLAG_MARK);
	state->context = AllocSetContextCreate(CurrentMemoryContext, "gpusort arrays node", ALLOCSET_DEFAULT_SIZES);
	state->ncalls = list_length(list_nth(plan->custom_private, ARRAYS_PRIVATE_KINDS));
	state->ncolumns = list_length(plan->custom_scan_tlist) - state->ncalls;
	init_calls(state, plan);
	init_columns(state, plan);
	state->cursor = linitial_int(list_nth(plan->custom_private, ARRAYS_PRIVATE_CURSOR));
	if (plan->custom_exprs != NIL)
	{
		state->limit_count = ExecInitExpr(linitial(plan->custom_exprs), &css->ss.ps);
		state->limit_offset = ExecInitExpr(lsecond(plan->custom_exprs), &css->ss.ps);
	}
	if (state->cursor && positioned_child(state))
		css->ss.ss_currentRelation = positioned_child(state)->ss_currentRelation;
	init_memory(state);
}

/* Returns the next row, or the one before it if the executor goes backward. */
static TupleTableSlot *
exec_node(CustomScanState *css)
{
	ArraysState *state = (ArraysState *) css;
	RowGroup   *group = &state->groups[state->current];

	if (state->backward || !ScanDirectionIsForward(css->ss.ps.state->es_direction))
		return step_single(state);
	if (state->filled == 0 || group->next_row >= group->nrows)
	{
		if (!next_group(state))
		{
			if (state->child_done)
				state->position = state->child_position;
			return ExecClearTuple(css->ss.ps.ps_ResultTupleSlot);
		}
		group = &state->groups[state->current];
	}
	return emit_row(state, group);
}

static void
end_node(CustomScanState *css)
{
	ArraysState *state = (ArraysState *) css;

	drop_groups(state);
	gpusort_toast_end(state->toast);
	css->ss.ss_currentRelation = NULL;
	ExecEndNode(outerPlanState(css));
	MemoryContextDelete(state->context);
}

static void
rescan_node(CustomScanState *css)
{
	ArraysState *state = (ArraysState *) css;

	drop_groups(state);
	/* Who read everything will do so again; who stopped early may, too. */
	if (!state->child_done)
		state->ramp_rows = 1;
	state->started = false;
	state->limit_known = false;
	state->child_done = false;
	state->backward = false;
	state->pending = NULL;
	state->position = 0;
	state->child_position = 0;
	ExecClearTuple(css->ss.ps.ps_ResultTupleSlot);
	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	if (outerPlanState(css)->chgParam == NULL)
		ExecReScan(outerPlanState(css));
}

/* Gives slabs back as soon as no more rows are wanted. */
static void
shutdown_node(CustomScanState *css)
{
	drop_groups((ArraysState *) css);
}

/* Prepares the calls, and the projection that leaves them to their functions. */
static void
init_calls(ArraysState *state, CustomScan *plan)
{
	PlanState  *ps = &state->css.ss.ps;
	List	   *kinds = list_nth(plan->custom_private, ARRAYS_PRIVATE_KINDS);
	List	   *fallible = list_nth(plan->custom_private, ARRAYS_PRIVATE_FALLIBLE);
	List	   *calls = NIL;
	List	   *target_list;

	state->calls = palloc0_array(BatchedCall, state->ncalls);
	for (int i = 0; i < state->ncalls; i++)
	{
		TargetEntry *entry = list_nth(plan->custom_scan_tlist, state->ncolumns + i);
		FuncExpr   *call = (FuncExpr *) gpusort_target_renumber((Node *) entry->expr, OUTER_VAR, INDEX_VAR);

		state->calls[i].kind = list_nth_int(kinds, i);
		state->calls[i].fallible = list_nth_int(fallible, i);
		state->fallible |= state->calls[i].fallible;
		gpusort_arrays_init_call(state, &state->calls[i], call);
		calls = lappend(calls, call);
	}
	target_list = (List *) gpusort_target_restore_calls((Node *) plan->scan.plan.targetlist, calls, state->ncolumns + 1);
	state->by_function = ExecBuildProjectionInfo(target_list, ps->ps_ExprContext, ps->ps_ResultTupleSlot, ps,
												 state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor);
}

/* Finds out which of the child's columns outlive the packing of their row. */
static void
init_columns(ArraysState *state, CustomScan *plan)
{
	TupleDesc	descriptor = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	List	   *vars = pull_var_clause((Node *) plan->scan.plan.targetlist, PVC_RECURSE_AGGREGATES |
									   PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);
	ListCell   *cell;

	state->kept = palloc0_array(bool, state->ncolumns + 1);
	state->column_length = palloc0_array(int16, state->ncolumns);
	state->column_by_value = palloc0_array(bool, state->ncolumns);
	foreach(cell, vars)
	{
		Var		   *var = lfirst(cell);

		if (IsA(var, Var) && var->varno == INDEX_VAR && var->varattno > 0 && var->varattno <= state->ncolumns)
			state->kept[var->varattno - 1] = true;
	}
	for (int i = 0; i < state->ncolumns; i++)
	{
		state->column_length[i] = TupleDescAttr(descriptor, i)->attlen;
		state->column_by_value[i] = TupleDescAttr(descriptor, i)->attbyval;
	}
}

/* Divides work_mem among the batches that can exist at a time. */
static void
init_memory(ArraysState *state)
{
	Size		share = (Size) work_mem * 1024 / (GPUSORT_ARRAYS_GROUPS * state->ncalls * 2);

	state->batch_bytes = Max(Min(share, BATCH_BYTES), MIN_BATCH_BYTES);
	state->longest = Max(share, state->batch_bytes);
	state->max_rows = MAX_ROWS;
	state->toast = gpusort_toast_begin();
	state->ramp_rows = 1;
	for (int i = 0; i < GPUSORT_ARRAYS_GROUPS; i++)
		init_group(state, &state->groups[i]);
}

static void
init_group(ArraysState *state, RowGroup *group)
{
	MemoryContext caller = MemoryContextSwitchTo(state->context);

	group->context = AllocSetContextCreate(state->context, "gpusort rows", ALLOCSET_SMALL_SIZES);
	group->batches = palloc0_array(SortBatch *, state->ncalls);
	group->used = palloc0_array(Size, state->ncalls);
	MemoryContextSwitchTo(caller);
}

/* Gives an empty group room for a number of rows. */
static void
make_room_for_rows(ArraysState *state, RowGroup *group, int rows)
{
	MemoryContext caller;

	if (rows <= group->row_slots)
		return;
	caller = MemoryContextSwitchTo(state->context);
	if (group->row_slots > 0)
	{
		pfree(group->values);
		pfree(group->nulls);
		pfree(group->by_function);
		pfree(group->results);
		if (group->tids)
			pfree(group->tids);
	}
	group->values = palloc_array(Datum, rows * state->ncolumns);
	group->nulls = palloc_array(bool, rows * state->ncolumns);
	group->by_function = palloc_array(bool, rows);
	group->results = palloc_array(CallResult, rows * state->ncalls);
	if (state->cursor)
		group->tids = palloc_array(ItemPointerData, rows);
	group->row_slots = rows;
	MemoryContextSwitchTo(caller);
}

/* Evaluates what is the same for all rows of a scan; only when there is a first row. */
static void
start_scan(ArraysState *state)
{
	state->started = true;
	for (int i = 0; i < state->ncalls; i++)
		gpusort_arrays_start_call(state, &state->calls[i]);
}

/* Evaluates the LIMIT above, which has done so itself before it asked for a row. */
static void
find_limit(ArraysState *state)
{
	bool		no_count;
	bool		no_offset;
	Datum		count;
	Datum		offset;

	state->limit_known = true;
	state->limit = -1;
	if (state->limit_count == NULL)
		return;
	count = ExecEvalExprSwitchContext(state->limit_count, state->css.ss.ps.ps_ExprContext, &no_count);
	offset = ExecEvalExprSwitchContext(state->limit_offset, state->css.ss.ps.ps_ExprContext, &no_offset);
	if (!no_count && pg_add_s64_overflow(DatumGetInt64(count), no_offset ? 0 : DatumGetInt64(offset), &state->limit))
		state->limit = -1;
}

/*
 * Makes the group after the current one the current one, filled and sorted; false
 * if there are no more rows.
 */
static bool
next_group(ArraysState *state)
{
	RowGroup   *group;
	RowGroup   *ahead;

	if (state->filled > 0)
	{
		empty_group(state, &state->groups[state->current]);
		state->current = (state->current + 1) % GPUSORT_ARRAYS_GROUPS;
		state->filled--;
	}
	group = &state->groups[state->current];
	if (state->filled == 0 && !fill_group(state, group))
		return false;
	ahead = &state->groups[(state->current + 1) % GPUSORT_ARRAYS_GROUPS];
	if (state->filled == 1 && is_being_sorted(state, group) && state->ramp_rows == state->max_rows)
		fill_group(state, ahead);
	wait_for_group(state, group);
	return true;
}

/* Reads rows into an empty group and has them sorted; false if there are none. */
static bool
fill_group(ArraysState *state, RowGroup *group)
{
	int			wanted = rows_wanted(state);
	instr_time	start;
	TupleTableSlot *slot;

	INSTR_TIME_SET_ZERO(start);
	if (state->css.ss.ps.instrument)
		INSTR_TIME_SET_CURRENT(start);
	make_room_for_rows(state, group, wanted);
	state->may_compute = !state->fallible ||
		(current_run.to_end && current_run.estate == state->css.ss.ps.state);
	while (group->nrows < wanted && group->copied <= state->longest && (slot = read_row(state)) != NULL)
	{
		if (!state->started)
			start_scan(state);
		if (!pack_row(state, group, slot))
		{
			state->pending = slot;
			break;
		}
		keep_columns(state, group, slot);
		group->nrows++;
	}
	gpusort_toast_pause(state->toast);
	if (state->css.ss.ps.instrument)
		state->counters.read_ms += milliseconds_since(start);
	if (group->nrows == 0)
		return false;
	state->ramp_rows = Min(state->ramp_rows * RAMP_FACTOR, state->max_rows);
	state->filled++;
	submit_group(state, group);
	return true;
}

/* How many rows the next group should have. */
static int
rows_wanted(ArraysState *state)
{
	int64		left;

	if (!state->limit_known)
		find_limit(state);
	if (state->limit < 0)
		return state->ramp_rows;
	left = state->limit - state->child_position + (state->pending ? 1 : 0);
	return Max(Min(left, state->max_rows), 1);
}

/* The child's next row, or NULL. */
static TupleTableSlot *
read_row(ArraysState *state)
{
	TupleTableSlot *slot = state->pending;

	state->pending = NULL;
	if (slot != NULL || state->child_done)
		return slot;
	slot = ExecProcNode(outerPlanState(&state->css));
	state->child_position++;
	if (!TupIsNull(slot))
		return slot;
	state->child_done = true;
	return NULL;
}

/* Packs the arrays of a row as the group's next; false if they do not fit. */
static bool
pack_row(ArraysState *state, RowGroup *group, TupleTableSlot *slot)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext caller;
	int			call = 0;

	ResetExprContext(econtext);
	caller = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	if (state->computes)
	{
		load_scan_slot(state, slot);
		econtext->ecxt_scantuple = state->css.ss.ss_ScanTupleSlot;
	}
	group->by_function[group->nrows] = false;
	while (call < state->ncalls && gpusort_arrays_pack(state, group, call, slot))
	{
		if (gpusort_arrays_result_of(state, group, group->nrows, call)->state == RESULT_BY_FUNCTION)
			group->by_function[group->nrows] = true;
		call++;
	}
	MemoryContextSwitchTo(caller);
	if (call == state->ncalls)
		return true;
	while (--call >= 0)
		gpusort_arrays_unpack(state, group, call);
	return false;
}

/* Copies what will be needed of the child's row when it is emitted. */
static void
keep_columns(ArraysState *state, RowGroup *group, TupleTableSlot *slot)
{
	Datum	   *values = &group->values[group->nrows * state->ncolumns];
	bool	   *nulls = &group->nulls[group->nrows * state->ncolumns];
	bool		by_function = group->by_function[group->nrows];
	MemoryContext caller = MemoryContextSwitchTo(group->context);

	for (int i = 0; i < state->ncolumns; i++)
	{
		if (!state->kept[i] && !by_function)
		{
			values[i] = (Datum) 0;
			nulls[i] = true;
			continue;
		}
		values[i] = slot_getattr(slot, i + 1, &nulls[i]);
		if (nulls[i] || state->column_by_value[i])
			continue;
		values[i] = datumCopy(values[i], false, state->column_length[i]);
		group->copied += datumGetSize(values[i], false, state->column_length[i]);
	}
	MemoryContextSwitchTo(caller);
	if (group->tids)
	{
		ScanState  *child = positioned_child(state);

		ItemPointerSetInvalid(&group->tids[group->nrows]);
		if (child)
			group->tids[group->nrows] = child->ss_ScanTupleSlot->tts_tid;
	}
}

static void
submit_group(ArraysState *state, RowGroup *group)
{
	for (int i = 0; i < state->ncalls; i++)
	{
		SortBatch  *batch = group->batches[i];

		if (batch == NULL || batch->nsegments == 0)
			continue;
		batch->nslots = group->used[i] / state->calls[i].keys.width;
		state->counters.batches++;
		state->counters.segments += batch->nsegments;
		state->counters.bytes += group->used[i];
		gpusort_batch_submit(batch);
	}
}

/* Whether waiting for the group would take time. */
static bool
is_being_sorted(ArraysState *state, RowGroup *group)
{
	for (int i = 0; i < state->ncalls; i++)
	{
		SortBatch  *batch = group->batches[i];

		if (batch != NULL && batch->nsegments > 0 && !gpusort_batch_done(batch))
			return true;
	}
	return false;
}

static void
wait_for_group(ArraysState *state, RowGroup *group)
{
	instr_time	start;

	INSTR_TIME_SET_ZERO(start);
	if (state->css.ss.ps.instrument)
		INSTR_TIME_SET_CURRENT(start);
	for (int i = 0; i < state->ncalls; i++)
	{
		SortBatch  *batch = group->batches[i];

		if (batch == NULL || batch->nsegments == 0)
			continue;
		gpusort_batch_wait(batch);
		state->engine = batch->engine;
		state->method = batch->method;
		state->counters.device_ms += batch->device_ms;
	}
	if (state->css.ss.ps.instrument)
		state->counters.wait_ms += milliseconds_since(start);
}

/* Ends a group's batches and forgets its rows. */
static void
empty_group(ArraysState *state, RowGroup *group)
{
	for (int i = 0; i < state->ncalls; i++)
	{
		if (group->batches[i])
			gpusort_batch_end(group->batches[i]);
		group->batches[i] = NULL;
		group->used[i] = 0;
	}
	MemoryContextReset(group->context);
	group->nrows = 0;
	group->next_row = 0;
	group->copied = 0;
}

static void
drop_groups(ArraysState *state)
{
	for (int i = 0; i < GPUSORT_ARRAYS_GROUPS; i++)
		empty_group(state, &state->groups[i]);
	state->filled = 0;
	state->current = 0;
}

/* Returns the group's next row. */
static TupleTableSlot *
emit_row(ArraysState *state, RowGroup *group)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	int			row = group->next_row;
	MemoryContext caller;

	ResetExprContext(econtext);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, &group->values[row * state->ncolumns], state->ncolumns * sizeof(Datum));
	memcpy(slot->tts_isnull, &group->nulls[row * state->ncolumns], state->ncolumns * sizeof(bool));
	caller = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	for (int i = 0; i < state->ncalls; i++)
	{
		int			column = state->ncolumns + i;

		if (group->by_function[row])
			slot->tts_isnull[column] = true;
		else
			slot->tts_values[column] = gpusort_arrays_result(state, group, i, &slot->tts_isnull[column]);
	}
	MemoryContextSwitchTo(caller);
	ExecStoreVirtualTuple(slot);
	if (group->tids)
		remember_origin(state, &group->tids[row]);
	group->next_row++;
	state->position++;
	state->counters.rows++;
	if (group->by_function[row])
		state->counters.rows_by_function++;
	return project(state, group->by_function[row] ? state->by_function : state->css.ss.ps.ps_ProjInfo);
}

/* Makes the child's columns the scan tuple, without results of calls. */
static void
load_scan_slot(ArraysState *state, TupleTableSlot *child)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	slot_getallattrs(child);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, child->tts_values, state->ncolumns * sizeof(Datum));
	memcpy(slot->tts_isnull, child->tts_isnull, state->ncolumns * sizeof(bool));
	memset(slot->tts_isnull + state->ncolumns, true, state->ncalls * sizeof(bool));
	ExecStoreVirtualTuple(slot);
}

/* The target list over the scan tuple; without a projection the tuple itself. */
static TupleTableSlot *
project(ArraysState *state, ProjectionInfo *projection)
{
	if (projection == NULL)
		return state->css.ss.ss_ScanTupleSlot;
	state->css.ss.ps.ps_ExprContext->ecxt_scantuple = state->css.ss.ss_ScanTupleSlot;
	return ExecProject(projection);
}

/*
 * Lets UPDATE … WHERE CURRENT OF find the table's row, which it looks for in the
 * scan tuple.
 */
static void
remember_origin(ArraysState *state, ItemPointer tid)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	Relation	relation = state->css.ss.ss_currentRelation;

	if (relation == NULL)
		return;
	slot->tts_tid = *tid;
	slot->tts_tableOid = RelationGetRelid(relation);
}

/* The child, if it is a scan whose rows have a place in a table, or NULL. */
static ScanState *
positioned_child(ArraysState *state)
{
	PlanState  *child = outerPlanState(&state->css);

	switch (nodeTag(child))
	{
		case T_SeqScanState:
		case T_SampleScanState:
		case T_IndexScanState:
		case T_BitmapHeapScanState:
		case T_TidScanState:
		case T_TidRangeScanState:
			return (ScanState *) child;
		default:
			return NULL;
	}
}

/* Moves by one row in the executor's direction, and computes the row by itself. */
static TupleTableSlot *
step_single(ArraysState *state)
{
	PlanState  *child = outerPlanState(&state->css);
	ScanState  *origin = positioned_child(state);
	TupleTableSlot *slot;

	if (!state->backward)
	{
		drop_groups(state);
		state->pending = NULL;
		for (; state->child_position > state->position; state->child_position--)
			(void) ExecProcNode(child);
		state->backward = true;
	}
	slot = ExecProcNode(child);
	if (TupIsNull(slot))
	{
		ExecClearTuple(state->css.ss.ss_ScanTupleSlot);
		return ExecClearTuple(state->css.ss.ps.ps_ResultTupleSlot);
	}
	ResetExprContext(state->css.ss.ps.ps_ExprContext);
	load_scan_slot(state, slot);
	if (origin)
		remember_origin(state, &origin->ss_ScanTupleSlot->tts_tid);
	state->counters.rows++;
	state->counters.rows_by_function++;
	return project(state, state->by_function);
}

static double
milliseconds_since(instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_MILLISEC(now);
}
