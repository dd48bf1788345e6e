/*
 * choose.c
 *	  Decides by the plan of a query which aggregates the extension's are faster than.
 *
 * A built-in aggregate sorts its values when its group ends, and from version 16 of
 * PostgreSQL on the planner may put a Sort below.  The extension's collects them in
 * memory and selects or sorts keys, if the planner expects them to fit the memory that a
 * hash table may use.
 *
 * An ordered-set aggregate gets its groups one after the other, whoever computes it.  Any
 * other of the extension may be computed for all groups at once, in a hash table, where a
 * row costs more the more groups there are.  So these are left with few groups or none.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"

#include "compat.h"
#include "guc.h"
#include "nodes/aggregates/aggregates.h"
#include "nodes/plan_hook.h"
#include "nodes/plan_walk.h"

/* Fewer rows are not worth planning the query again. */
#define LEAST_ROWS 10000.0

/* With fewer rows per group, a group costs more than its rows save. */
#define LEAST_ROWS_OF_ORDERED_SET 30.0
#define LEAST_ROWS_OF_HASHED_SET 100000.0

typedef struct Choice
{
	List	   *calls;
	const Agg  *plan;			/* the node that is looked at */
} Choice;

/* Why an Agg should go on computing a call itself, or PLAN_TAKEN. */
static PlanReason
judge(const Agg *agg, const Aggref *aggregate, const AggregateCall *call)
{
	const Plan *input = agg->plan.lefttree;
	double		rows = input->plan_rows;
	double		rows_per_group = agg->aggstrategy == AGG_PLAIN ? rows : rows / Max(agg->numGroups, 1);
	bool		ordered_set = AGGKIND_IS_ORDERED_SET(aggregate->aggkind);

	if (agg->groupingSets != NIL || agg->chain != NIL)
		return PLAN_GROUPING_SETS;
	if (gpusort_force_nodes)
		return PLAN_TAKEN;
	if (rows < LEAST_ROWS)
		return PLAN_FEW_ROWS;
	if (agg->aggstrategy != AGG_PLAIN && rows_per_group < (ordered_set ? LEAST_ROWS_OF_ORDERED_SET : LEAST_ROWS_OF_HASHED_SET))
		return PLAN_MANY_GROUPS;
	if (GPUSORT_IS_PRESORTED(aggregate) && !IsA(input, Sort))
		return PLAN_PRESORTED;
	if ((ordered_set ? rows_per_group : rows) * call->value_bytes > get_hash_memory_limit())
		return PLAN_MEMORY;
	return PLAN_TAKEN;
}

/* Decides about one call of an Agg.  A call that stands in several plans is taken only if each of them agrees. */
static void
choose_call(Choice *choice, Aggref *aggregate)
{
	AggregateCall *call = gpusort_aggregate_marked(choice->calls, aggregate);

	if (call == NULL)
		return;
	if (call->plan == NULL)
	{
		call->plan = choice->plan;
		call->planned = aggregate;
	}
	if (call->reason == PLAN_TAKEN)
		call->reason = judge(choice->plan, aggregate, call);
	if (call->reason == PLAN_TAKEN && !OidIsValid(call->replacement))
	{
		call->replacement = gpusort_aggregate_find(call->call);
		if (!OidIsValid(call->replacement))
			call->reason = PLAN_NO_AGGREGATE;
	}
}

static bool
choose_expression(Node *node, void *arg)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
		choose_call(arg, (Aggref *) node);
	return expression_tree_walker(node, choose_expression, arg);
}

static void
choose_plan(Plan **link, void *arg)
{
	Choice	   *choice = arg;

	if (IsA(*link, Agg))
	{
		choice->plan = (const Agg *) *link;
		choose_expression((Node *) (*link)->targetlist, choice);
		choose_expression((Node *) (*link)->qual, choice);
	}
	gpusort_plan_each_child(*link, choose_plan, choice);
}

/* Decides about all calls, by the walk's statement. */
void
gpusort_aggregates_choose(List *calls, PlanWalk *walk)
{
	Choice		choice = {.calls = calls};
	ListCell   *cell;

	gpusort_plan_each_tree(walk->statement, choose_plan, &choice);
	foreach(cell, calls)
	{
		AggregateCall *call = lfirst(cell);

		if (call->plan != NULL)
			gpusort_reason_note_aggregate(walk, call->plan, call->planned, call->reason, call->detail);
		else if (call->reason == PLAN_TAKEN)
			call->reason = PLAN_FEW_ROWS;
	}
}
