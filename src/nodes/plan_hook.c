/*
 * plan_hook.c
 *	  Walks each finished plan once and lets the node rooms rewrite it.
 *
 * On its way down the walk finds out what the nodes above do with the rows of a place, and
 * calls the preparation (nodes/aggregates).  On its way up it offers each node to the rooms
 * in their order.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "utils/memutils.h"

#include "compat.h"
#include "guc.h"
#include "nodes/plan_hook.h"
#include "nodes/plan_walk.h"

static planner_hook_type previous_planner;
static List *rooms = NIL;
static PlanPreparation preparation;

static void visit_plan(Plan **link, void *arg);

/*
 * True if the node is run by another module.  That may know the nodes below it: it may have
 * looked at them when it was planned, and look again when it begins.
 */
static bool
knows_children(const Plan *plan)
{
	return IsA(plan, ForeignScan) || (IsA(plan, CustomScan) && gpusort_plan_room(plan) == NULL);
}

/* The inner side of a join may be read many times, or only until a match. */
static void
visit_join_children(Plan *plan, const PlanPlace *below)
{
	PlanPlace	outer = *below;
	PlanPlace	inner = *below;

	outer.may_stop |= IsA(plan, MergeJoin);
	outer.all_wanted &= !outer.may_stop;
	inner.may_stop = !IsA(plan, HashJoin);
	inner.all_wanted = false;
	inner.rescanned |= IsA(plan, NestLoop);
	inner.marks = IsA(plan, MergeJoin) && !((MergeJoin *) plan)->skip_mark_restore;
	visit_plan(&plan->lefttree, &outer);
	visit_plan(&plan->righttree, &inner);
}

/* A LIMIT bounds the rows below it, if its count can be evaluated ahead. */
static void
add_limit(const Limit *limit, PlanPlace *below)
{
	if (limit->limitOption == LIMIT_OPTION_COUNT && limit->limitCount != NULL)
		below->limit = limit;
	below->limit_known = below->limit != NULL &&
		!contain_volatile_functions((Node *) list_make2(limit->limitCount, limit->limitOffset));
	below->may_stop |= !below->limit_known;
}

/* True if a node stops reading its children when it is asked for no more rows. */
static bool
stops_early_inside(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Sort:
		case T_Hash:
		case T_ModifyTable:
			return false;
		case T_Agg:
			return ((const Agg *) plan)->aggstrategy == AGG_SORTED || ((const Agg *) plan)->aggstrategy == AGG_MIXED;
		default:
			return true;
	}
}

/* True if a node reads all rows of its child when it is asked for its first row. */
static bool
reads_all_at_once(const Plan *plan)
{
	return !stops_early_inside(plan) &&
		!(IsA(plan, ModifyTable) && ((const ModifyTable *) plan)->returningLists != NIL);
}

/* True if a node may stop before the end of its child's rows by itself. */
static bool
stops_by_itself(const Plan *plan)
{
	return IsA(plan, WindowAgg) && ((const WindowAgg *) plan)->runCondition != NIL;
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

/*
 * True if a bound on a node's rows is also one on each child's, because it returns each row
 * that it reads.  These are the nodes that ExecSetTupleBound descends through.
 */
static bool
passes_bound(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Result:
		case T_SubqueryScan:
			return plan->qual == NIL;
		case T_Append:
		case T_MergeAppend:
		case T_Gather:
		case T_GatherMerge:
			return true;
		default:
			return false;
	}
}

/* The place of a node's children.  visit_join_children changes it for a join. */
static PlanPlace
place_below(Plan *plan, const PlanPlace *place)
{
	PlanPlace	below = *place;
	bool		gathers = IsA(plan, Gather) || IsA(plan, GatherMerge);
	bool		shares_bound = gathers || IsA(plan, Append) || IsA(plan, MergeAppend);	/* by all that it reads */

	below.parent = plan;
	if (place->walk->explain)
		below.ancestors = lcons(plan, list_copy(place->ancestors));
	below.owned |= knows_children(plan);
	below.parallel |= gathers;
	below.marks &= IsA(plan, Result);	/* which passes a mark on */
	below.rescanned |= IsA(plan, RecursiveUnion);
	if (!stops_early_inside(plan))
		below.may_stop = false;
	else if (!passes_bound(plan) || shares_bound)
		below.may_stop |= place->limit != NULL || stops_by_itself(plan);
	if (!passes_bound(plan))
		below.limit = NULL;
	below.limit_known &= below.limit != NULL && !shares_bound;
	if (gives_first_rows(plan))
		below.first_rows = plan;
	else if (!IsA(plan, GatherMerge) && !IsA(plan, MergeAppend))
		below.first_rows = NULL;
	if (IsA(plan, Limit))
		add_limit((const Limit *) plan, &below);
	below.all_wanted = (below.all_wanted && !below.may_stop) || reads_all_at_once(plan);
	return below;
}

static void
visit_children(Plan *plan, const PlanPlace *place)
{
	PlanPlace	below = place_below(plan, place);

	if (IsA(plan, NestLoop) || IsA(plan, MergeJoin) || IsA(plan, HashJoin))
		visit_join_children(plan, &below);
	else
		gpusort_plan_each_child(plan, visit_plan, &below);
}

/* Lets the rooms rewrite the plans below a link, then the plan at the link. */
static void
visit_plan(Plan **link, void *arg)
{
	const PlanPlace *place = arg;
	Plan	   *plan = *link;
	ListCell   *cell;

	check_stack_depth();
	if (preparation != NULL)
		preparation(plan, place);
	if (!knows_children(plan) || place->walk->explain)
		visit_children(plan, place);
	foreach(cell, place->walk->rooms)
	{
		const NodeRoom *room = lfirst(cell);

		if (place->owned || !*room->enabled)
		{
			if (room->keep != NULL)
				room->keep(plan, place, place->owned ? PLAN_OWNED : PLAN_SWITCHED_OFF, room->setting);
			continue;
		}
		room->rewrite(link, place);
		/* The next room is asked about the same plan, below nodes that were put above it. */
		while (*link != plan && gpusort_plan_room(*link) != NULL)
			link = &(*link)->lefttree;
		if (*link != plan)
			break;
	}
}

/*
 * Visits a plan tree.  That of a subquery may be stopped early by its caller, and is run
 * again and again if it has parameters.
 */
static void
visit_tree(Plan **link, void *arg)
{
	PlanWalk   *walk = arg;
	bool		subquery = link != &walk->statement->planTree;
	PlanPlace	top = {
		.walk = walk,
		.may_stop = walk->cursor || subquery,
		.rescanned = subquery && !bms_is_empty((*link)->extParam)
	};

	visit_plan(link, &top);
}

static PlannedStmt *
plan_as_before(GPUSORT_PLANNER_PARAMETERS)
{
	return previous_planner
		? previous_planner(GPUSORT_PLANNER_ARGUMENTS)
		: standard_planner(GPUSORT_PLANNER_ARGUMENTS);
}

static PlannedStmt *
plan_with_nodes(GPUSORT_PLANNER_PARAMETERS)
{
	PlanWalk	walk = {
		.cursor = (cursor_options & CURSOR_OPT_FAST_PLAN) != 0,
		.explain = gpusort_explain_choices
	};
	ListCell   *cell;

	walk.statement = plan_as_before(GPUSORT_PLANNER_ARGUMENTS);
	foreach(cell, rooms)
	{
		const NodeRoom *room = lfirst(cell);

		if ((*room->enabled || walk.explain) && (room->concerns == NULL || room->concerns(walk.statement)))
			walk.rooms = lappend(walk.rooms, lfirst(cell));
	}
	if (walk.rooms != NIL || preparation != NULL)
		gpusort_plan_each_tree(walk.statement, visit_tree, &walk);
	gpusort_reason_show(&walk);
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
gpusort_plan_hook_init(void)
{
	previous_planner = planner_hook;
	planner_hook = plan_with_nodes;
}

void
gpusort_plan_hook_add(const NodeRoom *room)
{
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

	RegisterCustomScanMethods(room->methods);
	rooms = lappend(rooms, unconstify(NodeRoom *, room));
	MemoryContextSwitchTo(caller);
}

void
gpusort_plan_hook_set_preparation(PlanPreparation prepare)
{
	preparation = prepare;
}

const NodeRoom *
gpusort_plan_room(const Plan *plan)
{
	ListCell   *cell;

	if (!IsA(plan, CustomScan))
		return NULL;
	foreach(cell, rooms)
	{
		const NodeRoom *room = lfirst(cell);

		if (room->methods == ((const CustomScan *) plan)->methods)
			return room;
	}
	return NULL;
}
