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

/* What a room may ask about the place of a node. */
typedef struct PlanPlace
{
	const Limit *limit;			/* whose bound the executor will pass to a Sort
								 * here; NULL: none */
	double		bound;			/* what the planner takes that bound for; 0:
								 * there is none */
	bool		parallel;		/* below a Gather: it runs in several processes */
} PlanPlace;

extern void gpusort_nodes_init(void);

#endif							/* GPUSORT_PLAN_HOOK_H */
