/*
 * row_intervals.c
 *	  Rows in the order of the intervals of their key, and the interval that a row shows.
 *
 * Where all rows are in memory they are ordered by a code that has nothing but their
 * intervals (part_order.c), so rows of one interval stay in the input's order.  Elsewhere
 * rows are sorted by the key itself, which is also one order of its intervals.
 */
#include "postgres.h"

#include "large_memory.h"
#include "rows/row_sort.h"

#define ROWS_INTERVALS_MAX 0x100000	/* with more intervals rows are sorted faster by the key */
#define ROWS_INTERVALS_MIN_ROWS 1024	/* fewer rows are sorted by their key in no time */

/* Has rows sorted by the intervals of a key of this form.  Called before rows are appended. */
void
gpusort_rows_sort_by_interval(RowSort *sort, int key, GpusortKeyForm form, uint32 buckets, bool descending)
{
	sort->intervals = MemoryContextAllocZero(sort->context, sizeof(RowIntervals));
	sort->intervals->column = -1;
	sort->intervals->key = key;
	sort->intervals->buckets = buckets;
	sort->intervals->descending = descending;
	sort->intervals->range = gpusort_range_of_none(form);
}

/* The interval of a row that was read, counted from 1; NULL if the key is NULL. */
Datum
gpusort_rows_sort_interval(const RowSort *sort, const Datum *values, const bool *nulls, bool *is_null)
{
	int			key = sort->intervals->key;

	*is_null = nulls[key];
	if (nulls[key])
		return (Datum) 0;
	return Int32GetDatum((int32) gpusort_interval_of(&sort->intervals->intervals, values[key]) + 1);
}

/* Widens the range of the intervals by the rows in memory. */
void
gpusort_rows_widen_intervals(RowSort *sort)
{
	const RowColumn *column = &sort->store->columns[sort->intervals->key];
	const bool *nulls = column->has_nulls ? (const bool *) column->nulls.data : NULL;
	uint32		nrows = sort->store->nrows;
	ValueRange	range = sort->intervals->range;

#define WIDEN(type, to_datum) \
	for (uint32 row = 0; row < nrows; row++) \
	{ \
		GPUSORT_CHECK_EVERY(row); \
		if (nulls == NULL || !nulls[row]) \
			gpusort_range_widen(&range, to_datum(((const type *) column->values.data)[row])); \
	}

	GPUSORT_FOR_LENGTH(sort->layout->attributes[sort->intervals->key].length, WIDEN);
#undef WIDEN
	sort->intervals->range = range;
}

/*
 * True if rows in memory, which are all rows, are to be ordered by the intervals alone.  They
 * are not with records, which take most of the time to read.
 */
bool
gpusort_rows_counts_intervals(const RowSort *sort)
{
	return sort->intervals != NULL && sort->layout->nrecord == 0 && sort->store->nrows >= ROWS_INTERVALS_MIN_ROWS &&
		sort->intervals->buckets <= Min(sort->store->nrows, ROWS_INTERVALS_MAX);
}

/* The code of rows in memory, which are all rows, that has nothing but their intervals. */
KeyCode *
gpusort_rows_interval_code(RowSort *sort)
{
	RowIntervals *intervals = sort->intervals;

	if (intervals->column < 0)	/* nobody has asked for the range until now */
		gpusort_rows_widen_intervals(sort);
	return gpusort_rows_code_intervals(sort->keys, &intervals->range, intervals->buckets);
}
