/*
 * exec.c
 *	  Runs the arrays node: reads rows in groups, has their arrays sorted, and
 *	  returns the rows in the order in which they came.
 *
 * Errors of a call are raised when its row is returned: every array that is not in the
 * simple form is left to the function itself, which is called only then.  Arguments and the
 * child may raise errors too, so rows are read ahead only if all are sure to be asked for:
 * because the executor was asked for all, or because a node above needs all of them for its
 * first row.  Otherwise each row is computed by itself.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"

#include "compat.h"
#include "nodes/arrays/arrays_node.h"
#include "nodes/arrays/arrays_state.h"
#include "nodes/arrays/target_list.h"

#define BATCH_BYTES (256 * 1024)	/* bytes of keys that a core's cache holds */
#define MIN_BYTES (16 * 1024)	/* bytes of keys for the smallest work_mem */
#define LONGEST_ARRAY (16 * 1024 * 1024)	/* batches do not help for longer arrays */

/* The innermost running executor, and whether it was asked for all rows. */
typedef struct CurrentRun
{
	EState	   *estate;
	bool		to_end;
} CurrentRun;

static CurrentRun current_run = {NULL, false};
static ExecutorRun_hook_type previous_run = NULL;

/* Prepares the calls, and the projection that leaves them to their functions. */
static void
init_calls(ArraysState *state, CustomScan *plan)
{
	PlanState  *ps = &state->scan.css.ss.ps;
	List	   *kinds = list_nth(plan->custom_private, ARRAYS_PRIVATE_KINDS);
	List	   *calls = NIL;
	List	   *target_list;

	state->calls = palloc0_array(BatchedCall, state->ncalls);
	for (int i = 0; i < state->ncalls; i++)
	{
		TargetEntry *entry = list_nth(plan->custom_scan_tlist, state->ncolumns + i);
		FuncExpr   *call = (FuncExpr *) gpusort_target_renumber((Node *) entry->expr, OUTER_VAR, INDEX_VAR);

		state->calls[i].kind = list_nth_int(kinds, i);
		gpusort_arrays_init_call(state, &state->calls[i], call);
		calls = lappend(calls, call);
	}
	target_list = (List *) gpusort_target_restore_calls((Node *) plan->scan.plan.targetlist, calls, state->ncolumns + 1);
	state->by_function = ExecBuildProjectionInfo(target_list, ps->ps_ExprContext, ps->ps_ResultTupleSlot, ps,
												 state->scan.css.ss.ss_ScanTupleSlot->tts_tupleDescriptor);
}

/* Finds out which of the child's columns are needed when a row is returned. */
static void
init_columns(ArraysState *state, CustomScan *plan)
{
	List	   *vars = pull_var_clause((Node *) plan->scan.plan.targetlist, PVC_RECURSE_AGGREGATES |
									   PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);
	ListCell   *cell;

	state->kept = palloc0_array(bool, state->ncolumns + 1);
	foreach(cell, vars)
	{
		Var		   *var = lfirst(cell);

		if (IsA(var, Var) && var->varno == INDEX_VAR && var->varattno > 0 && var->varattno <= state->ncolumns)
			state->kept[var->varattno - 1] = true;
	}
}

/*
 * Divides work_mem: the batches of a group in ordinary memory may take half of it.  The
 * memory of a whole group is set when the calls are started.
 */
static void
init_memory(ArraysState *state)
{
	Size		half = (Size) work_mem * 1024 / 2;

	state->batch_bytes = Max(Min(half / state->ncalls, BATCH_BYTES), MIN_BYTES);
	state->longest = Max(Min(half / state->ncalls, LONGEST_ARRAY), state->batch_bytes);
	state->row_bytes = gpusort_arrays_row_bytes(state);
	state->toast = gpusort_toast_begin();
	state->max_rows = 1;		/* these values hold until the calls are started */
	state->all_bytes = state->group_bytes = 2 * half;
	state->ramp_rows = 1;
	for (int i = 0; i < GPUSORT_ARRAYS_GROUPS; i++)
		gpusort_arrays_init_group(state, &state->groups[i]);
}

static void
begin_node(CustomScanState *css, EState *estate, int eflags)
{
	ArraysState *state = (ArraysState *) css;
	CustomScan *plan = (CustomScan *) css->ss.ps.plan;

	outerPlanState(css) = ExecInitNode(outerPlan(plan), estate, eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
	state->context = AllocSetContextCreate(CurrentMemoryContext, "gpusort arrays node", ALLOCSET_DEFAULT_SIZES);
	state->ncalls = list_length(list_nth(plan->custom_private, ARRAYS_PRIVATE_KINDS));
	state->ncolumns = list_length(plan->custom_scan_tlist) - state->ncalls;
	init_calls(state, plan);
	init_columns(state, plan);
	state->at_once = linitial_int(list_nth(plan->custom_private, ARRAYS_PRIVATE_AT_ONCE));
	if (plan->custom_exprs != NIL)
	{
		state->limit_count = ExecInitExpr(linitial(plan->custom_exprs), &css->ss.ps);
		state->limit_offset = ExecInitExpr(lsecond(plan->custom_exprs), &css->ss.ps);
	}
	init_memory(state);
}

/* True if every row, or every row within the limit, is sure to be asked for. */
static bool
all_rows_wanted(ArraysState *state)
{
	return state->at_once || (current_run.to_end && current_run.estate == state->scan.css.ss.ps.state);
}

/* Projects the scan tuple.  Without a projection returns the tuple itself. */
static TupleTableSlot *
project(ArraysState *state, ProjectionInfo *projection)
{
	if (projection == NULL)
		return state->scan.css.ss.ss_ScanTupleSlot;
	state->scan.css.ss.ps.ps_ExprContext->ecxt_scantuple = state->scan.css.ss.ss_ScanTupleSlot;
	return ExecProject(projection);
}

/* Returns the group's next row. */
static TupleTableSlot *
emit_row(ArraysState *state, RowGroup *group)
{
	ExprContext *econtext = state->scan.css.ss.ps.ps_ExprContext;
	TupleTableSlot *slot = state->scan.css.ss.ss_ScanTupleSlot;
	int			row = group->next_row;
	MemoryContext caller;

	ResetExprContext(econtext);
	ExecClearTuple(slot);
	memcpy(slot->tts_values, &group->values[(Size) row * state->ncolumns], state->ncolumns * sizeof(Datum));
	memcpy(slot->tts_isnull, &group->nulls[(Size) row * state->ncolumns], state->ncolumns * sizeof(bool));
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
	group->next_row++;
	if (group->by_function[row])
		state->scan.counters.rows_by_function++;
	return project(state, group->by_function[row] ? state->by_function : state->scan.css.ss.ps.ps_ProjInfo);
}

/* Reads the next row and computes it by calling the functions.  Returns an empty slot after the last row. */
static TupleTableSlot *
next_single(ArraysState *state)
{
	TupleTableSlot *child;

	gpusort_arrays_drop_groups(state);
	child = gpusort_arrays_read_row(state);
	if (child == NULL)
		return ExecClearTuple(state->scan.css.ss.ps.ps_ResultTupleSlot);
	ResetExprContext(state->scan.css.ss.ps.ps_ExprContext);
	gpusort_arrays_load_columns(state, child);
	state->scan.counters.rows_by_function++;
	return project(state, state->by_function);
}

/* Returns the next row. */
static TupleTableSlot *
exec_node(CustomScanState *css)
{
	ArraysState *state = (ArraysState *) css;
	RowGroup   *group = &state->groups[state->current];

	if (state->filled == 0 || group->next_row >= group->nrows)
	{
		state->scan.counters.sorted = true;
		if (state->filled <= 1 && !all_rows_wanted(state))
			return next_single(state);
		if (!gpusort_arrays_next_group(state))
			return ExecClearTuple(css->ss.ps.ps_ResultTupleSlot);
		group = &state->groups[state->current];
	}
	return emit_row(state, group);
}

static void
end_node(CustomScanState *css)
{
	ArraysState *state = (ArraysState *) css;

	gpusort_arrays_drop_groups(state);
	gpusort_toast_end(state->toast);
	ExecEndNode(outerPlanState(css));
	MemoryContextDelete(state->context);
}

static void
rescan_node(CustomScanState *css)
{
	ArraysState *state = (ArraysState *) css;

	gpusort_arrays_drop_groups(state);
	state->ramp_rows = 1;
	state->started = false;
	state->child_done = false;
	state->pending = NULL;
	state->rows_read = 0;
	ExecClearTuple(css->ss.ps.ps_ResultTupleSlot);
	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	/* The limit comes first: a Sort keeps its rows only if it is to return as many as before. */
	gpusort_arrays_find_limit(state);
	if (outerPlanState(css)->chgParam == NULL)
		ExecReScan(outerPlanState(css));
}

/*
 * Gives slabs back if all rows that were read have been returned.  The executor calls this
 * after every run, and may ask for further rows later.
 */
static void
shutdown_node(CustomScanState *css)
{
	ArraysState *state = (ArraysState *) css;
	const RowGroup *group = &state->groups[state->current];

	if (state->filled == 1 && group->next_row == group->nrows)
		gpusort_arrays_drop_groups(state);
	gpusort_parallel_stats_publish(&state->scan);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "GpusortArrays",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = exec_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.EstimateDSMCustomScan = gpusort_parallel_stats_estimate,
	.InitializeDSMCustomScan = gpusort_parallel_stats_share,
	.InitializeWorkerCustomScan = gpusort_parallel_stats_attach,
	.ShutdownCustomScan = shutdown_node,
	.ExplainCustomScan = gpusort_arrays_explain
};

/* Notes whether the caller wants all rows.  After the run, or an error, it is again that of the outer run. */
static void
run_query(GPUSORT_RUN_PARAMETERS)
{
	CurrentRun	outer = current_run;

	current_run.estate = query->estate;
	current_run.to_end = count == 0;
	PG_TRY();
	{
		if (previous_run)
			previous_run(GPUSORT_RUN_ARGUMENTS);
		else
			standard_ExecutorRun(GPUSORT_RUN_ARGUMENTS);
	}
	PG_FINALLY();
	{
		current_run = outer;
	}
	PG_END_TRY();
}

/* Hooks into each run of the executor. */
void
gpusort_arrays_exec_init(void)
{
	previous_run = ExecutorRun_hook;
	ExecutorRun_hook = run_query;
}

static Node *
create_state(CustomScan *plan)
{
	ArraysState *state = (ArraysState *) newNode(sizeof(ArraysState), T_CustomScanState);

	state->scan.css.methods = &exec_methods;
	return (Node *) state;
}

const CustomScanMethods gpusort_arrays_scan_methods = {
	.CustomName = "GpusortArrays",
	.CreateCustomScanState = create_state
};
