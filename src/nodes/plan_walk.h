/*
 * plan_walk.h
 *	  Visits the parts of plan trees, for which PostgreSQL has no walker.
 */
#ifndef GPUSORT_PLAN_WALK_H
#define GPUSORT_PLAN_WALK_H

#include "nodes/plannodes.h"

/* Called with the link to a plan, which it may change. */
typedef void (*PlanVisitor) (Plan **link, void *arg);

/* Visits the plan of a statement, then those of its subqueries. */
extern void gpusort_plan_each_tree(PlannedStmt *statement, PlanVisitor visit, void *arg);

/* Visits the children of a plan node. */
extern void gpusort_plan_each_child(Plan *plan, PlanVisitor visit, void *arg);

#endif							/* GPUSORT_PLAN_WALK_H */
