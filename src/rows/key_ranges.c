/*
 * key_ranges.c
 *	  Notes what a code of passing rows needs, see key_ranges.h.
 */
#include "postgres.h"

#include "rows/key_ranges.h"

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
	RowKey	   *bytes;			/* the key behind these, if it is one of bytes, or NULL */
	bool		fit;			/* without their ranges the values do not fit a word */
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
	if (ranges->nvalues < keys->ncoded)
		ranges->bytes = &keys->keys[ranges->nvalues];
	ranges->fit = bits > ROWS_WORD_BITS || ranges->bytes != NULL;
	return ranges;
}

void
gpusort_rows_ranges_note(KeyRanges *ranges, const RowStore *store)
{
	RowList		all_rows = {.count = store->nrows};

	for (int i = 0; i < ranges->nvalues + (ranges->bytes != NULL); i++)
	{
		const RowKey *key = &ranges->keys->keys[i];
		KeyRange   *range = &ranges->range[i];
		bool		some_null;
		bool		all_null;

		if (ranges->layout->attributes[key->attribute].is_constant)
			continue;
		gpusort_rows_find_nulls(key, store, &all_rows, &some_null, &all_null);
		range->some_null |= some_null;
		range->some_value |= !all_null;
		if (ranges->fit && key != ranges->bytes)
			gpusort_rows_widen_range(key, store, &all_rows, &range->low, &range->high);
	}
}

static void
add_ranged_field(KeyCode *code, KeyFieldKind kind, const RowKey *key, uint64 low, uint64 high)
{
	int			bits = gpusort_rows_bit_length(high - low);

	code->fields[code->nfields++] = (KeyField) {.kind = kind, .key = key, .bits = bits, .low = low, .high = high};
	code->bits += bits;
}

KeyCode *
gpusort_rows_code_of_ranges(const KeyRanges *ranges, const RowStore *sample, double nrows)
{
	KeyCode    *code = palloc0(sizeof(KeyCode));

	code->fields = palloc0(2 * (ranges->nvalues + 1) * sizeof(KeyField));
	while (code->nexact < ranges->nvalues && code->bits < ROWS_WORD_BITS)
	{
		const RowKey *key = &ranges->keys->keys[code->nexact];
		const KeyRange *range = &ranges->range[code->nexact];
		uint64		low = ranges->fit ? range->low : 0;
		uint64		high = ranges->fit ? range->high : PG_UINT64_MAX >> (64 - 8 * Max(key->width, 1));

		if (!ranges->layout->attributes[key->attribute].is_constant && range->some_value)
		{
			if (range->some_null)
				add_ranged_field(code, FIELD_NULL, key, 0, 1);
			if (high > low)
				add_ranged_field(code, FIELD_VALUE, key, low, high);
			if (code->bits > ROWS_WORD_BITS)
				break;
		}
		code->nexact++;
	}
	if (code->nexact == ranges->nvalues && ranges->bytes != NULL && code->bits < ROWS_WORD_BITS - 1)
	{
		if (ranges->range[ranges->nvalues].some_null)
			add_ranged_field(code, FIELD_NULL, ranges->bytes, 0, 1);
		gpusort_rows_code_add_sampled(code, ranges->bytes, sample, nrows);
	}
	return code;
}
