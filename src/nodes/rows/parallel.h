/*
 * parallel.h
 *	  Rows that parallel workers sort together, and that the leader returns in order.
 *
 *	  Gather Merge                  Custom Scan (GpusortRows)                returns parts in order
 *	    ->  rows node        =>       ->  Gather                             starts workers
 *	          ->  partial plan              ->  Parallel Custom Scan (GpusortRows)   sorts parts
 *	                                              ->  partial plan
 *
 * The Gather does what it does in any plan: workers, parameters, rescans, what EXPLAIN shows.  But no
 * rows pass through it.  They lie where all processes read them (rows/shared_sort.h).  From each
 * process it gets one row of NULLs, when the first part can be read.
 *
 * If there are no workers the leader sorts all rows as if it were alone.
 *
 *	  Aggregate                     Aggregate
 *	    ->  Gather                    ->  Custom Scan (GpusortRows)          offers parts
 *	          ->  partial plan  =>          ->  Gather
 *	                                              ->  Parallel Custom Scan (GpusortRows)   sorts values, counts equal ones
 *	                                                    ->  partial plan
 *
 * Of aggregates that want values at some ranks, or numbers of equal values, the state is the shared sort, or if there are no
 * workers the leader's.  They get one row of NULLs.
 */
#ifndef GPUSORT_ROWS_PARALLEL_H
#define GPUSORT_ROWS_PARALLEL_H

#include "nodes/extensible.h"

#include "nodes/rows/rows_node.h"

/* Returns what takes the place of a Gather Merge above a rows node, which is changed. */
extern Plan *gpusort_rows_plan_parallel(const GatherMerge *merge, CustomScan *rows, const struct PlanPlace *place);

/* The node above a Gather of workers that share what a rows node, which is changed, sorts. */
extern Plan *gpusort_rows_plan_shared(const Gather *gather, CustomScan *rows, RowsUse use, const struct PlanPlace *place);

/* Has processes divide rows among them by groups, which so many leading keys of a rows node tell apart. */
extern void gpusort_rows_share_groups(CustomScan *rows, int keys);

extern Node *gpusort_rows_create_shared(void);
extern Node *gpusort_rows_create_returned(RowsUse use);

#endif							/* GPUSORT_ROWS_PARALLEL_H */
