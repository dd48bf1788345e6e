/*
 * plan_hook.h
 *	  Offers every node of a finished plan to the rooms that may replace it.
 *
 * Plans are rewritten after setrefs, when all references are resolved: a room
 * gets a node whose inputs were already visited and returns the node that takes
 * its place, often the same.
 */
#ifndef GPUSORT_PLAN_HOOK_H
#define GPUSORT_PLAN_HOOK_H

#include "nodes/plannodes.h"

#define GPUSORT_NODE_PREFIX "Gpusort"	/* of all our custom scans' names */

/* What a room may ask about the place of a node. */
typedef struct PlanPlace
{
	const Limit *limit;			/* whose bound the executor will pass to a Sort
								 * here; NULL: none */
	double		bound;			/* what the planner takes that bound for; 0:
								 * there is none */
	bool		parallel;		/* below a Gather: it runs in several processes */
} PlanPlace;

/* What a room does with finished plans. */
typedef struct NodeRules
{
	const bool *enabled;		/* its setting */

	/* Returns the node that takes the plan's place, or the plan itself. */
	Plan	   *(*replace) (Plan *plan, const PlanPlace *place);
} NodeRules;

extern void gpusort_plan_hook_init(const NodeRules *rules);
extern bool gpusort_plan_knows_children(const Plan *plan);

#endif							/* GPUSORT_PLAN_HOOK_H */
