/*
 * plan.c
 *	  Decides which aggregates of an Agg are replaced, and which get sorted input.
 *
 * A built-in aggregate that sorts is computed for one group after the other, and so is what
 * takes its place: neither keeps more than work_mem of a group in memory.  From version 16 of
 * PostgreSQL on the planner may sort the input of such an aggregate below the Agg instead.
 * That Sort loses its keys beyond those of the groups, if no other aggregate needs them.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"

#include "compat.h"
#include "guc.h"
#include "keys/sort_spec.h"
#include "nodes/aggregates/aggregates.h"

/* With fewer rows nothing is replaced. */
#define LEAST_ROWS 10000.0

/* Where the server has sorted the input, replacing a call does not pay for groups of fewer rows. */
#define LEAST_ROWS_OF_GROUP 30.0

/* Nor does replacing array_agg(x ORDER BY y), for which the input can be sorted, for groups of fewer rows. */
#define LEAST_ROWS_OF_ARRAY 8.0

/* Finding the first elements of an array pays for groups of this many rows, and this many times the elements. */
#define LEAST_ROWS_OF_TOP 64.0
#define LEAST_ROWS_PER_FIRST 4.0

/* Dropping the other rows as they are read pays for groups of this many times as many rows. */
#define LEAST_ROWS_PER_FIRST_ROW 32.0

/* Adds a call to the list, of whose array the first elements are wanted, or all. */
static void
add_call(List **calls, Aggref *aggregate, int first)
{
	AggregateCall *call = palloc0(sizeof(AggregateCall));

	call->call = aggregate;
	call->first = first;
	call->replaceable = gpusort_aggregate_sorts(aggregate);
	call->ordered = gpusort_aggregate_is_ordered(aggregate);
	*calls = lappend(*calls, call);
}

/* How many of the first elements of an aggregate's array a subscript can reach; 0 if that is not known. */
static int
first_wanted(const SubscriptingRef *subscript)
{
	const Const *upper;

	if (!IsA(subscript->refexpr, Aggref) || list_length(subscript->refupperindexpr) != 1)
		return 0;
	upper = linitial(subscript->refupperindexpr);
	if (upper == NULL || !IsA(upper, Const) || upper->consttype != INT4OID || upper->constisnull)
		return 0;
	return Max(DatumGetInt32(upper->constvalue), 0);
}

/* Adds all calls of an expression to the list. */
static bool
find_calls(Node *node, void *arg)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		add_call(arg, (Aggref *) node, 0);
		return false;
	}
	if (IsA(node, SubscriptingRef))
	{
		const SubscriptingRef *subscript = (const SubscriptingRef *) node;
		int			first = first_wanted(subscript);

		if (first > 0)
		{
			add_call(arg, (Aggref *) subscript->refexpr, first);
			return find_calls((Node *) subscript->reflowerindexpr, arg);
		}
	}
	return expression_tree_walker(node, find_calls, arg);
}

/* Why none of the calls of an Agg is touched, or PLAN_TAKEN. */
static PlanReason
judge_all(const Agg *agg, const PlanPlace *place)
{
	if (place->owned)
		return PLAN_OWNED;
	if (!gpusort_enable_aggregates)
		return PLAN_SWITCHED_OFF;
	if (gpusort_method != GPUSORT_METHOD_AUTO)
		return PLAN_METHOD;
	if (agg->groupingSets != NIL || agg->chain != NIL)
		return PLAN_GROUPING_SETS;
	if (!gpusort_force_nodes && agg->plan.lefttree->plan_rows < LEAST_ROWS)
		return PLAN_FEW_ROWS;
	return PLAN_TAKEN;
}

/* How many rows a group is expected to have. */
static double
rows_of_group(const Agg *agg)
{
	return agg->plan.lefttree->plan_rows / (agg->aggstrategy == AGG_PLAIN ? 1 : Max(agg->numGroups, 1));
}

/* True if fewer than so many rows are expected per group. */
static bool
has_small_groups(const Agg *agg, double least)
{
	return !gpusort_force_nodes && rows_of_group(agg) < least;
}

/*
 * True if another call beside this array_agg(x ORDER BY y) has its order, so that one Sort
 * serves both.  The first elements are found without a Sort.
 */
static bool
shares_order(const AggregateCall *call, List *calls)
{
	ListCell   *cell;

	foreach(cell, calls)
	{
		const AggregateCall *beside = lfirst(cell);
		const Aggref *other = beside->call;

		if (other->aggno != call->call->aggno && !AGGKIND_IS_ORDERED_SET(other->aggkind) && beside->first == 0 &&
			gpusort_aggregates_share_order(call->call, other))
			return true;
	}
	return false;
}

/* How many of the first elements of a call's array are to be found; 0 if it costs less to sort all. */
static int
first_to_find(const Agg *agg, const AggregateCall *call, List *calls)
{
	int			first = 0;
	ListCell   *cell;

	foreach(cell, calls)
	{
		const AggregateCall *same = lfirst(cell);

		if (same->call->aggno != call->call->aggno)
			continue;
		if (same->first == 0)
			return 0;
		first = Max(first, same->first);
	}
	if (has_small_groups(agg, Max(LEAST_ROWS_OF_TOP, LEAST_ROWS_PER_FIRST * first)))
		return 0;
	return first;
}

/*
 * True if it costs less to sort the values of each group than all rows by the groups and the
 * order of array_agg(x ORDER BY y), and if what is kept of a group is expected to fit work_mem.
 * An array sorted by its own values needs less memory than array_agg itself.
 */
static bool
sorts_groups(const Agg *agg, const AggregateCall *call, List *calls)
{
	double		rows = rows_of_group(agg);
	bool		by_itself = list_length(call->call->args) == 1;

	if (has_small_groups(agg, LEAST_ROWS_OF_ARRAY) || (call->first == 0 && shares_order(call, calls)))
		return false;
	if (call->first > 0)
		rows = Min(rows, LEAST_ROWS_PER_FIRST * call->first);
	return by_itself || rows * agg->plan.lefttree->plan_width <= work_mem * 1024.0;
}

/* Decides of which calls' arrays the first elements are to be found. */
static void
judge_firsts(const Agg *agg, List *calls)
{
	ListCell   *cell;
	List	   *firsts = NIL;
	ListCell   *first;

	foreach(cell, calls)
		firsts = lappend_int(firsts, first_to_find(agg, lfirst(cell), calls));
	forboth(cell, calls, first, firsts)
		((AggregateCall *) lfirst(cell))->first = lfirst_int(first);
}

/* True if so few rows of each group are wanted that the others are to be dropped as they are read. */
static bool
wants_few_rows(const Agg *agg, List *calls)
{
	ListCell   *cell;

	foreach(cell, calls)
	{
		if (has_small_groups(agg, LEAST_ROWS_PER_FIRST_ROW * ((const AggregateCall *) lfirst(cell))->first))
			return false;
	}
	return true;
}

/* Decides which calls of array_agg with ORDER BY may be replaced.  Others are left to a Sort below the Agg. */
static void
judge_ordered_arrays(const Agg *agg, List *calls)
{
	ListCell   *cell;

	foreach(cell, calls)
	{
		AggregateCall *call = lfirst(cell);

		if (!gpusort_aggregate_is_ordered_array(call->call))
			continue;
		if (sorts_groups(agg, call, calls))
			gpusort_aggregate_describe(call);
		call->replaceable = OidIsValid(call->replacement);
		call->ordered &= !call->replaceable;
		call->reason = PLAN_TAKEN;
		call->detail = NULL;
	}
}

/* Decides about the calls that may be replaced. */
static void
judge_replaceable(const Agg *agg, List *calls)
{
	bool		needed = false; /* another aggregate needs the order of the input */
	ListCell   *cell;
	ListCell   *other;

	judge_ordered_arrays(agg, calls);
	foreach(cell, calls)
	{
		AggregateCall *call = lfirst(cell);

		if (!call->replaceable)
		{
			needed |= GPUSORT_IS_PRESORTED(call->call) || !gpusort_aggregate_hides_order(call);
			continue;
		}
		gpusort_aggregate_describe(call);
		if (call->reason == PLAN_TAKEN && GPUSORT_IS_PRESORTED(call->call) &&
			!gpusort_aggregate_is_ordered_array(call->call) && has_small_groups(agg, LEAST_ROWS_OF_GROUP))
			call->reason = PLAN_MANY_GROUPS;
		needed |= GPUSORT_IS_PRESORTED(call->call) && call->reason != PLAN_TAKEN;
	}
	foreach(cell, calls)
	{
		AggregateCall *call = lfirst(cell);

		if (!call->replaceable || call->reason != PLAN_TAKEN)
			continue;
		if (GPUSORT_IS_PRESORTED(call->call) && (needed || !IsA(agg->plan.lefttree, Sort)))
			call->reason = PLAN_PRESORTED;
		/* Calls that share a state must all be the extension's. */
		foreach(other, calls)
		{
			const AggregateCall *beside = lfirst(other);

			if (beside->call->aggtransno == call->call->aggtransno && (!beside->replaceable || beside->reason != PLAN_TAKEN))
				call->reason = PLAN_NO_AGGREGATE;
		}
	}
}

/* Removes the keys that the Sort below an Agg had for presorted aggregates, when none of these is left. */
static void
drop_order(Agg *agg)
{
	Sort	   *sort = (Sort *) agg->plan.lefttree;

	if (agg->numCols > 0)
		sort->numCols = Min(sort->numCols, agg->numCols);
	else
	{
		Plan	   *input = sort->plan.lefttree;

		/* The topmost node of a subquery, as the Sort may have been, computes its parameters, some from those above. */
		if (sort->plan.initPlan != NIL)
		{
			input->parallel_safe = false;
			input->extParam = bms_union(input->extParam, sort->plan.extParam);
			input->allParam = bms_union(input->allParam, sort->plan.allParam);
		}
		input->initPlan = list_concat(sort->plan.initPlan, input->initPlan);
		agg->plan.lefttree = input;
	}
}

/* True if another aggregate has the state of a call, too. */
static bool
shares_state(const AggregateCall *call, List *calls)
{
	ListCell   *cell;

	foreach(cell, calls)
	{
		const Aggref *other = ((const AggregateCall *) lfirst(cell))->call;

		if (other->aggtransno == call->call->aggtransno && other->aggno != call->call->aggno)
			return true;
	}
	return false;
}

/* Changes a call whose rows come sorted, below the Agg. */
static void
take_sorted(const AggregateCall *call, List *calls, PlannedStmt *statement)
{
	bool		collects = call->call->aggfnoid == F_ARRAY_AGG_ANYNONARRAY && call->call->aggdistinct == NIL &&
		!shares_state(call, calls);

	if (call->ordered || collects)
		gpusort_aggregate_take_order(call->call);
	if (collects)
		gpusort_aggregate_collect(statement, call->call);
}

/* Changes the calls that are taken. */
static void
take_calls(Agg *agg, List *calls, PlannedStmt *statement)
{
	bool		presorted = false;
	ListCell   *cell;

	foreach(cell, calls)
	{
		const AggregateCall *call = lfirst(cell);

		if (call->replaceable && call->reason == PLAN_TAKEN)
		{
			presorted |= GPUSORT_IS_PRESORTED(call->call);
			gpusort_aggregate_replace(statement, call);
		}
		else if (GPUSORT_IS_PRESORTED(call->call) || (call->ordered && call->reason == PLAN_TAKEN))
			take_sorted(call, calls, statement);
	}
	if (presorted)
		drop_order(agg);
}

/* Decides about the calls of an Agg.  Returns the Sort to be its input, or NULL. */
static Sort *
judge_calls(Agg *agg, List *calls, const PlanPlace *place)
{
	Sort	   *sort;

	judge_firsts(agg, calls);
	sort = wants_few_rows(agg, calls) ? gpusort_aggregates_order_first(agg, calls, place) : NULL;
	if (sort != NULL)
		return sort;
	judge_replaceable(agg, calls);
	return gpusort_aggregates_order(agg, calls, place);
}

/* Notes what becomes of the calls that sort. */
static void
note_calls(const Agg *agg, List *calls, const PlanPlace *place)
{
	ListCell   *cell;

	gpusort_reason_begin(place);
	foreach(cell, calls)
	{
		const AggregateCall *call = lfirst(cell);

		if (call->replaceable || call->ordered)
			gpusort_reason_note_call(place, &agg->plan, (const Node *) call->call, call->reason, call->detail);
	}
}

/* Looks at the aggregates of an Agg. */
static void
prepare_plan(Plan *plan, const PlanPlace *place)
{
	Agg		   *agg = (Agg *) plan;
	List	   *calls = NIL;
	PlanReason	reason;
	bool		any = false;
	Sort	   *sort;
	ListCell   *cell;

	if (!IsA(plan, Agg) || agg->aggsplit != AGGSPLIT_SIMPLE || agg->aggstrategy == AGG_HASHED ||
		(!gpusort_enable_aggregates && !place->walk->explain))
		return;
	find_calls((Node *) agg->plan.targetlist, &calls);
	find_calls((Node *) agg->plan.qual, &calls);
	reason = judge_all(agg, place);
	foreach(cell, calls)
	{
		AggregateCall *call = lfirst(cell);

		call->reason = reason;
		call->detail = reason == PLAN_SWITCHED_OFF ? "gpusort.enable_aggregates" : NULL;
		any |= call->replaceable || call->ordered || GPUSORT_IS_PRESORTED(call->call);
	}
	if (!any)
		return;
	sort = reason == PLAN_TAKEN ? judge_calls(agg, calls, place) : NULL;
	note_calls(agg, calls, place);
	if (reason == PLAN_TAKEN)
		take_calls(agg, calls, place->walk->statement);
	if (sort != NULL)
		agg->plan.lefttree = &sort->plan;
}

/* Sets up the preparation of plans. */
void
gpusort_aggregates_init(void)
{
	gpusort_plan_hook_set_preparation(prepare_plan);
}
