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
 */
#ifndef GPUSORT_ROWS_PARALLEL_H
#define GPUSORT_ROWS_PARALLEL_H

#include "nodes/extensible.h"

struct PlanPlace;

/* Returns what takes the place of a Gather Merge above a rows node, which is changed. */
extern Plan *gpusort_rows_plan_parallel(const GatherMerge *merge, CustomScan *rows, const struct PlanPlace *place);

extern Node *gpusort_rows_create_shared(void);
extern Node *gpusort_rows_create_returned(void);

#endif							/* GPUSORT_ROWS_PARALLEL_H */
