/*
 * interval_order.c
 *	  Rows in the order of the intervals of their key, and the interval that a row shows.
 *
 * Where all rows are in memory their intervals are counted, and each row gets the next
 * place of its interval.  So rows of one interval stay in the input's order.  Columns are
 * scattered to these places and read in sequence, which takes a fraction of what reading
 * them by row number takes: while the intervals are few, the lines that are written lie in
 * the caches.
 *
 * Elsewhere rows are sorted by the key itself, which is also one of its intervals.
 */
#include "postgres.h"

#include "guc.h"
#include "large_memory.h"
#include "rows/row_sort.h"
#include "stats/sort_attempt.h"

#define ROWS_INTERVALS_MAX 0x100000	/* with more intervals too few of the lines written lie in the caches */
#define ROWS_INTERVALS_MIN_ROWS 1024	/* fewer rows are sorted by their key in no time */
#define ROWS_INTERVALS_LOOKED_AT 256	/* rows read to see whether all seem to be in order */

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
 * Writes the number of each row's interval in the order that is wanted, and counts the rows
 * of each.  NULLs are one more interval.
 */
static void
count_intervals(const RowSort *sort, uint32 *numbers, uint32 *counts)
{
	const RowKey *key = &sort->keys->keys[0];
	const RowColumn *column = &sort->store->columns[key->attribute];
	const bool *nulls = column->has_nulls ? (const bool *) column->nulls.data : NULL;
	uint32		nrows = sort->store->nrows;
	uint32		before = key->nulls_first ? 1 : 0;
	uint32		of_null = key->nulls_first ? 0 : sort->intervals->buckets;
	Intervals	intervals = gpusort_intervals_make(&sort->intervals->range, sort->intervals->buckets, key->descending);

#define COUNT(type, to_datum) \
	for (uint32 row = 0; row < nrows; row++) \
	{ \
		uint32		interval; \
		\
		GPUSORT_CHECK_EVERY(row); \
		if (nulls != NULL && nulls[row]) \
			interval = of_null; \
		else \
			interval = gpusort_interval_of(&intervals, to_datum(((const type *) column->values.data)[row])) + before; \
		numbers[row] = interval; \
		counts[interval]++; \
	}

	GPUSORT_FOR_LENGTH(key->length, COUNT);
#undef COUNT
}

/* Replaces the number of each row's interval by the row's place. */
static void
find_places(uint32 *places, uint32 nrows, uint32 *counts, uint32 intervals)
{
	uint32		next = 0;

	for (uint32 i = 0; i < intervals; i++)
	{
		uint32		count = counts[i];

		counts[i] = next;
		next += count;
	}
	for (uint32 row = 0; row < nrows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		places[row] = counts[places[row]]++;
	}
}

/* Puts the values of a column into their places in the spare buffer, and swaps the two buffers. */
static void
scatter(RowSort *sort, ColumnBuffer *column, RowBuffer *spare, const uint32 *places)
{
	uint32		nrows = sort->store->nrows;
	RowBuffer	source = *column->buffer;

	gpusort_rows_buffer_reserve(sort->memory, spare, (Size) sort->store->capacity * column->width);
#define SCATTER(type, to_datum) \
	for (uint32 row = 0; row < nrows; row++) \
	{ \
		GPUSORT_CHECK_EVERY(row); \
		((type *) spare->data)[places[row]] = ((const type *) source.data)[row]; \
	}

	GPUSORT_FOR_LENGTH(column->width, SCATTER);
#undef SCATTER
	*column->buffer = *spare;
	*column->in_order = true;
	*spare = source;
}

static void
scatter_columns(RowSort *sort, const uint32 *places)
{
	ColumnBuffer *columns = palloc(2 * sort->layout->natts * sizeof(ColumnBuffer));
	int			ncolumns = gpusort_rows_store_list_columns(sort->store, columns);
	RowBuffer	spare = {0};

	for (int i = 0; i < ncolumns; i++)
		scatter(sort, &columns[i], &spare, places);
	gpusort_rows_buffer_release(sort->memory, &spare);
	pfree(columns);
}

/* True if the rows come in the order of the key, or in the reverse order, as far as some of them show. */
static bool
seems_ordered(const RowSort *sort)
{
	uint32		rows[ROWS_INTERVALS_LOOKED_AT];
	uint64		codes[ROWS_INTERVALS_LOOKED_AT];
	bool		rises = false;
	bool		falls = false;

	for (uint64 i = 0; i < ROWS_INTERVALS_LOOKED_AT; i++)
		rows[i] = i * sort->store->nrows / ROWS_INTERVALS_LOOKED_AT;
	gpusort_rows_load_codes(&sort->keys->keys[0], sort->store, rows, 0, ROWS_INTERVALS_LOOKED_AT, codes);
	for (int i = 1; i < ROWS_INTERVALS_LOOKED_AT; i++)
	{
		rises |= codes[i] > codes[i - 1];
		falls |= codes[i] < codes[i - 1];
	}
	return !rises || !falls;
}

/*
 * True if counting intervals is faster than sorting, and nothing demands a device, a method
 * or only the first rows.  It is not with records, which take most of the time to read, nor
 * where the engine finds the rows in order.
 */
static bool
counting_pays(const RowSort *sort)
{
	return sort->intervals != NULL && sort->bound == NULL && sort->layout->nrecord == 0 &&
		sort->store->nrows >= ROWS_INTERVALS_MIN_ROWS &&
		sort->intervals->buckets <= Min(sort->store->nrows, ROWS_INTERVALS_MAX) &&
		gpusort_engine != GPUSORT_ENGINE_GPU && gpusort_method == GPUSORT_METHOD_AUTO && !seems_ordered(sort);
}

/*
 * Puts the columns of the rows in sort->store, which are all rows, in the order of their
 * intervals.  Returns false, with nothing done, if the rows are to be sorted by the key.
 */
bool
gpusort_rows_order_by_interval(RowSort *sort)
{
	RowIntervals *intervals = sort->intervals;
	Size		nrows = sort->store->nrows;
	SortAttempt attempt;
	uint32	   *places;
	uint32	   *counts;

	if (!counting_pays(sort))
		return false;
	gpusort_attempt_begin(&attempt, ENGINE_CPU, USED_FOR_ROWS, GPUSORT_METHOD_APPROXIMATE, nrows, sort->progress);
	if (intervals->column < 0)
		gpusort_rows_widen_intervals(sort);
	gpusort_rows_buffer_reserve(sort->memory, &sort->packed, nrows * sizeof(uint32));
	sort->order = places = (uint32 *) sort->packed.data;	/* no column is read by row number */
	counts = palloc0((intervals->buckets + 1) * sizeof(uint32));
	count_intervals(sort, places, counts);
	find_places(places, nrows, counts, intervals->buckets + 1);
	scatter_columns(sort, places);
	pfree(counts);
	gpusort_attempt_succeed(&attempt, GPUSORT_METHOD_APPROXIMATE, 1, nrows, nrows * gpusort_key_width(intervals->range.form));
	sort->stats.used_cpu = true;
	return true;
}
