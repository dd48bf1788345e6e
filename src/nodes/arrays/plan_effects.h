/*
 * plan_effects.h
 *	  Whether it could be noticed that rows are computed before they are asked for.
 */
#ifndef GPUSORT_PLAN_EFFECTS_H
#define GPUSORT_PLAN_EFFECTS_H

#include "nodes/plannodes.h"

extern bool gpusort_plan_has_effects(PlannedStmt *statement, Plan *plan, List *target_list);
extern bool gpusort_expression_has_effects(PlannedStmt *statement, Node *expression);

#endif							/* GPUSORT_PLAN_EFFECTS_H */
