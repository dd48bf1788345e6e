/*
 * plan_errors.h
 *	  Whether a plan may raise an error between its rows.
 */
#ifndef GPUSORT_PLAN_ERRORS_H
#define GPUSORT_PLAN_ERRORS_H

#include "nodes/plannodes.h"

struct PlanWalk;

extern bool gpusort_plan_may_fail(struct PlanWalk *walk, Plan *plan, List *target_list);

#endif							/* GPUSORT_PLAN_ERRORS_H */
