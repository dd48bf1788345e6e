/*
 * part_order.c
 *	  The sorted order of the rows of a large store, part by part.
 *
 * Rows are first scattered into parts by their codes.  A sample tells where to divide them.
 * Then each part, which fits the caches, is ordered by packed integers.  Reading rows in their
 * order stays within a part, where rows of a store in the input's order cost a cache miss for
 * each column.
 *
 * Where codes of few bits are all that orders the rows, each code is a part, and nothing is
 * left to be ordered.  So rows are ordered by keys of few values.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "guc.h"
#include "large_memory.h"
#include "rows/row_division.h"
#include "rows/row_scatter.h"
#include "rows/row_sort.h"
#include "rows/word_sample.h"
#include "stats/sort_attempt.h"

#define ROWS_PARTS_MIN_BYTES (16 * 1024 * 1024)	/* smaller stores lie in the caches */
#define CACHED_PART_BYTES (256.0 * 1024)	/* of the columns of a part, and of what orders it */
#define STORE_PARTS_MAX 4096	/* with more parts too few of the lines written lie in the caches */
#define ROWS_WHOLE_BITS_MAX 20	/* but no more codes than 2^20 are still faster than ordering parts */
#define STORE_PART_SAMPLED 16	/* rows of the sample for each part */
#define ROWS_COUNTED_AT_ONCE 1024	/* rows whose words stay in the first-level cache */

/* Bytes of a row's columns, and of what its part is ordered by. */
static Size
bytes_per_row(const RowStore *store)
{
	return store->layout->fixed_bytes + store->null_columns + sizeof(uint64);
}

/* True if the codes order the rows and are so few that each can be a part. */
static bool
codes_are_parts(const RowSort *sort, const KeyCode *code)
{
	return code->nexact == sort->keys->nkeys &&
		code->bits <= Min(ROWS_WHOLE_BITS_MAX, gpusort_rows_bit_length(sort->store->nrows) + 1);
}

/* Divides the rows into parts that fit the caches. */
static Division *
divide(const RowSort *sort, const KeyCode *code)
{
	uint32		nrows = sort->store->nrows;
	int			nparts = Min(nrows * (bytes_per_row(sort->store) / CACHED_PART_BYTES), STORE_PARTS_MAX);
	uint32		n = Min(nparts * STORE_PART_SAMPLED, nrows);
	uint64	   *words = gpusort_rows_sample_words(code, sort->store, n);
	Division   *division = gpusort_rows_division_of_words(words, n, nparts);

	pfree(words);
	return division;
}

bool
gpusort_rows_seem_ordered(const RowSort *sort)
{
	const RowKey *key = &sort->keys->keys[0];
	uint32		rows[ROWS_LOOKED_AT];
	uint64		codes[ROWS_LOOKED_AT];
	bool		rises = false;
	bool		falls = false;

	if (key->kind != KEY_IS_VALUE || !sort->layout->attributes[key->attribute].in_column)
		return false;
	for (uint64 i = 0; i < ROWS_LOOKED_AT; i++)
		rows[i] = i * sort->store->nrows / ROWS_LOOKED_AT;
	gpusort_rows_load_codes(key, sort->store, rows, 0, ROWS_LOOKED_AT, codes);
	for (int i = 1; i < ROWS_LOOKED_AT; i++)
	{
		rises |= codes[i] > codes[i - 1];
		falls |= codes[i] < codes[i - 1];
	}
	return !rises || !falls;
}

/* True if the codes of all keys come from columns, and nothing demands a device, a method or only the first rows. */
static bool
may_scatter(const RowSort *sort)
{
	if (sort->bound != NULL || gpusort_engine == GPUSORT_ENGINE_GPU || gpusort_method != GPUSORT_METHOD_AUTO)
		return false;
	for (int i = 0; i < sort->keys->ncoded; i++)
		if (sort->keys->keys[i].kind != KEY_IS_VALUE || !sort->layout->attributes[sort->keys->keys[i].attribute].in_column)
			return false;
	return sort->keys->ncoded > 0;
}

/* Orders parts, which end at these rows, one after the other. */
static void
order_parts(RowSort *sort, const KeyCode *code, const uint32 *ends, uint32 nparts)
{
	RowBuffer	packed = {0};
	uint32		start = 0;

	for (uint32 part = 0; part < nparts; start = ends[part++])
	{
		uint32		nrows = ends[part] - start;

		if (nrows == 0)
			continue;
		gpusort_rows_buffer_reserve(CurrentMemoryContext, &packed, nrows * sizeof(uint64));
		gpusort_rows_order_part(sort, code, start, nrows, (uint64 *) packed.data);
	}
	gpusort_rows_buffer_release(&packed);
}

/* Writes the number of each row's part, which is its code if there is no division, and counts the rows of each part. */
static void
number_parts(const RowStore *store, const KeyCode *code, Division *division, uint32 *numbers, uint32 *counts)
{
	uint64		words[ROWS_COUNTED_AT_ONCE];

	for (uint32 first = 0; first < store->nrows; first += ROWS_COUNTED_AT_ONCE)
	{
		uint32		n = Min(ROWS_COUNTED_AT_ONCE, store->nrows - first);

		GPUSORT_CHECK_EVERY(first);
		gpusort_rows_encode(code, store, NULL, first, n, ROWS_WORD_BITS, words);
		if (division != NULL)
			gpusort_rows_division_find(division, words, n, numbers + first, counts);
		else
			for (uint32 i = 0; i < n; i++)
				counts[numbers[first + i] = words[i]]++;
	}
}

/* Scatters the rows, and orders the parts if that is left to do. */
static void
scatter_and_order(RowSort *sort, const KeyCode *code, Division *division)
{
	uint32		nparts = division != NULL ? division->nparts : UINT32_C(1) << code->bits;
	uint32	   *ends = palloc0(nparts * sizeof(uint32));

	gpusort_rows_buffer_reserve(sort->context, &sort->packed, sort->store->nrows * sizeof(uint32));
	sort->order = (uint32 *) sort->packed.data;
	number_parts(sort->store, code, division, sort->order, ends);
	gpusort_rows_scatter(sort->store, ends, nparts, sort->order);
	if (division != NULL)
		order_parts(sort, code, ends, nparts);
	else
		sort->order = NULL;
	pfree(ends);
}

/*
 * Sets sort->order as gpusort_rows_order does, and changes the numbers of the rows.  Returns
 * false, with nothing done, if gpusort_rows_order is as fast.
 */
bool
gpusort_rows_order_by_parts(RowSort *sort)
{
	RowList		all_rows = {.count = sort->store->nrows};
	uint64		nrows = all_rows.count;
	int			word_bits = ROWS_PACKED_BITS - gpusort_rows_row_bits(sort->store);
	SortAttempt attempt;
	KeyCode    *code;
	Division   *division;

	/* If rows come in order an engine sees that at once. */
	if (!may_scatter(sort) || nrows * bytes_per_row(sort->store) < ROWS_PARTS_MIN_BYTES || gpusort_rows_seem_ordered(sort))
		return false;
	gpusort_attempt_begin(&attempt, ENGINE_CPU, USED_FOR_ROWS, GPUSORT_METHOD_AUTO, nrows, sort->progress);
	code = gpusort_rows_code_fitted(sort->keys, 0, sort->store, &all_rows, word_bits, 0);
	division = codes_are_parts(sort, code) ? NULL : divide(sort, code);
	scatter_and_order(sort, code, division);
	if (division != NULL)
		gpusort_rows_division_free(division);
	gpusort_rows_code_free(code);
	gpusort_attempt_succeed(&attempt, GPUSORT_METHOD_RADIX, 1, nrows, nrows * sizeof(uint64));
	sort->stats.used_cpu = true;
	sort->stats.moved_bytes += 2 * sizeof(uint64) * nrows;
	return true;
}
