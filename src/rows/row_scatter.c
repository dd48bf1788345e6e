/*
 * row_scatter.c
 *	  See row_scatter.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "large_memory.h"
#include "rows/row_scatter.h"

#define ROWS_COUNTED_AT_ONCE 1024	/* rows whose words stay in the first-level cache */
#define ROWS_DENSE_BITS 8		/* bits of a word behind its first one that tell parts apart */

/* The part of a word where small ones are told apart finely.  A greater word has no lesser part. */
static inline uint32
dense_part(uint64 word)
{
	int			dropped = Max(gpusort_rows_bit_length(word) - ROWS_DENSE_BITS - 1, 0);

	return ((uint32) dropped << ROWS_DENSE_BITS) + (uint32) (word >> dropped);
}

void
gpusort_rows_find_parts(const PartMap *map, uint64 *words, uint32 n)
{
	uint32		last = dense_part(map->great);

	switch (map->rule)
	{
		case PARTS_EVEN:
			for (uint32 i = 0; i < n; i++)
				words[i] >>= map->shift;
			break;
		case PARTS_DENSE_LOW:
			for (uint32 i = 0; i < n; i++)
				words[i] = dense_part(words[i]);
			break;
		case PARTS_DENSE_HIGH:
			for (uint32 i = 0; i < n; i++)
				words[i] = last - dense_part(Max(map->great, words[i]) - words[i]);
			break;
		case PART_RULES:
			pg_unreachable();
	}
}

StoreParts
gpusort_rows_number_parts(const RowStore *store, const KeyCode *code, const PartMap *map, uint32 *numbers)
{
	uint64		last = code->bits == 0 ? 0 : PG_UINT64_MAX >> (ROWS_WORD_BITS - Min(code->bits, ROWS_WORD_BITS));
	uint64		words[ROWS_COUNTED_AT_ONCE];
	StoreParts	parts;

	gpusort_rows_find_parts(map, &last, 1);
	parts.count = last + 1;
	parts.ends = palloc0(parts.count * sizeof(uint32));
	for (uint32 first = 0; first < store->nrows; first += ROWS_COUNTED_AT_ONCE)
	{
		uint32		n = Min(ROWS_COUNTED_AT_ONCE, store->nrows - first);

		GPUSORT_CHECK_EVERY(first);
		gpusort_rows_encode(code, store, NULL, first, n, ROWS_WORD_BITS, words);
		gpusort_rows_find_parts(map, words, n);
		for (uint32 i = 0; i < n; i++)
		{
			numbers[first + i] = words[i];
			parts.ends[words[i]]++;
		}
	}
	return parts;
}

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

/* Replaces the number of each row's part by the row's place among all rows, and counts by ends. */
static void
find_places(StoreParts *parts, uint32 *numbers, uint32 nrows)
{
	uint32	   *ends = parts->ends;

	gpusort_rows_sum_up(ends, parts->count);
	for (uint32 row = 0; row < nrows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		numbers[row] = ends[numbers[row]]++;
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
gpusort_rows_scatter(RowStore *store, StoreParts *parts, uint32 *numbers)
{
	ColumnBuffer *columns = palloc(2 * store->layout->natts * sizeof(ColumnBuffer));
	int			ncolumns = gpusort_rows_store_list_columns(store, columns);
	RowBuffer	spare = {0};

	find_places(parts, numbers, store->nrows);
	for (int i = 0; i < ncolumns; i++)
		scatter_column(store, columns[i].buffer, columns[i].width, &spare, numbers);
	if (store->layout->nrecord > 0)
		scatter_column(store, &store->row_starts, sizeof(uint32), &spare, numbers);
	gpusort_rows_buffer_release(&spare);
	pfree(columns);
}
