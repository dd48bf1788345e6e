/*
 * rewrite.c
 *	  Replaces calls of built-in aggregates in a copy of a query.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "guc.h"
#include "keys/sort_spec.h"
#include "nodes/aggregates/aggregates.h"
#include "nodes/plan_hook.h"

/* What is found in a query. */
typedef struct FoundCalls
{
	List	   *calls;			/* AggregateCalls, by their marks */
	Query	   *copy;			/* the query, if any of them can be taken */
} FoundCalls;

static bool find_calls(Node *node, void *arg);

/*
 * Adds a call.  Equal ones get the same mark, for the planner computes equal aggregates
 * once.
 */
static void
add_call(FoundCalls *found, Aggref *aggregate)
{
	ListCell   *cell;
	AggregateCall *call;

	foreach(cell, found->calls)
	{
		if (equal(((AggregateCall *) lfirst(cell))->call, aggregate))
		{
			gpusort_aggregate_mark(aggregate, foreach_current_index(cell));
			return;
		}
	}
	gpusort_aggregate_mark(aggregate, list_length(found->calls));
	call = palloc0(sizeof(AggregateCall));
	call->call = aggregate;
	call->reason = PLAN_TAKEN;
	gpusort_aggregate_describe(call);
	found->calls = lappend(found->calls, call);
}

/* Finds calls in a query.  Most queries have no place for any: of these only the tables are looked through. */
static void
find_in_query(Query *query, FoundCalls *found)
{
	ListCell   *cell;

	if (query->commandType != CMD_SELECT)
		return;
	if (query->hasAggs || query->hasSubLinks)
	{
		query_tree_walker(query, find_calls, found, 0);
		return;
	}
	foreach(cell, query->rtable)
	{
		RangeTblEntry *table = lfirst(cell);

		if (table->rtekind == RTE_SUBQUERY)
			find_in_query(table->subquery, found);
	}
	foreach(cell, query->cteList)
		find_in_query(castNode(Query, lfirst_node(CommonTableExpr, cell)->ctequery), found);
}

static bool
find_calls(Node *node, void *arg)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		find_in_query((Query *) node, arg);
		return false;
	}
	if (IsA(node, Aggref) && gpusort_aggregate_sorts((Aggref *) node))
		add_call(arg, (Aggref *) node);
	return expression_tree_walker(node, find_calls, arg);
}

/* True if a call can be taken, as far as that is known before the query is planned. */
static bool
may_take(const FoundCalls *found)
{
	ListCell   *cell;

	foreach(cell, found->calls)
	{
		if (((AggregateCall *) lfirst(cell))->reason == PLAN_TAKEN)
			return OidIsValid(gpusort_aggregate_schema());
	}
	return false;
}

/* Gives all calls a reason to be kept. */
static void
keep_all(List *calls, PlanReason reason, const char *detail)
{
	ListCell   *cell;

	foreach(cell, calls)
	{
		AggregateCall *call = lfirst(cell);

		call->reason = reason;
		call->detail = detail;
	}
}

/* Finds and marks calls in a query that is going to be planned; NULL if none matters. */
static void *
find_in_statement(Query *query)
{
	FoundCalls	found = {0};
	FoundCalls *result;

	if (!gpusort_enable_aggregates && !gpusort_explain_choices)
		return NULL;
	find_in_query(query, &found);
	if (found.calls == NIL)
		return NULL;
	if (!gpusort_enable_aggregates)
		keep_all(found.calls, PLAN_SWITCHED_OFF, "gpusort.enable_aggregates");
	else if (gpusort_method != GPUSORT_METHOD_AUTO)
		keep_all(found.calls, PLAN_METHOD, NULL);
	if (may_take(&found))
		found.copy = copyObject(query);
	else if (!gpusort_explain_choices)
		return NULL;
	result = palloc(sizeof(FoundCalls));
	*result = found;
	return result;
}

/* Replaces the calls that are taken, in place. */
static bool
replace_calls(Node *node, void *arg)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, replace_calls, arg, 0);
	if (IsA(node, Aggref))
	{
		Aggref	   *aggregate = (Aggref *) node;
		const AggregateCall *call = gpusort_aggregate_marked(arg, aggregate);

		if (call != NULL && call->reason == PLAN_TAKEN)
			gpusort_aggregate_replace(aggregate, call->replacement);
	}
	return expression_tree_walker(node, replace_calls, arg);
}

/* The query to plan in the place of the one whose plan is known, or NULL. */
static Query *
rewrite_statement(void *arg, PlanWalk *walk)
{
	FoundCalls *found = arg;
	bool		taken = false;
	ListCell   *cell;

	gpusort_aggregates_choose(found->calls, walk);
	foreach(cell, found->calls)
		taken |= ((AggregateCall *) lfirst(cell))->reason == PLAN_TAKEN;
	if (!taken || found->copy == NULL)
		return NULL;
	query_tree_walker(found->copy, replace_calls, found->calls, 0);
	return found->copy;
}

/* Has aggregates replaced in queries. */
void
gpusort_aggregates_init(void)
{
	static const QueryRoom room = {
		.find = find_in_statement,
		.rewrite = rewrite_statement
	};

	gpusort_plan_hook_set_query_room(&room);
}
