/*
 * plan_walk.c
 *	  Visits the parts of plan trees, for which PostgreSQL has no walker.
 */
#include "postgres.h"

#include "nodes/plan_walk.h"

static void
visit_list(List *plans, PlanVisitor visit, void *arg)
{
	ListCell   *cell;

	foreach(cell, plans)
	{
		if (lfirst(cell) != NULL)
			visit((Plan **) &lfirst(cell), arg);
	}
}

void
gpusort_plan_each_tree(PlannedStmt *statement, PlanVisitor visit, void *arg)
{
	visit(&statement->planTree, arg);
	visit_list(statement->subplans, visit, arg);
}

void
gpusort_plan_each_child(Plan *plan, PlanVisitor visit, void *arg)
{
	if (plan->lefttree)
		visit(&plan->lefttree, arg);
	if (plan->righttree)
		visit(&plan->righttree, arg);
	switch (nodeTag(plan))
	{
		case T_Append:
			visit_list(((Append *) plan)->appendplans, visit, arg);
			break;
		case T_MergeAppend:
			visit_list(((MergeAppend *) plan)->mergeplans, visit, arg);
			break;
		case T_BitmapAnd:
			visit_list(((BitmapAnd *) plan)->bitmapplans, visit, arg);
			break;
		case T_BitmapOr:
			visit_list(((BitmapOr *) plan)->bitmapplans, visit, arg);
			break;
		case T_SubqueryScan:
			visit(&((SubqueryScan *) plan)->subplan, arg);
			break;
		case T_CustomScan:
			visit_list(((CustomScan *) plan)->custom_plans, visit, arg);
			break;
		default:
			break;
	}
}
