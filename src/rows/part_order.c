/*
 * part_order.c
 *	  The sorted order of the rows of a large store, part by part.
 *
 * Rows are first scattered by the leading bits of their code, or, where these are too much
 * alike, into parts that are finer at one end of the codes.  Then each part, which fits the
 * caches, is ordered by packed integers.  Reading rows in their order stays within a part,
 * where rows of a store in the input's order cost a cache miss for each column.
 *
 * Where those bits are all that orders the rows, nothing is left to be ordered.  So rows
 * are ordered by keys of few values.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "guc.h"
#include "large_memory.h"
#include "rows/row_scatter.h"
#include "rows/row_sort.h"
#include "rows/word_sample.h"
#include "stats/sort_attempt.h"

#define ROWS_PARTS_MIN_BYTES (16 * 1024 * 1024)	/* smaller stores lie in the caches */
#define CACHED_PART_BYTES (256.0 * 1024)	/* of the columns of a part, and of what orders it */
#define ROWS_PART_BITS_MAX 12	/* with more parts too few of the lines written lie in the caches */
#define ROWS_WHOLE_BITS_MAX 20	/* but no more than so many are still faster than ordering parts */
#define ROWS_PART_SHARE_MAX 4	/* with more than one row in 4 in one part, it does not fit the caches */

/* Bytes of a row's columns, and of what its part is ordered by. */
static Size
bytes_per_row(const RowStore *store)
{
	return store->layout->fixed_bytes + store->null_columns + sizeof(uint64);
}

/*
 * How many leading bits of the code the rows are scattered by: all, if these are few and
 * order the rows, or as many as make parts that fit the caches.
 */
static int
find_part_bits(const RowSort *sort, const KeyCode *code)
{
	uint32		nrows = sort->store->nrows;
	uint64		parts = nrows * (double) bytes_per_row(sort->store) / CACHED_PART_BYTES;

	if (code->nexact == sort->keys->nkeys && code->bits <= Min(ROWS_WHOLE_BITS_MAX, gpusort_rows_bit_length(nrows) + 1))
		return code->bits;
	return Min(gpusort_rows_bit_length(parts), ROWS_PART_BITS_MAX);
}

/* True if these values come in ascending or in descending order. */
static bool
are_ordered(const uint64 *values)
{
	bool		rises = false;
	bool		falls = false;

	for (int i = 1; i < ROWS_LOOKED_AT; i++)
	{
		rises |= values[i] > values[i - 1];
		falls |= values[i] < values[i - 1];
	}
	return !rises || !falls;
}

/* True if more than one in ROWS_PART_SHARE_MAX of these sorted words belong to one part and are not all the same. */
static bool
are_uneven(const uint64 *words, const PartMap *map)
{
	const int	apart = ROWS_LOOKED_AT / ROWS_PART_SHARE_MAX;
	uint64		parts[ROWS_LOOKED_AT];

	memcpy(parts, words, sizeof(parts));
	gpusort_rows_find_parts(map, parts, ROWS_LOOKED_AT);
	for (int i = apart; i < ROWS_LOOKED_AT; i++)
		if (parts[i] == parts[i - apart] && words[i] != words[i - apart])
			return true;
	return false;
}

/* Lists some rows of the store in equal steps. */
static void
list_some(const RowStore *store, uint32 *rows)
{
	for (uint64 i = 0; i < ROWS_LOOKED_AT; i++)
		rows[i] = i * store->nrows / ROWS_LOOKED_AT;
}

bool
gpusort_rows_seem_ordered(const RowSort *sort)
{
	uint32		rows[ROWS_LOOKED_AT];
	uint64		codes[ROWS_LOOKED_AT];

	list_some(sort->store, rows);
	gpusort_rows_load_codes(&sort->keys->keys[0], sort->store, rows, 0, ROWS_LOOKED_AT, codes);
	return are_ordered(codes);
}

/* Chooses the rule of the parts by some rows.  Returns false if scattering the rows does not pay. */
static bool
choose_rule(const RowSort *sort, const KeyCode *code, PartMap *map)
{
	uint32		rows[ROWS_LOOKED_AT];
	uint64	   *words;

	list_some(sort->store, rows);
	words = gpusort_rows_sorted_words(code, sort->store, rows, ROWS_LOOKED_AT);
	map->great = words[ROWS_LOOKED_AT - 1];
	for (map->rule = 0; map->rule < PART_RULES && are_uneven(words, map); map->rule++)
		;
	pfree(words);
	return map->rule < PART_RULES;
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

/* Packs the rows of a part, orders them, and writes their numbers to sort->order. */
static void
order_part(RowSort *sort, const KeyCode *code, uint32 start, uint32 end, int row_bits, uint64 *packed)
{
	uint32		nrows = end - start;

	gpusort_rows_pack(code, sort->store, start, nrows, row_bits, packed);
	gpusort_rows_order_packed(sort, sort->store, packed, nrows, row_bits, code->nexact, code->spent);
	gpusort_rows_unpack(packed, nrows, row_bits, sort->order + start);
}

static void
order_parts(RowSort *sort, const KeyCode *code, const StoreParts *parts, int row_bits)
{
	uint64	   *packed;
	uint32		most = 0;

	for (uint32 part = 0; part < parts->count; part++)
		most = Max(most, parts->ends[part] - gpusort_rows_store_part_start(parts, part));
	packed = MemoryContextAllocHuge(CurrentMemoryContext, most * sizeof(uint64));
	for (uint32 part = 0; part < parts->count; part++)
	{
		uint32		start = gpusort_rows_store_part_start(parts, part);

		if (parts->ends[part] > start)
			order_part(sort, code, start, parts->ends[part], row_bits, packed);
	}
	pfree(packed);
}

/* Scatters the rows, and orders the parts if that is left to do. */
static void
scatter_and_order(RowSort *sort, const KeyCode *code, const PartMap *map, int row_bits)
{
	uint32		nrows = sort->store->nrows;
	StoreParts	parts;

	gpusort_rows_buffer_reserve(sort->context, &sort->packed, nrows * sizeof(uint32));
	sort->order = (uint32 *) sort->packed.data;
	parts = gpusort_rows_number_parts(sort->store, code, map, sort->order);
	gpusort_rows_scatter(sort->store, &parts, sort->order);
	if (map->rule != PARTS_EVEN || map->shift > 0 || code->nexact < sort->keys->nkeys)
		order_parts(sort, code, &parts, row_bits);
	else
		gpusort_rows_order_as_stored(sort);
	pfree(parts.ends);
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
	int			row_bits = gpusort_rows_row_bits(sort->store);
	SortAttempt attempt;
	KeyCode    *code;
	PartMap		map;
	int			part_bits;
	bool		pays;

	/* If rows come in order an engine sees that at once. */
	if (!may_scatter(sort) || nrows * bytes_per_row(sort->store) < ROWS_PARTS_MIN_BYTES || gpusort_rows_seem_ordered(sort))
		return false;
	code = gpusort_rows_code_fitted(sort->keys, 0, sort->store, &all_rows, ROWS_PACKED_BITS - row_bits, 0);
	part_bits = find_part_bits(sort, code);
	map.shift = Max(Min(code->bits, ROWS_WORD_BITS) - part_bits, 0);
	pays = choose_rule(sort, code, &map);
	if (pays)
	{
		gpusort_attempt_begin(&attempt, ENGINE_CPU, USED_FOR_ROWS, GPUSORT_METHOD_AUTO, nrows, sort->progress);
		scatter_and_order(sort, code, &map, row_bits);
		gpusort_attempt_succeed(&attempt, GPUSORT_METHOD_RADIX, 1, nrows, nrows * sizeof(uint64));
		sort->stats.used_cpu = true;
		sort->stats.moved_bytes += 2 * sizeof(uint64) * nrows;
	}
	gpusort_rows_code_free(code);
	return pays;
}
