/*
 * plan_intervals.h
 *	  The rows node in the place of ORDER BY gpusort.bucket(x, n) OVER ().
 *
 * The intervals of x are in order if x is.  So a Sort by them above their WindowAgg becomes
 * one node above the WindowAgg's input that sorts by x.  The interval of each row is
 * computed from its x as the row is returned, when the range of x is known.
 */
#ifndef GPUSORT_PLAN_INTERVALS_H
#define GPUSORT_PLAN_INTERVALS_H

#include "nodes/plannodes.h"

struct PlanPlace;

/* What the integers are in the list that a plan holds. */
typedef enum RowsIntervalInts
{
	ROWS_INTERVALS_COLUMN,		/* the attribute that is the interval */
	ROWS_INTERVALS_KEY,			/* the attribute that holds x; the same one if x is not returned */
	ROWS_INTERVALS_BUCKETS,
	ROWS_INTERVALS_DESCENDING,	/* they count from the greatest value */
	ROWS_INTERVALS_OPERATOR,	/* that the Sort sorts intervals by */
	ROWS_INTERVALS_SEEN,		/* the nodes above read the attribute */
	ROWS_INTERVALS_RETURNED,	/* rows have the attribute */
	ROWS_INTERVALS_INPUT		/* first of the input's columns, one for each attribute; -1 for a constant */
} RowsIntervalInts;

/*
 * Returns a Sort of the window's input by x for a Sort by the intervals of x, and sets the
 * list of integers.  Its target list describes the rows that the node returns, in terms
 * of the input's columns.  Returns NULL for any other Sort.
 */
extern Sort *gpusort_rows_plan_intervals(const Sort *sort, const struct PlanPlace *place, List **ints);

#endif							/* GPUSORT_PLAN_INTERVALS_H */
