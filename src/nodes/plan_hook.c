/*
 * plan_hook.c
 *	  Walks each finished plan in which something may change, once, and lets the node modules rewrite it.
 *
 * On its way down the walk finds out what the nodes above do with the rows of a place, and
 * calls the preparation (nodes/aggregates).  On its way up it offers each node to the modules
 * in their order.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "utils/memutils.h"

#include "compat.h"
#include "guc.h"
#include "nodes/plan_hook.h"
#include "nodes/plan_walk.h"

#define PLAN_FEW_ROWS 50		/* a Sort of so few costs less than a node takes to start, see ROWS_COST_PER_SORT */

static planner_hook_type previous_planner;
static List *modules = NIL;
static PlanPreparation preparation;

static void visit_plan(Plan **link, void *arg);

/*
 * True if the node is run by another module.  That may know the nodes below it: it may have
 * looked at them when it was planned, and look again when it begins.
 */
static bool
knows_children(const Plan *plan)
{
	return IsA(plan, ForeignScan) || (IsA(plan, CustomScan) && gpusort_plan_module(plan) == NULL);
}

/* True if a join reads the inner side only until a match. */
static bool
stops_at_match(const Join *join)
{
	return join->inner_unique || join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI;
}

/* A merge join stops when one side ends.  The inner side may be read many times, or only until a match. */
static void
visit_join_children(Plan *plan, const PlanPlace *below)
{
	PlanPlace	outer = *below;
	PlanPlace	inner = *below;

	if (IsA(plan, MergeJoin))
		outer.all_rows = NOT_ALL;
	if (IsA(plan, MergeJoin) || stops_at_match((Join *) plan))
		inner.all_rows = NOT_ALL;
	inner.rescanned |= IsA(plan, NestLoop);
	visit_plan(&plan->lefttree, &outer);
	visit_plan(&plan->righttree, &inner);
}

/* A LIMIT bounds the rows below it.  All rows within the bound are read if its count can be evaluated ahead. */
static void
add_limit(const Limit *limit, PlanPlace *below)
{
	const Plan *input = limit->plan.lefttree;
	Cost		all = input->total_cost - input->startup_cost;

	/* So the planner has estimated the LIMIT's cost, from the rows that it reads or skips. */
	if (all > 0)
		below->share *= Min((limit->plan.total_cost - input->startup_cost) / all, 1);
	if (limit->limitOption == LIMIT_OPTION_COUNT && limit->limitCount != NULL)
		below->limit = limit;
	if (limit->limitOption != LIMIT_OPTION_COUNT ||
		contain_volatile_functions((Node *) list_make2(limit->limitCount, limit->limitOffset)))
		below->all_rows = NOT_ALL;
}

/*
 * True if a node may stop before the end of its children's rows by itself.  Joins are not considered.
 * From PostgreSQL 18 on a SetOp has two children; one that hashes reads all rows (PLAN_READS_ALL).
 */
static bool
stops_by_itself(const Plan *plan)
{
	return (IsA(plan, WindowAgg) && ((const WindowAgg *) plan)->runCondition != NIL) ||
		(IsA(plan, SetOp) && plan->righttree != NULL);
}

/*
 * True if a node gives the first rows of its input, in all or of each partition.  The
 * topmost WindowAgg gives no row of a partition behind the first one for which its run
 * condition does not hold.
 */
static bool
gives_first_rows(const Plan *plan)
{
	return (IsA(plan, WindowAgg) && ((const WindowAgg *) plan)->runCondition != NIL && ((const WindowAgg *) plan)->topWindow) ||
		(IsA(plan, Limit) && ((const Limit *) plan)->limitOption == LIMIT_OPTION_WITH_TIES);
}

/* Returns the place of a node's children.  visit_join_children changes it for a join. */
static PlanPlace
child_place(Plan *plan, const PlanPlace *place)
{
	PlanPlace	below = *place;
	bool		passes_bound = gpusort_plan_has_trait(plan, PLAN_PASSES_ROWS);
	bool		gathers = IsA(plan, Gather) || IsA(plan, GatherMerge);
	bool		shares_bound = gathers || IsA(plan, Append) || IsA(plan, MergeAppend);	/* by all that it reads */

	below.parent = plan;
	if (place->walk->explain)
		below.ancestors = lcons(plan, list_copy(place->ancestors));
	below.owned |= knows_children(plan);
	below.parallel |= gathers;
	below.rescanned |= IsA(plan, RecursiveUnion);
	if (gpusort_plan_has_trait(plan, PLAN_READS_ALL))
	{
		below.all_rows = AT_ONCE;
		below.share = 1;
	}
	else if (IsA(plan, ModifyTable))
		below.all_rows = Max(place->all_rows, WITH_EXECUTOR);
	else if (stops_by_itself(plan) || (place->limit != NULL && (!passes_bound || shares_bound)))
		below.all_rows = NOT_ALL;
	if (!passes_bound)
		below.limit = NULL;
	if (gives_first_rows(plan))
		below.first_rows = plan;
	else if (!IsA(plan, GatherMerge) && !IsA(plan, MergeAppend))
		below.first_rows = NULL;
	if (IsA(plan, Limit))
		add_limit((const Limit *) plan, &below);
	return below;
}

static void
visit_children(Plan *plan, const PlanPlace *place)
{
	PlanPlace	below = child_place(plan, place);

	if (IsA(plan, NestLoop) || IsA(plan, MergeJoin) || IsA(plan, HashJoin))
		visit_join_children(plan, &below);
	else
		gpusort_plan_each_child(plan, visit_plan, &below);
}

static bool
note_subquery(Node *node, void *context)
{
	const SubPlan *subplan = (SubPlan *) node;
	const PlanPlace *place = context;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan))
	{
		SubqueryUse *use = &place->walk->subqueries[subplan->plan_id - 1];

		if (subplan->subLinkType == ARRAY_SUBLINK || subplan->subLinkType == CTE_SUBLINK || subplan->useHashTable)
			use->rows = AT_ONCE;
		use->found = true;
		use->parallel |= place->parallel;
	}
	return expression_tree_walker(node, note_subquery, context);
}

/*
 * Notes how the plan runs subqueries.  ARRAY() and hashed subqueries read all rows.  A CTE is read by several scans,
 * and any of them may be the only one that runs.
 */
static void
note_subqueries(const Plan *plan, const PlanPlace *place)
{
	if (place->walk->statement->subplans == NIL)
		return;
	(void) note_subquery((Node *) list_make3(plan->targetlist, gpusort_plan_expressions(plan), plan->initPlan),
						 unconstify(PlanPlace *, place));
	if (IsA(plan, CteScan))
	{
		SubqueryUse *use = &place->walk->subqueries[((const CteScan *) plan)->ctePlanId - 1];

		use->rows = place->limit == NULL ? Min(use->rows, place->all_rows) : NOT_ALL;
	}
}

/* Lets the modules rewrite the plans below a link, then the plan at the link. */
static void
visit_plan(Plan **link, void *arg)
{
	const PlanPlace *place = arg;
	Plan	   *plan = *link;
	ListCell   *cell;

	check_stack_depth();
	preparation(plan, place);
	note_subqueries(plan, place);
	if (!knows_children(plan) || place->walk->explain)
		visit_children(plan, place);
	foreach(cell, place->walk->modules)
	{
		const NodeModule *module = lfirst(cell);

		if (place->owned || !*module->enabled)
		{
			if (module->keep != NULL)
				module->keep(plan, place);
			continue;
		}
		module->rewrite(link, place);
		/* The next module is asked about the same plan, below nodes that were put above it. */
		while (*link != plan && gpusort_plan_module(*link) != NULL)
			link = &(*link)->lefttree;
		if (*link != plan)
			break;
	}
}

/*
 * Visits all plan trees of the statement.  A subquery may be stopped early by its caller
 * unless it is noted how that reads it, and is run again and again if it has parameters.  If workers
 * may run it, it is as if it stood below their Gather.  It comes behind the subqueries that it uses in
 * the list, so it is visited before them.
 */
static void
visit_statement(PlanWalk *walk, bool cursor)
{
	List	   *subplans = walk->statement->subplans;
	PlanPlace	top = {.walk = walk, .all_rows = cursor ? NOT_ALL : WITH_EXECUTOR,.share = 1};

	walk->subqueries = palloc0_array(SubqueryUse, list_length(subplans));
	visit_plan(&walk->statement->planTree, &top);
	for (int i = list_length(subplans) - 1; i >= 0; i--)
	{
		Plan	  **link = (Plan **) &lfirst(list_nth_cell(subplans, i));
		const SubqueryUse *use = &walk->subqueries[i];

		if (*link == NULL)
			continue;
		top.all_rows = use->rows;
		top.parallel = use->found ? use->parallel : walk->statement->parallelModeNeeded;
		top.rescanned = !bms_is_empty((*link)->extParam);
		visit_plan(link, &top);
	}
}

static PlannedStmt *
plan_as_before(GPUSORT_PLANNER_PARAMETERS)
{
	return previous_planner
		? previous_planner(GPUSORT_PLANNER_ARGUMENTS)
		: standard_planner(GPUSORT_PLANNER_ARGUMENTS);
}

/* Notes whether a plan has a node that may change, as most plans of few rows have none. */
static void
find_change(Plan **link, void *arg)
{
	const Plan *plan = *link;
	bool	   *found = arg;

	switch (nodeTag(plan))
	{
		case T_Sort:
		case T_IncrementalSort:
			*found |= plan->plan_rows > PLAN_FEW_ROWS || gpusort_force_nodes || gpusort_explain_choices;
			break;
		case T_Agg:
		case T_GatherMerge:
		case T_CustomScan:
			*found = true;
			break;
		default:
			break;
	}
	if (!*found)
		gpusort_plan_each_child(*link, find_change, arg);
}

static PlannedStmt *
plan_with_nodes(GPUSORT_PLANNER_PARAMETERS)
{
	PlanWalk	walk = {
		.to_end = (cursor_options & (CURSOR_OPT_PARALLEL_OK | CURSOR_OPT_FAST_PLAN | CURSOR_OPT_SCROLL)) == CURSOR_OPT_PARALLEL_OK,
		.explain = gpusort_explain_choices
	};
	bool		may_change = false;
	ListCell   *cell;

	walk.statement = plan_as_before(GPUSORT_PLANNER_ARGUMENTS);
	gpusort_plan_each_tree(walk.statement, find_change, &may_change);
	foreach(cell, modules)
	{
		const NodeModule *module = lfirst(cell);

		if ((*module->enabled || walk.explain) && (module->concerns ? module->concerns(walk.statement) : may_change))
			walk.modules = lappend(walk.modules, lfirst(cell));
	}
	if (may_change || walk.modules != NIL)
		visit_statement(&walk, (cursor_options & CURSOR_OPT_FAST_PLAN) != 0);
	return walk.statement;
}

static void
raise_largest_id(Plan **link, void *arg)
{
	int		   *largest = arg;

	*largest = Max(*largest, (*link)->plan_node_id);
	gpusort_plan_each_child(*link, raise_largest_id, arg);
}

int
gpusort_plan_next_id(PlanWalk *walk)
{
	if (walk->last_id == 0)
		gpusort_plan_each_tree(walk->statement, raise_largest_id, &walk->last_id);
	return ++walk->last_id;
}

void
gpusort_plan_hook_init(PlanPreparation prepare)
{
	preparation = prepare;
	previous_planner = planner_hook;
	planner_hook = plan_with_nodes;
}

void
gpusort_plan_hook_add(const NodeModule *module)
{
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

	RegisterCustomScanMethods(module->methods);
	modules = lappend(modules, unconstify(NodeModule *, module));
	MemoryContextSwitchTo(caller);
}

const NodeModule *
gpusort_plan_module(const Plan *plan)
{
	ListCell   *cell;

	if (!IsA(plan, CustomScan))
		return NULL;
	foreach(cell, modules)
	{
		const NodeModule *module = lfirst(cell);

		if (module->methods == ((const CustomScan *) plan)->methods)
			return module;
	}
	return NULL;
}
