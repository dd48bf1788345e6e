/*
 * plan_hook.c
 *	  Walks each finished plan once and lets the node rooms rewrite it.
 *
 * Inputs are visited before the node that reads them, so that a room sees the
 * plan below as it will run.  The walk carries the bound that a Limit will pass
 * down at run time, along the very nodes ExecSetTupleBound descends through:
 * a Sort that will be told to keep the first few rows only is another Sort.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/extensible.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "nodes/plan_hook.h"

static planner_hook_type previous_planner;
static const NodeRules *room;

static Plan *rewrite_plan(Plan *plan, PlanPlace place);

static void
rewrite_plans(List *plans, PlanPlace place)
{
	ListCell   *cell;

	foreach(cell, plans)
		lfirst(cell) = rewrite_plan(lfirst(cell), place);
}

/* The rows that a Limit will ask of its input, 0 if it will not say. */
static double
limit_bound(const Limit *limit)
{
	double		bound;

	if (limit->limitCount == NULL || limit->limitOption == LIMIT_OPTION_WITH_TIES)
		return 0;
	if (IsA(limit->limitCount, Const) && ((Const *) limit->limitCount)->constisnull)
		return 0;
	bound = Max(limit->plan.plan_rows, 1);
	if (limit->limitOffset != NULL && IsA(limit->limitOffset, Const))
	{
		Const	   *offset = (Const *) limit->limitOffset;

		if (!offset->constisnull)
			bound += (double) DatumGetInt64(offset->constvalue);
	}
	return bound;
}

/* What holds for the place of a node's inputs. */
static PlanPlace
inputs_place(const Plan *plan, const PlanPlace *place)
{
	PlanPlace	input = {.parallel = place->parallel};

	switch (nodeTag(plan))
	{
		case T_Limit:
			input.bound = limit_bound((const Limit *) plan);
			input.limit = input.bound > 0 ? (const Limit *) plan : NULL;
			return input;
		case T_Gather:
		case T_GatherMerge:
			input = *place;
			input.parallel = true;
			return input;
		case T_Append:
		case T_MergeAppend:
		case T_Result:
			return *place;
		case T_SubqueryScan:
			return plan->qual == NIL ? *place : input;
		default:
			return input;
	}
}

/*
 * Whether the node is run by another module, which may know the nodes below it:
 * it can have looked at them when it was planned, and look again when it begins.
 */
bool
gpusort_plan_knows_children(const Plan *plan)
{
	if (IsA(plan, CustomScan))
		return strncmp(((const CustomScan *) plan)->methods->CustomName, GPUSORT_NODE_PREFIX, strlen(GPUSORT_NODE_PREFIX)) != 0;
	return IsA(plan, ForeignScan);
}

/* Rewrites a plan tree from its leaves up and returns its new root. */
static Plan *
rewrite_plan(Plan *plan, PlanPlace place)
{
	PlanPlace	input;

	if (plan == NULL || gpusort_plan_knows_children(plan))
		return plan;
	check_stack_depth();

	input = inputs_place(plan, &place);
	plan->lefttree = rewrite_plan(plan->lefttree, input);
	plan->righttree = rewrite_plan(plan->righttree, input);
	switch (nodeTag(plan))
	{
		case T_Append:
			rewrite_plans(((Append *) plan)->appendplans, input);
			break;
		case T_MergeAppend:
			rewrite_plans(((MergeAppend *) plan)->mergeplans, input);
			break;
		case T_SubqueryScan:
			((SubqueryScan *) plan)->subplan = rewrite_plan(((SubqueryScan *) plan)->subplan, input);
			break;
		case T_CustomScan:
			rewrite_plans(((CustomScan *) plan)->custom_plans, input);
			break;
		default:
			break;
	}

	return room->replace(plan, &place);
}

static PlannedStmt *
plan_with_nodes(GPUSORT_PLANNER_PARAMETERS)
{
	PlannedStmt *stmt = previous_planner
		? previous_planner(GPUSORT_PLANNER_ARGUMENTS)
		: standard_planner(GPUSORT_PLANNER_ARGUMENTS);
	PlanPlace	place = {0};

	if (*room->enabled)
	{
		rewrite_plans(stmt->subplans, place);
		stmt->planTree = rewrite_plan(stmt->planTree, place);
	}
	return stmt;
}

/* Has a room rewrite each plan that the planner makes. */
void
gpusort_plan_hook_init(const NodeRules *rules)
{
	room = rules;
	previous_planner = planner_hook;
	planner_hook = plan_with_nodes;
}
