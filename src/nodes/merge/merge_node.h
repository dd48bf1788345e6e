/*
 * merge_node.h
 *	  The merge node: a custom scan in the place of a MergeAppend of foreign scans.
 *
 * plan.c puts it into finished plans.  exec.c merges its inputs, each of which is read by
 * merge_input.c.  See README.md.
 */
#ifndef GPUSORT_MERGE_NODE_H
#define GPUSORT_MERGE_NODE_H

#include "nodes/execnodes.h"
#include "nodes/plannodes.h"

#include "keys/key_lists.h"

/* custom_private holds the lists of key_lists.h and then this one: an int, a boolean, all rows will be asked for. */
#define MERGE_READS_AHEAD KEY_LISTS

/* plan.c */
extern void gpusort_merge_node_init(void);

/* exec.c */
extern Node *gpusort_merge_create_state(CustomScan *scan);

#endif							/* GPUSORT_MERGE_NODE_H */
