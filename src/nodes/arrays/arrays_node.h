/*
 * arrays_node.h
 *	  A plan node that sorts the arrays of many rows at once.
 *
 * README.md shows plans before and after.  The planner's part (plan.c) leaves the
 * executor's (exec.c) a CustomScan with
 *
 *	  lefttree			the node whose target list held the calls; it now returns
 *						the columns that the calls and the rest of the list need
 *	  custom_scan_tlist the child's columns as Vars of OUTER_VAR, then one call per
 *						further column: together they are the node's scan tuple
 *	  targetlist		the child's former target list, over that scan tuple
 *	  custom_exprs		count and offset of the LIMIT above, past which the node does
 *						not read, or nothing
 *	  custom_private	lists of integers, by the enum below
 */
#ifndef GPUSORT_ARRAYS_NODE_H
#define GPUSORT_ARRAYS_NODE_H

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

typedef enum ArraysPrivate
{
	ARRAYS_PRIVATE_KINDS,		/* ArrayCallKind of each call */
	ARRAYS_PRIVATE_AT_ONCE		/* one entry: 1 if nodes above ask for all rows, even if the
								 * executor wants fewer */
} ArraysPrivate;

extern const CustomScanMethods gpusort_arrays_scan_methods;

extern void gpusort_arrays_node_init(void);
extern void gpusort_arrays_exec_init(void);

#endif							/* GPUSORT_ARRAYS_NODE_H */
