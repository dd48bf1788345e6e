/*
 * parallel.c
 *	  Rows that parallel workers sort together, see parallel.h.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "nodes/plan_hook.h"
#include "nodes/plan_walk.h"
#include "nodes/rows/exec.h"
#include "nodes/rows/parallel.h"
#include "nodes/rows/rows_node.h"
#include "rows/shared_sort.h"

/* The node below the Gather. */
typedef struct SharedRowsState
{
	RowsNodeState rows;			/* must be first */
	ParallelContext *context;	/* in the leader */
	SharedSortState *shared;	/* NULL if there is no parallel query */
	dsa_area  **areas;			/* that it has */
	SharedSort *part;			/* NULL before it takes part, and if the leader is alone */
	bool		collected;
	int64		nrows;			/* of the part that is read, or all if the leader is alone */
} SharedRowsState;

/* The node above the Gather. */
typedef struct ReturnedRowsState
{
	CustomScanState css;		/* must be first */
	SharedRowsState *input;
	bool		started;
} ReturnedRowsState;

/* What a rows node's custom_private holds, with another role. */
static List *
with_role(const List *private, List *role)
{
	return list_make3(GPUSORT_ROWS_KEYS(private), list_nth(private, ROWS_KEPT), role);
}

/* A Gather of what nodes below it share, as the planner's node does that has the workers so far. */
static Gather *
make_gather(const Plan *plan, int num_workers, int rescan_param, Bitmapset *init_param, CustomScan *rows)
{
	Gather	   *gather = makeNode(Gather);

	gather->plan = *plan;
	NodeSetTag(gather, T_Gather);
	gather->plan.targetlist = gpusort_rows_columns_of(rows->scan.plan.targetlist, OUTER_VAR, false);
	gather->plan.initPlan = NIL;
	gather->plan.extParam = bms_copy(rows->scan.plan.extParam);
	gather->plan.allParam = bms_copy(rows->scan.plan.allParam);
	if (rescan_param >= 0)
	{
		gather->plan.extParam = bms_del_member(gather->plan.extParam, rescan_param);
		gather->plan.allParam = bms_del_member(gather->plan.allParam, rescan_param);
	}
	gather->plan.startup_cost = rows->scan.plan.startup_cost + parallel_setup_cost;
	gather->plan.total_cost = gather->plan.startup_cost;
	gather->plan.lefttree = &rows->scan.plan;
	gather->num_workers = num_workers;
	gather->rescan_param = rescan_param;
	gather->initParam = init_param;
	return gather;
}

static CustomScan *
make_returned(Gather *gather, CustomScan *rows, RowsUse use, int id)
{
	CustomScan *scan = makeNode(CustomScan);

	scan->scan.plan = gather->plan;
	NodeSetTag(scan, T_CustomScan);
	scan->scan.plan.plan_node_id = id;
	scan->scan.plan.targetlist = gpusort_rows_columns_of(gather->plan.targetlist, INDEX_VAR, true);
	scan->scan.plan.lefttree = &gather->plan;
	scan->custom_scan_tlist = gpusort_rows_columns_of(gather->plan.targetlist, OUTER_VAR, false);
	scan->custom_private = with_role(rows->custom_private, list_make2_int(ROWS_RETURN, use));
	scan->methods = rows->methods;
	rows->custom_private = with_role(rows->custom_private, list_make2_int(ROWS_SHARE, use));
	return scan;
}

Plan *
gpusort_rows_plan_shared(const Gather *gather, CustomScan *rows, RowsUse use, const PlanPlace *place)
{
	Gather	   *below = make_gather(&gather->plan, gather->num_workers, gather->rescan_param, gather->initParam, rows);
	CustomScan *scan = make_returned(below, rows, use, gpusort_plan_next_id(place->walk));

	scan->scan.plan.plan_rows = below->plan.plan_rows = 1;
	return &scan->scan.plan;
}

Plan *
gpusort_rows_plan_parallel(const GatherMerge *merge, CustomScan *rows, const PlanPlace *place)
{
	Gather	   *gather = make_gather(&merge->plan, merge->num_workers, merge->rescan_param, merge->initParam, rows);
	CustomScan *scan = make_returned(gather, rows, ROWS_FOR_ORDER, gpusort_plan_next_id(place->walk));
	Plan	   *top = &scan->scan.plan;

	scan->scan.plan.total_cost += gpusort_rows_return_cost(scan->scan.plan.plan_rows);
	if (gpusort_plan_hands_on_columns(merge->plan.targetlist, rows->scan.plan.targetlist))
		gpusort_rows_name_columns(top, &merge->plan);
	else
	{
		/* The Gather Merge computes columns. */
		top = &makeNode(Result)->plan;
		top->targetlist = merge->plan.targetlist;
		top->startup_cost = scan->scan.plan.startup_cost;
		top->total_cost = scan->scan.plan.total_cost;
		top->plan_rows = merge->plan.plan_rows;
		top->plan_width = merge->plan.plan_width;
		top->plan_node_id = gpusort_plan_next_id(place->walk);
		top->lefttree = &scan->scan.plan;
	}
	top->initPlan = merge->plan.initPlan;
	top->extParam = merge->plan.extParam;
	top->allParam = merge->plan.allParam;
	return top;
}

void
gpusort_rows_share_groups(CustomScan *rows, int keys)
{
	rows->custom_private = with_role(rows->custom_private, list_make3_int(ROWS_SHARE, ROWS_FOR_GROUPS, keys));
}

/* Takes part in the shared sort. */
static void
join_sort(SharedRowsState *state)
{
	const Plan *plan = state->rows.scan.css.ss.ps.plan;
	double		bytes = plan->plan_rows * Max(plan->plan_width, 1);
	Size		limit = gpusort_shared_sort_local_bytes(state->shared, bytes);
	bool		for_groups = state->rows.use == ROWS_FOR_GROUPS;

	gpusort_rows_begin_sort(&state->rows, limit);
	state->part = gpusort_shared_sort_join(state->shared, state->areas, state->rows.sort, ParallelWorkerNumber + 1,
										   for_groups ? lthird_int(list_nth(((CustomScan *) plan)->custom_private, ROWS_ROLE)) : 0);
}

static bool
is_alone(const SharedRowsState *state)
{
	return state->shared == NULL || (state->context != NULL && state->context->nworkers_launched == 0);
}

/* Reads the input, or some of it. */
static void
collect(SharedRowsState *state)
{
	state->collected = true;
	if (is_alone(state))
	{
		gpusort_rows_sort_input(&state->rows);
		state->nrows = state->rows.sort->nrows;
		return;
	}
	join_sort(state);
	if (!gpusort_shared_sort_collects(state->part))
		return;
	gpusort_rows_read_input(&state->rows);
	gpusort_rows_sort_share(state->rows.sort);
	gpusort_shared_sort_collected(state->part);
}

/* Returns the next row of the part that is read, or of the first one behind it that has any. */
static TupleTableSlot *
next_row(SharedRowsState *state, TupleTableSlot *slot, bool (*next_part) (SharedSort *part))
{
	RowsNodeState *rows = &state->rows;

	if (rows->current + 1 == state->nrows)
		ExecClearTuple(slot);
	while (rows->current + 1 == state->nrows && state->part != NULL && next_part(state->part))
	{
		rows->current = -1;
		state->nrows = rows->sort->nrows;
	}
	if (rows->current + 1 == state->nrows)
		return slot;
	rows->current++;
	return gpusort_rows_fill_slot(rows, slot);
}

/* Returns the next row of groups that this process takes. */
static TupleTableSlot *
next_of_groups(SharedRowsState *state, TupleTableSlot *slot)
{
	if (gpusort_rows_move_slot(&state->rows, slot))
		return slot;
	if (!state->collected)
		collect(state);
	return next_row(state, slot, gpusort_shared_sort_take);
}

/*
 * Where the leader returns rows, the first call returns a row of NULLs when parts can be read.  The second one, in a worker,
 * does what is left to do.
 */
static TupleTableSlot *
exec_shared(CustomScanState *node)
{
	SharedRowsState *state = (SharedRowsState *) node;
	TupleTableSlot *slot = node->ss.ps.ps_ResultTupleSlot;

	if (state->rows.use == ROWS_FOR_GROUPS)
		return next_of_groups(state, slot);
	if (!state->collected)
	{
		collect(state);
		return ExecStoreAllNullTuple(slot);
	}
	if (IsParallelWorker() && state->part != NULL && state->rows.use == ROWS_FOR_ORDER)
		gpusort_shared_sort_help(state->part);
	else if (IsParallelWorker() && state->part != NULL && state->rows.use == ROWS_FOR_RUNS)
		gpusort_shared_sort_count(state->part);
	return ExecClearTuple(slot);
}

/* Has nothing to do with the others any more.  Rows that were returned stay. */
static void
leave(SharedRowsState *state)
{
	if (state->shared != NULL && !IsParallelWorker())
		gpusort_shared_sort_stop(state->shared);
	if (state->part != NULL)
		gpusort_shared_sort_leave(state->part);
	if (state->rows.sort != NULL)
		state->rows.scan.counters = state->rows.sort->stats;
	state->part = NULL;
}

/* Ends a parallel query. */
static void
detach(SharedRowsState *state)
{
	leave(state);
	if (state->shared != NULL)
		gpusort_shared_sort_detach(state->shared, state->areas);
	state->shared = NULL;
}

static void
forget(SharedRowsState *state)
{
	leave(state);
	if (state->rows.sort != NULL)
		gpusort_rows_sort_free(state->rows.sort);
	state->rows.sort = NULL;
	state->collected = false;
	state->nrows = 0;
	state->rows.current = -1;
	state->rows.ahead = 0;
}

static void
end_shared(CustomScanState *node)
{
	detach((SharedRowsState *) node);
	forget((SharedRowsState *) node);
	ExecEndNode(outerPlanState(node));
}

/*
 * Where memory is shared, what the node had is forgotten before workers start.  This is called when the Gather runs the node
 * here, which may be after they have collected all rows.
 */
static void
rescan_shared(CustomScanState *node)
{
	SharedRowsState *state = (SharedRowsState *) node;
	PlanState  *input = outerPlanState(node);

	if (state->shared == NULL)
		forget(state);
	if (input->chgParam == NULL)
		ExecReScan(input);
}

/* Where the counters of workers are, behind what they share. */
static void *
counters_in(void *shared, int participants)
{
	return (char *) shared + gpusort_shared_sort_size(participants);
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	return add_size(gpusort_shared_sort_size(context->nworkers + 1), gpusort_parallel_stats_estimate(node, context));
}

static void
init_shared(CustomScanState *node, ParallelContext *context, void *shared)
{
	SharedRowsState *state = (SharedRowsState *) node;
	int			participants = context->nworkers + 1;

	forget(state);
	gpusort_parallel_stats_share(node, context, counters_in(shared, participants));
	state->context = context;
	state->areas = context->seg ? gpusort_shared_sort_init(shared, context->seg, participants, work_mem * (Size) 1024) : NULL;
	state->shared = state->areas ? shared : NULL;
	if (state->shared == NULL)
		ReinitializeParallelWorkers(context, 0);
}

static void
reset_shared(CustomScanState *node, ParallelContext *context, void *shared)
{
	SharedRowsState *state = (SharedRowsState *) node;

	forget(state);
	if (state->shared != NULL)
		gpusort_shared_sort_reset(state->shared, state->areas);
}

static void
attach_shared(CustomScanState *node, shm_toc *toc, void *shared)
{
	SharedRowsState *state = (SharedRowsState *) node;

	gpusort_parallel_stats_attach(node, toc, counters_in(shared, gpusort_shared_sort_participants(shared)));
	state->shared = shared;
	state->areas = gpusort_shared_sort_attach(shared);
}

/* Called before the Gather waits for the workers. */
static void
shutdown_shared(CustomScanState *node)
{
	SharedRowsState *state = (SharedRowsState *) node;

	detach(state);
	gpusort_parallel_stats_publish(&state->rows.scan);
}

/* A rescan sorts again. */
static void
begin_shared(CustomScanState *node, EState *estate, int eflags)
{
	gpusort_rows_begin(node, estate, eflags & ~(EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
}

static void
begin_returned(CustomScanState *node, EState *estate, int eflags)
{
	ReturnedRowsState *state = (ReturnedRowsState *) node;
	GatherState *gather;

	/* A rescan sorts again.  So batches are lent to the slot whether there are workers or not. */
	eflags &= ~(EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	gather = castNode(GatherState, ExecInitNode(outerPlan(node->ss.ps.plan), estate, eflags));
	outerPlanState(node) = &gather->ps;
	state->input = (SharedRowsState *) outerPlanState(gather);
	gpusort_rows_return_in(&node->ss, state->input->rows.scan.css.ss.ps.resultops);
}

/*
 * Has workers begin, and waits until the first part can be read.  The leader reads the input as well, whatever
 * the setting says: no rows of workers wait for it.  And a queue does not show it a worker's only row.
 */
static void
start(ReturnedRowsState *state)
{
	SharedRowsState *input = state->input;
	bool		participation = parallel_leader_participation;

	PG_TRY();
	{
		parallel_leader_participation = true;
		(void) ExecProcNode(outerPlanState(state));
	}
	PG_FINALLY();
	{
		parallel_leader_participation = participation;
	}
	PG_END_TRY();
	state->started = true;
	if (!is_alone(input) && input->part == NULL)
		join_sort(input);
	input->collected = true;
}

/* Waits until workers have ended, which do so now. */
static void
await_workers(CustomScanState *node)
{
	TupleTableSlot *end;

	do
		end = ExecProcNode(outerPlanState(node));
	while (!TupIsNull(end));
}

static TupleTableSlot *
exec_returned(CustomScanState *node)
{
	ReturnedRowsState *state = (ReturnedRowsState *) node;
	SharedRowsState *input = state->input;
	TupleTableSlot *slot = node->ss.ps.ps_ResultTupleSlot;

	if (gpusort_rows_move_slot(&input->rows, slot))
		return slot;
	if (!state->started)
		start(state);
	slot = next_row(input, slot, gpusort_shared_sort_next);
	if (TupIsNull(slot))
		await_workers(node);
	return slot;
}

/* Returns a row of NULLs, for which the aggregates above have their states made, if there are values. */
static TupleTableSlot *
exec_values(CustomScanState *node)
{
	ReturnedRowsState *state = (ReturnedRowsState *) node;
	SharedRowsState *input = state->input;
	TupleTableSlot *slot = node->ss.ps.ps_ResultTupleSlot;

	if (state->started)
		return ExecClearTuple(slot);
	start(state);
	if (input->part != NULL && input->rows.use == ROWS_FOR_RUNS)
		gpusort_shared_sort_count(input->part);
	await_workers(node);
	if ((input->part != NULL ? gpusort_shared_sort_rows(input->part) : input->nrows) == 0)
		return ExecClearTuple(slot);
	return ExecStoreAllNullTuple(slot);
}

static SortOffer
offered_values(CustomScanState *node)
{
	SharedRowsState *input = ((ReturnedRowsState *) node)->input;

	return (SortOffer) {.sort = input->rows.sort,.shared = input->part};
}

static SortOffer
offered_rows(CustomScanState *node)
{
	return gpusort_rows_offered(&((ReturnedRowsState *) node)->input->rows.scan.css);
}

static void
end_returned(CustomScanState *node)
{
	ExecEndNode(outerPlanState(node));
}

static void
rescan_returned(CustomScanState *node)
{
	ReturnedRowsState *state = (ReturnedRowsState *) node;
	PlanState  *gather = outerPlanState(node);

	ExecClearTuple(node->ss.ps.ps_ResultTupleSlot);
	if (!state->started)
		return;
	forget(state->input);
	state->started = false;
	if (gather->chgParam == NULL)
		ExecReScan(gather);
}

static const OfferMethods shared_exec_methods = {
	.exec = {
		.CustomName = GPUSORT_OFFERS,
		.BeginCustomScan = begin_shared,
		.ExecCustomScan = exec_shared,
		.EndCustomScan = end_shared,
		.ReScanCustomScan = rescan_shared,
		.EstimateDSMCustomScan = estimate_shared,
		.InitializeDSMCustomScan = init_shared,
		.ReInitializeDSMCustomScan = reset_shared,
		.InitializeWorkerCustomScan = attach_shared,
		.ShutdownCustomScan = shutdown_shared,
		.ExplainCustomScan = gpusort_rows_explain,
	},
	.offered = gpusort_rows_offered
};

#define METHODS(exec) \
{ \
	.CustomName = GPUSORT_OFFERS, \
	.BeginCustomScan = begin_returned, \
	.ExecCustomScan = exec, \
	.EndCustomScan = end_returned, \
	.ReScanCustomScan = rescan_returned, \
	.ExplainCustomScan = gpusort_rows_explain_keys, \
}

static const OfferMethods returned_exec_methods = {METHODS(exec_returned), offered_rows};
static const OfferMethods values_exec_methods = {METHODS(exec_values), offered_values};

Node *
gpusort_rows_create_shared(void)
{
	SharedRowsState *state = (SharedRowsState *) newNode(sizeof(SharedRowsState), T_CustomScanState);

	state->rows.scan.css.methods = &shared_exec_methods.exec;
	return (Node *) state;
}

Node *
gpusort_rows_create_returned(RowsUse use)
{
	ReturnedRowsState *state = (ReturnedRowsState *) newNode(sizeof(ReturnedRowsState), T_CustomScanState);

	state->css.methods = use == ROWS_FOR_ORDER ? &returned_exec_methods.exec : &values_exec_methods.exec;
	return (Node *) state;
}
