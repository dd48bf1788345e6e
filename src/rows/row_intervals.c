/*
 * row_intervals.c
 *	  ORDER BY gpusort.bucket(key, n): finds the range of the key and the interval of each row.
 *	  See row_sort.h.
 */
#include "postgres.h"

#include "rows/row_sort.h"

/* Has an attribute of the rows show the intervals of a key of this form.  Called before rows are appended. */
void
gpusort_rows_sort_show_interval(RowSort *sort, int column, int key, GpusortKeyForm form, uint32 buckets, bool descending)
{
	sort->intervals = MemoryContextAllocZero(sort->context, sizeof(RowIntervals));
	sort->intervals->column = column;
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

/* Widens the range of the intervals by the rows in memory, if rows show intervals. */
void
gpusort_rows_widen_intervals(RowSort *sort)
{
	const RowColumn *column;

	if (sort->intervals == NULL)
		return;
	column = &sort->store->columns[sort->intervals->key];
	gpusort_range_widen_by_keys(&sort->intervals->range, column->values.data,
								column->has_nulls ? (const bool *) column->nulls.data : NULL, sort->store->nrows);
}
