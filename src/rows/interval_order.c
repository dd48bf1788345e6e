/*
 * interval_order.c
 *	  The order of the rows of one store by intervals of their key alone.
 *
 * Rows of each interval are counted, and scattered to their places, in one pass over each column.
 * Nothing is compared.  Rows of one interval keep the input's order.
 */
#include "postgres.h"

#include "guc.h"
#include "large_memory.h"
#include "rows/row_scatter.h"
#include "rows/row_sort.h"
#include "stats/sort_attempt.h"

#define ROWS_INTERVALS_MAX 0x100000	/* with more intervals rows are sorted faster by the key */
#define ROWS_INTERVALS_MIN_ROWS 1024	/* fewer rows are sorted by their key in no time */

bool
gpusort_rows_may_order_by_interval(const RowSort *sort)
{
	return sort->intervals != NULL && sort->bound == NULL && gpusort_engine != GPUSORT_ENGINE_GPU &&
		gpusort_method == GPUSORT_METHOD_AUTO && sort->store->nrows >= ROWS_INTERVALS_MIN_ROWS;
}

/* Finds the least and the greatest of numbers, of which there is at least one. */
static void
find_ends(const uint32 *numbers, uint32 n, uint32 *least, uint32 *greatest)
{
	*least = PG_UINT32_MAX;
	*greatest = 0;
	for (uint32 i = 0; i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		*least = Min(*least, numbers[i]);
		*greatest = Max(*greatest, numbers[i]);
	}
}

/* Scatters the rows, whose numbers are least .. least + parts->count - 1. */
static void
scatter_by_interval(RowSort *sort, StoreParts *parts, uint32 least, uint32 *numbers)
{
	uint32		nrows = sort->store->nrows;

	parts->ends = MemoryContextAllocExtended(CurrentMemoryContext, parts->count * sizeof(uint32),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 row = 0; row < nrows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		numbers[row] -= least;
		parts->ends[numbers[row]]++;
	}
	gpusort_rows_scatter(sort->store, parts, numbers);
	pfree(parts->ends);
}

bool
gpusort_rows_order_by_interval(RowSort *sort, const Intervals *intervals)
{
	uint32		nrows = sort->store->nrows;
	uint32		least;
	uint32		greatest;
	StoreParts	parts;
	SortAttempt attempt;

	gpusort_rows_buffer_reserve(sort->context, &sort->packed, nrows * sizeof(uint32));
	sort->order = (uint32 *) sort->packed.data;
	gpusort_rows_number_by_interval(sort, intervals, 0, nrows, sort->order);
	find_ends(sort->order, nrows, &least, &greatest);
	parts.count = greatest - least + 1;
	if (parts.count > Min(nrows, ROWS_INTERVALS_MAX) + 1)	/* one may be that of NULLs */
		return false;
	gpusort_attempt_begin(&attempt, ENGINE_CPU, USED_FOR_ROWS, GPUSORT_METHOD_AUTO, nrows, sort->progress);
	if (parts.count > 1)
		scatter_by_interval(sort, &parts, least, sort->order);
	gpusort_rows_order_as_stored(sort);
	gpusort_attempt_succeed(&attempt, GPUSORT_METHOD_APPROXIMATE, 1, nrows, nrows * sizeof(uint32));
	sort->stats.used_cpu = true;
	sort->stats.moved_bytes += 2 * sizeof(uint64) * nrows;
	return true;
}

bool
gpusort_rows_order_all_by_interval(RowSort *sort)
{
	Intervals	intervals;

	/* With records, reading these takes most of the time. */
	if (!gpusort_rows_may_order_by_interval(sort) || sort->layout->nrecord > 0 ||
		sort->intervals->buckets > Min(sort->store->nrows, ROWS_INTERVALS_MAX) || gpusort_rows_seem_ordered(sort))
		return false;
	if (sort->intervals->column < 0)	/* nobody has asked for the range until now */
		gpusort_rows_widen_intervals(sort);
	intervals = gpusort_rows_intervals_in_order(sort, sort->intervals->buckets);
	return gpusort_rows_order_by_interval(sort, &intervals);
}
