/*
 * row_intervals.c
 *	  ORDER BY gpusort.bucket(key, n): finds the range of the key and the interval of each row.
 *	  See row_sort.h.
 */
#include "postgres.h"

#include "large_memory.h"
#include "rows/row_sort.h"

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

/* The intervals in the order of the rows, over the rows by which the range was widened. */
Intervals
gpusort_rows_intervals_in_order(const RowSort *sort, uint32 buckets)
{
	return gpusort_intervals_make(&sort->intervals->range, buckets, sort->keys->keys[0].descending);
}

/* Widens the range of the intervals by the rows in memory. */
void
gpusort_rows_widen_intervals(RowSort *sort)
{
	const RowColumn *column = &sort->store->columns[sort->intervals->key];

	gpusort_range_widen_by_keys(&sort->intervals->range, column->values.data,
								column->has_nulls ? (const bool *) column->nulls.data : NULL, sort->store->nrows);
}

/*
 * Numbers rows first .. first + n - 1 of the store by these intervals.  Rows whose key is NULL have one
 * number more, before or behind all others.
 */
void
gpusort_rows_number_by_interval(const RowSort *sort, const Intervals *intervals, uint32 first, uint32 n, uint32 *numbers)
{
	const RowKey *key = &sort->keys->keys[0];
	const RowColumn *column = &sort->store->columns[key->attribute];
	const bool *nulls = column->has_nulls ? (const bool *) column->nulls.data + first : NULL;
	uint32		least = key->nulls_first ? 1 : 0;
	uint32		null_number = key->nulls_first ? 0 : intervals->projection.buckets;

	gpusort_intervals_of_keys(intervals, column->values.data + (Size) first * gpusort_key_width(intervals->form), n, numbers);
	for (uint32 i = 0; (nulls != NULL || least > 0) && i < n; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		numbers[i] = nulls != NULL && nulls[i] ? null_number : numbers[i] + least;
	}
}
