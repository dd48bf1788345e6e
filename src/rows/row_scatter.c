/*
 * row_scatter.c
 *	  See row_scatter.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "large_memory.h"
#include "rows/row_scatter.h"

void
gpusort_rows_sum_up(uint32 *counts, uint32 n)
{
	uint32		next = 0;

	for (uint32 i = 0; i < n; i++)
	{
		uint32		count = counts[i];

		counts[i] = next;
		next += count;
	}
}

/* Puts the values of a column into their places in the spare buffer, and swaps the two buffers. */
static void
scatter_column(RowStore *store, RowBuffer *column, int width, RowBuffer *spare, const uint32 *places)
{
	RowBuffer	source = *column;

	gpusort_rows_buffer_reserve(store->memory, spare, (Size) store->capacity * width);
#define SCATTER(type, to_datum) \
	for (uint32 row = 0; row < store->nrows; row++) \
	{ \
		GPUSORT_CHECK_EVERY(row); \
		((type *) spare->data)[places[row]] = ((const type *) source.data)[row]; \
	}

	GPUSORT_FOR_LENGTH(width, SCATTER);
#undef SCATTER
	*column = *spare;
	*spare = source;
}

void
gpusort_rows_scatter(RowStore *store, uint32 *ends, uint32 nparts, uint32 *numbers)
{
	const RowLayout *layout = store->layout;
	RowBuffer	spare = {0};

	gpusort_rows_sum_up(ends, nparts);
	for (uint32 row = 0; row < store->nrows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		numbers[row] = ends[numbers[row]]++;
	}
	for (int i = 0; i < layout->natts; i++)
	{
		RowColumn  *column = &store->columns[i];

		if (layout->attributes[i].in_column)
			scatter_column(store, &column->values, layout->attributes[i].length, &spare, numbers);
		if (column->has_nulls)
			scatter_column(store, &column->nulls, sizeof(bool), &spare, numbers);
	}
	if (layout->nrecord > 0)
		scatter_column(store, &store->row_starts, sizeof(uint32), &spare, numbers);
	gpusort_rows_buffer_release(&spare);
}
