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
	double		bound;			/* rows that the executor will tell a Sort here
								 * are enough; 0: it will tell none */
} PlanPlace;

extern void gpusort_nodes_init(void);

#endif							/* GPUSORT_PLAN_HOOK_H */
