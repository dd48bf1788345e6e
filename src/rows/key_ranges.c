/*
 * key_ranges.c
 *	  Notes what a code of passing rows needs, see key_ranges.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "large_memory.h"
#include "rows/key_ranges.h"

#define ROWS_NOTED_AT_ONCE 1024 /* rows whose codes are loaded at a time */

typedef struct KeyRange
{
	bool		some_null;
	bool		some_value;
	uint64		low;			/* of the codes of values */
	uint64		high;
} KeyRange;

struct KeyRanges
{
	const RowKeys *keys;
	const RowLayout *layout;
	int			nvalues;		/* leading keys that are values, or constant */
	bool		fit;			/* without their ranges they do not fit a word */
	KeyRange   *range;			/* one per key */
};

KeyRanges *
gpusort_rows_ranges_create(const RowKeys *keys, const RowLayout *layout)
{
	KeyRanges  *ranges = palloc0(sizeof(KeyRanges));
	int			bits = 0;

	ranges->keys = keys;
	ranges->layout = layout;
	ranges->range = palloc0(keys->nkeys * sizeof(KeyRange));
	for (int i = 0; i < keys->ncoded; i++)
	{
		const RowKey *key = &keys->keys[i];
		bool		is_constant = layout->attributes[key->attribute].is_constant;

		if (key->kind != KEY_IS_VALUE && !is_constant)
			break;
		bits += is_constant ? 0 : 8 * key->width;
		ranges->range[i].low = PG_UINT64_MAX;
		ranges->nvalues++;
	}
	ranges->fit = bits > ROWS_WORD_BITS;
	return ranges;
}

/* Notes in which rows of a store a key is NULL.  Returns the NULL bytes, or NULL if there are none. */
static const bool *
note_nulls(KeyRange *range, const RowColumn *column, uint32 nrows)
{
	uint32		nulls = 0;

	for (uint32 row = 0; column->has_nulls && row < nrows; row++)
	{
		GPUSORT_CHECK_EVERY(row);
		nulls += column->nulls.data[row];
	}
	range->some_null |= nulls > 0;
	range->some_value |= nulls < nrows;
	return nulls > 0 ? (const bool *) column->nulls.data : NULL;
}

static void
note_range(KeyRange *range, const RowKey *key, const RowStore *store, const bool *nulls)
{
	uint64		codes[ROWS_NOTED_AT_ONCE];
	uint64		low = range->low;
	uint64		high = range->high;

	for (uint32 first = 0; first < store->nrows; first += ROWS_NOTED_AT_ONCE)
	{
		uint32		n = Min(ROWS_NOTED_AT_ONCE, store->nrows - first);

		GPUSORT_CHECK_EVERY(first);
		gpusort_rows_load_codes(key, store, NULL, first, n, codes);
		for (uint32 i = 0; i < n; i++)
		{
			if (nulls != NULL && nulls[first + i])
				continue;
			low = Min(low, codes[i]);
			high = Max(high, codes[i]);
		}
	}
	range->low = low;
	range->high = high;
}

void
gpusort_rows_ranges_note(KeyRanges *ranges, const RowStore *store)
{
	for (int i = 0; i < ranges->nvalues; i++)
	{
		const RowKey *key = &ranges->keys->keys[i];
		const bool *nulls;

		if (ranges->layout->attributes[key->attribute].is_constant)
			continue;
		nulls = note_nulls(&ranges->range[i], &store->columns[key->attribute], store->nrows);
		if (ranges->fit)
			note_range(&ranges->range[i], key, store, nulls);
	}
}

static void
add_field(KeyCode *code, KeyFieldKind kind, const RowKey *key, uint64 low, uint64 high)
{
	int			bits = gpusort_rows_bit_length(high - low);

	code->fields[code->nfields++] = (KeyField) {.kind = kind, .key = key, .bits = bits, .low = low, .high = high};
	code->bits += bits;
}

KeyCode *
gpusort_rows_code_of_ranges(const KeyRanges *ranges)
{
	KeyCode    *code = palloc0(sizeof(KeyCode));

	code->fields = palloc0(2 * Max(ranges->nvalues, 1) * sizeof(KeyField));
	while (code->nexact < ranges->nvalues && code->bits < ROWS_WORD_BITS)
	{
		const RowKey *key = &ranges->keys->keys[code->nexact];
		const KeyRange *range = &ranges->range[code->nexact];
		uint64		low = ranges->fit ? range->low : 0;
		uint64		high = ranges->fit ? range->high : PG_UINT64_MAX >> (64 - 8 * Max(key->width, 1));

		if (!ranges->layout->attributes[key->attribute].is_constant && range->some_value)
		{
			if (range->some_null)
				add_field(code, FIELD_NULL, key, 0, 1);
			if (high > low)
				add_field(code, FIELD_VALUE, key, low, high);
			if (code->bits > ROWS_WORD_BITS)
				break;
		}
		code->nexact++;
	}
	return code;
}
