/*
 * plan.c
 *	  Decides on the treatment of each aggregate of an Agg.
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

#include "compat.h"
#include "guc.h"
#include "keys/sort_spec.h"
#include "nodes/aggregates/aggregates.h"
#include "nodes/plan_walk.h"
#include "nodes/rows/plan_groups.h"
#include "nodes/rows/rows_node.h"

/* With fewer rows nothing is replaced. */
#define LEAST_ROWS 10000.0

/* Where the server has sorted the input, replacing a call does not pay for groups of fewer rows. */
#define LEAST_ROWS_OF_GROUP 30.0

/* Nor does replacing array_agg(x ORDER BY y), for which the input can be sorted, for groups of fewer rows. */
#define LEAST_ROWS_OF_ARRAY 8.0

/* Finding the first elements of an array pays for groups of this many rows, and this many times the elements. */
#define LEAST_ROWS_OF_TOP 64.0
#define LEAST_ROWS_PER_FIRST 4.0

/* Adds a call to the list, of whose array the first elements are wanted, or all. */
static void
add_call(List **calls, Aggref *aggregate, int first)
{
	AggregateCall *call = palloc0(sizeof(AggregateCall));

	call->call = aggregate;
	call->first = first;
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

/* Returns why none of the calls of an Agg is touched, or NULL. */
static const char *
all_refused(const Agg *agg, const PlanPlace *place)
{
	if (place->owned)
		return "it stands below a node of another extension, which may know it";
	if (!gpusort_enable_aggregates)
		return "gpusort.enable_aggregates is off";
	if (gpusort_method != GPUSORT_METHOD_AUTO)
		return "gpusort.method names a method";
	if (agg->groupingSets != NIL || agg->chain != NIL)
		return "it is computed for several grouping sets";
	if (!gpusort_force_nodes && agg->plan.lefttree->plan_rows < LEAST_ROWS)
		return "few rows are expected";
	return NULL;
}

/*
 * True if another call beside this array_agg(x ORDER BY y) has its order, so that one Sort
 * serves both.  The first elements are found without a Sort.
 */
static bool
shares_order(const AggregateCall *call, const AggregateCalls *calls)
{
	ListCell   *cell;

	foreach(cell, calls->list)
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
first_to_find(const AggregateCall *call, const AggregateCalls *calls)
{
	int			first = 0;
	ListCell   *cell;

	foreach(cell, calls->list)
	{
		const AggregateCall *same = lfirst(cell);

		if (same->call->aggno != call->call->aggno)
			continue;
		if (same->first == 0)
			return 0;
		first = Max(first, same->first);
	}
	if (gpusort_aggregates_have_small_groups(calls, Max(LEAST_ROWS_OF_TOP, LEAST_ROWS_PER_FIRST * first)))
		return 0;
	return first;
}

/*
 * True if it costs less to sort the values of each group than all rows by the groups and the
 * order of array_agg(x ORDER BY y), and if what is kept of a group is expected to fit work_mem.
 * An array sorted by its own values needs less memory than array_agg itself.
 */
static bool
sorts_groups(const AggregateCall *call, const AggregateCalls *calls)
{
	double		rows = calls->rows_of_group;
	bool		by_itself = list_length(call->call->args) == 1;

	if (gpusort_aggregates_have_small_groups(calls, LEAST_ROWS_OF_ARRAY) || (call->first == 0 && shares_order(call, calls)))
		return false;
	if (call->first > 0)
		rows = Min(rows, LEAST_ROWS_PER_FIRST * call->first);
	return by_itself || rows * calls->agg->plan.lefttree->plan_width <= work_mem * 1024.0;
}

/* Has a call replaced, if that costs less. */
static void
consider_replacement(AggregateCall *call, const AggregateCalls *calls)
{
	bool		is_array = gpusort_aggregate_is_ordered_array(call->call);

	if (!gpusort_aggregate_is_replaceable(call->call))
		return;
	if (is_array && !sorts_groups(call, calls))
	{
		gpusort_aggregate_keep(call, "its input comes in order");
		return;
	}
	gpusort_aggregate_find_replacement(call);
	if (call->treatment == AGGREGATE_REPLACE && !is_array && GPUSORT_IS_PRESORTED(call->call) &&
		gpusort_aggregates_have_small_groups(calls, LEAST_ROWS_OF_GROUP))
		gpusort_aggregate_keep(call, "few rows are expected in each group");
}

/* True if an aggregate that is not replaced has the state of a call, too. */
static bool
shares_state(const AggregateCall *call, const AggregateCalls *calls)
{
	ListCell   *cell;

	foreach(cell, calls->list)
	{
		const AggregateCall *other = lfirst(cell);

		if (other->call->aggtransno == call->call->aggtransno && other->call->aggno != call->call->aggno &&
			other->treatment != AGGREGATE_REPLACE)
			return true;
	}
	return false;
}

/* The Gather Merge of a table's rows, sorted for count(DISTINCT) as the only call of an Agg; or NULL. */
static GatherMerge *
merge_below(const AggregateCalls *calls)
{
	GatherMerge *merge = (GatherMerge *) calls->agg->plan.lefttree;
	const Plan *sort = merge->plan.lefttree;

	return IsA(merge, GatherMerge) && calls->agg->numCols == 0 && list_length(calls->list) == 1 &&
		!gpusort_aggregate_is_ordered_array(((const AggregateCall *) linitial(calls->list))->call) &&
		IsA(sort, Sort) && sort->initPlan == NIL && IsA(sort->lefttree, SeqScan) ? merge : NULL;
}

/* Decides which calls are replaced. */
static void
consider_replacements(const AggregateCalls *calls)
{
	bool		needs_order = !IsA(calls->agg->plan.lefttree, Sort) && merge_below(calls) == NULL;
	ListCell   *cell;

	foreach(cell, calls->list)
		consider_replacement(lfirst(cell), calls);
	foreach(cell, calls->list)
	{
		AggregateCall *call = lfirst(cell);

		if (call->treatment == AGGREGATE_REPLACE && shares_state(call, calls))
			gpusort_aggregate_keep(call, "it shares its state with an aggregate that is kept");
		needs_order |= call->treatment == AGGREGATE_KEEP && !gpusort_aggregate_ignores_order(call->call);
	}
	foreach(cell, calls->list)
	{
		AggregateCall *call = lfirst(cell);

		if (needs_order && call->treatment == AGGREGATE_REPLACE && GPUSORT_IS_PRESORTED(call->call))
			gpusort_aggregate_keep(call, "its input comes in order");
	}
}

/* Decides about the calls of an Agg.  Returns the Sort to be its input, or NULL. */
static Sort *
consider_calls(AggregateCalls *calls)
{
	Sort	   *sort;
	ListCell   *cell;

	foreach(cell, calls->list)
		((AggregateCall *) lfirst(cell))->first = first_to_find(lfirst(cell), calls);
	sort = gpusort_aggregates_sort_first_rows(calls);
	if (sort != NULL)
		return sort;
	consider_replacements(calls);
	return gpusort_aggregates_sort_input(calls);
}

/* Removes the keys that the Sort below an Agg had for presorted aggregates, when none of these is left. */
static void
drop_keys(Agg *agg)
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

/* Has an Agg read the rows of a Gather Merge without their order, which none of its calls needs any longer. */
static void
gather_rows(Agg *agg, const GatherMerge *merge)
{
	Gather	   *gather = makeNode(Gather);

	gather->plan = merge->plan;
	NodeSetTag(gather, T_Gather);
	gather->plan.lefttree = merge->plan.lefttree->lefttree;
	gather->num_workers = merge->num_workers;
	gather->rescan_param = merge->rescan_param;
	gather->initParam = merge->initParam;
	agg->plan.lefttree = &gather->plan;
}

/* Changes the calls as it was decided. */
static void
treat_calls(const AggregateCalls *calls)
{
	PlannedStmt *statement = calls->place->walk->statement;
	const GatherMerge *merge = merge_below(calls);
	bool		presorted = false;
	ListCell   *cell;

	foreach(cell, calls->list)
	{
		const AggregateCall *call = lfirst(cell);

		switch (call->treatment)
		{
			case AGGREGATE_KEEP:
				break;
			case AGGREGATE_REPLACE:
				presorted |= GPUSORT_IS_PRESORTED(call->call);
				gpusort_aggregate_replace(statement, call);
				break;
			case AGGREGATE_SORT_INPUT:
				gpusort_aggregate_drop_order(call->call);
				break;
		}
	}
	if (presorted && merge != NULL)
		gather_rows(calls->agg, merge);
	else if (presorted)
		drop_keys(calls->agg);
}

/* True if a call sorts, or might. */
static bool
sorts(const Aggref *call)
{
	return gpusort_aggregate_is_replaceable(call) || gpusort_aggregate_is_ordered(call);
}

/* Tells what becomes of the calls that sort, once of those that are computed once. */
static void
tell_calls(const AggregateCalls *calls)
{
	Bitmapset  *told = NULL;
	ListCell   *cell;

	foreach(cell, calls->list)
	{
		const AggregateCall *call = lfirst(cell);

		if (!sorts(call->call) || bms_is_member(call->call->aggno, told))
			continue;
		gpusort_reason_tell_aggregate(calls->place, &calls->agg->plan, call->call,
									  call->treatment == AGGREGATE_KEEP ? call->why_not : NULL);
		told = bms_add_member(told, call->call->aggno);
	}
}

/* Looks at the aggregates of an Agg. */
void
gpusort_aggregates_prepare(Plan *plan, const PlanPlace *place)
{
	Agg		   *agg = (Agg *) plan;
	AggregateCalls calls = {.agg = agg,.place = place};
	const char *why_not;
	Sort	   *sort = NULL;
	bool		any = false;
	bool		own = false;
	ListCell   *cell;

	gpusort_rows_prepare(plan, place);
	if (!IsA(plan, Agg) || agg->aggsplit != AGGSPLIT_SIMPLE || (!gpusort_enable_aggregates && !place->walk->explain))
		return;
	find_calls((Node *) plan->targetlist, &calls.list);
	find_calls((Node *) plan->qual, &calls.list);
	why_not = all_refused(agg, place);
	foreach(cell, calls.list)
	{
		AggregateCall *call = lfirst(cell);

		gpusort_aggregate_keep(call, why_not);
		if (why_not == NULL && agg->aggstrategy != AGG_HASHED)
			gpusort_aggregate_replace_casts(place->walk->statement, call->call);
		any |= sorts(call->call) || GPUSORT_IS_PRESORTED(call->call);
		own |= why_not == NULL && gpusort_is_own_function(call->call->aggfnoid);
	}
	any &= agg->aggstrategy != AGG_HASHED;
	calls.rows_of_group = plan->lefttree->plan_rows / (agg->aggstrategy == AGG_PLAIN ? 1 : Max(agg->numGroups, 1));
	if (any)
	{
		sort = why_not == NULL ? consider_calls(&calls) : NULL;
		tell_calls(&calls);
		treat_calls(&calls);
	}
	if (sort != NULL)
		plan->lefttree = &sort->plan;
	else if (own || (any && why_not == NULL))
		gpusort_aggregates_share(&calls);
}
