/*
 * plan_walk.h
 *	  Looks at finished plan trees.
 */
#ifndef GPUSORT_PLAN_WALK_H
#define GPUSORT_PLAN_WALK_H

#include "nodes/plannodes.h"

typedef void (*PlanVisitor) (Plan **link, void *arg);

extern void gpusort_plan_each_child(Plan *plan, PlanVisitor visit, void *arg);
extern List *gpusort_plan_expressions(Plan *plan, bool *known);
extern int	gpusort_plan_largest_id(PlannedStmt *statement);
extern bool gpusort_plan_has_effects(PlannedStmt *statement, Plan *plan, List *target_list);
extern bool gpusort_expression_has_effects(PlannedStmt *statement, Node *expression);

#endif							/* GPUSORT_PLAN_WALK_H */
