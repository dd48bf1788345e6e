/*
 * row_code.c
 *	  Makes codes of rows and encodes by them, see row_code.h.
 *
 * Encoding works on blocks of rows that stay in the first-level cache: one
 * simple loop per form loads the codes of a block, others fit and pack them.
 */
#include "postgres.h"

#include <float.h>

#include "miscadmin.h"
#include "port/pg_bswap.h"

#include "rows/row_code.h"

#define ROWS_ENCODE_BLOCK 1024
#define ROWS_CHARACTERS_MIN 16384	/* rows that are worth a look at their characters */
#define ROWS_LOOKED_AT 1024		/* of them, for a first look */
#define ROWS_SAMPLE_MIN 128		/* rows that tell the characters of others */
#define ROWS_PREFETCH 16		/* records fetched ahead of the one being read */

static int
bit_length(uint64 value)
{
	return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

static uint64
low_bits(int bits)
{
	return bits >= 64 ? PG_UINT64_MAX : (UINT64CONST(1) << bits) - 1;
}

/* Writes the numbers of n rows of a list, from one of them on; NULL if they are first, first + 1 ... */
static const uint32 *
list_block(const RowList *list, uint32 first, uint32 n, uint32 *rows)
{
	if (list->packed == NULL)
		return NULL;
	for (uint32 i = 0; i < n; i++)
		rows[i] = list->packed[first + i] & list->row_mask;
	return rows;
}

/* Has the record of a row of the list fetched that will soon be read, and the place of a later one's. */
static inline void
prefetch_record(const RowStore *store, const RowList *list, uint32 i, uint32 step)
{
	if (list->packed == NULL || step > 1)
		return;
	if (i + 2 * ROWS_PREFETCH < list->count)
		__builtin_prefetch((const uint32 *) store->row_starts.data + (list->packed[i + 2 * ROWS_PREFETCH] & list->row_mask));
	if (i + ROWS_PREFETCH < list->count)
		__builtin_prefetch(gpusort_rows_record(store, list->packed[i + ROWS_PREFETCH] & list->row_mask));
}

/* Has the first records of the list fetched, and the places of those behind them. */
static void
prefetch_first(const RowStore *store, const RowList *list)
{
	if (list->packed == NULL || store->layout->nrecord == 0)
		return;
	for (uint32 i = 0; i < Min(2 * ROWS_PREFETCH, list->count); i++)
		__builtin_prefetch((const uint32 *) store->row_starts.data + (list->packed[i] & list->row_mask));
	for (uint32 i = 0; i < Min(ROWS_PREFETCH, list->count); i++)
		__builtin_prefetch(gpusort_rows_record(store, list->packed[i] & list->row_mask));
}

/* Gets the bytes of a row's key, to be freed; false if it is NULL. */
static bool
get_bytes(const RowKey *key, const RowStore *store, uint32 row, KeyBytes *bytes)
{
	bool		is_null;
	Datum		value = gpusort_rows_store_get(store, row, key->attribute, &is_null);

	if (!is_null)
		gpusort_key_bytes_get(key->bytes, (SortSupport) &key->abbreviate, value, bytes);
	return !is_null;
}

/* As get_bytes, of a row of the list, each step-th row of which is read. */
static bool
get_listed(const RowKey *key, const RowStore *store, const RowList *list, uint32 i, uint32 step, KeyBytes *bytes)
{
	CHECK_FOR_INTERRUPTS();
	prefetch_record(store, list, i, step);
	return get_bytes(key, store, list->packed ? list->packed[i] & list->row_mask : i, bytes);
}

/* The 8 bytes from a place on as a number; zeros are behind the end. */
static inline uint64
word_at(const KeyBytes *bytes, Size place)
{
	uint64		word = 0;

	if (place + sizeof(word) <= bytes->length)
		memcpy(&word, bytes->data + place, sizeof(word));
	else if (place < bytes->length)
		memcpy(&word, bytes->data + place, bytes->length - place);
	return pg_ntoh64(word);
}

/* The place up to which two strings, padded by zeros, are alike; at most an end. */
static Size
equal_bytes(const KeyBytes *a, const KeyBytes *b, Size end)
{
	Size		from = 0;

	while (from < Min(end, Max(a->length, b->length)))
	{
		uint64		difference = word_at(a, from) ^ word_at(b, from);

		if (difference != 0)
			return Min(end, from + __builtin_clzll(difference) / 8);
		from += sizeof(uint64);
	}
	return end;
}

/* Whether a key is NULL in some of the rows, and whether in all. */
static void
find_nulls(const RowKey *key, const RowStore *store, const RowList *list, bool *some, bool *all)
{
	const RowColumn *column = &store->columns[key->attribute];

	*some = false;
	*all = column->has_nulls;
	for (uint32 i = 0; column->has_nulls && i < list->count && (!*some || *all); i++)
	{
		if (column->nulls.data[list->packed ? list->packed[i] & list->row_mask : i])
			*some = true;
		else
			*all = false;
	}
}

/* The range of a key's codes over the rows in which it is not NULL. */
static void
find_range(const RowKey *key, const RowStore *store, const RowList *list, uint64 *low, uint64 *high)
{
	const RowColumn *column = &store->columns[key->attribute];
	uint32		listed[ROWS_ENCODE_BLOCK];
	uint64		codes[ROWS_ENCODE_BLOCK];

	*low = PG_UINT64_MAX;
	*high = 0;
	for (uint32 first = 0; first < list->count; first += ROWS_ENCODE_BLOCK)
	{
		uint32		n = Min(ROWS_ENCODE_BLOCK, list->count - first);
		const uint32 *rows = list_block(list, first, n, listed);

		gpusort_rows_load_codes(key, store, rows, first, n, codes);
		for (uint32 i = 0; i < n; i++)
		{
			if (column->has_nulls && column->nulls.data[rows ? rows[i] : first + i])
				continue;
			*low = Min(*low, codes[i]);
			*high = Max(*high, codes[i]);
		}
	}
}

/* What fitting a key of bytes needs to know of its strings. */
typedef struct ByteRange
{
	Size		skip;			/* bytes that all begin with */
	Size		longest;		/* string's length, or more than skip and what a word holds */
} ByteRange;

/* Finds it out from each step-th row. */
static ByteRange
find_byte_range(const RowKey *key, const RowStore *store, const RowList *list, uint32 step)
{
	bool		vary = gpusort_key_bytes_vary(key->bytes);
	KeyBytes	first = {0};
	KeyBytes	bytes;
	bool		found = false;
	ByteRange	range = {0};

	for (uint32 i = 0; i < list->count; i += step)
	{
		if (found && range.skip == 0 && (!vary || range.longest > sizeof(uint64)))
			break;
		if (!get_listed(key, store, list, i, step, found ? &bytes : &first))
			continue;
		if (!found)
			range.skip = range.longest = first.length;
		else
		{
			range.skip = equal_bytes(&first, &bytes, range.skip);
			range.longest = Max(range.longest, bytes.length);
			gpusort_key_bytes_free(&bytes);
		}
		found = true;
	}
	gpusort_key_bytes_free(&first);
	return range;
}

/* Notes the bytes of a key in each step-th row; false if a string has others before the first place. */
static bool
count_characters(CharacterSets *sets, const RowKey *key, const RowStore *store, const RowList *list, uint32 step)
{
	KeyBytes	first = {0};
	KeyBytes	bytes;
	bool		found = false;
	bool		alike = true;

	for (uint32 i = 0; i < list->count && alike; i += step)
	{
		KeyBytes   *place = found ? &bytes : &first;

		if (!get_listed(key, store, list, i, step, place))
			continue;
		gpusort_characters_count(sets, place);
		if (found)
		{
			alike = equal_bytes(&first, &bytes, sets->from) == sets->from;
			gpusort_key_bytes_free(&bytes);
		}
		found = true;
	}
	gpusort_key_bytes_free(&first);
	return alike;
}

/*
 * Notes the characters of a key, as many as fill so many bits, behind what all strings
 * begin with; false where packing them does not pay, to tell so many rows apart.  Some
 * of the list tell what that is and which places will do; all are read once, and again
 * if those were wrong.
 */
static bool
find_characters(CharacterSets *sets, const RowKey *key, const RowStore *store, const RowList *list, int bits, double nrows)
{
	uint32		step = Max(list->count / ROWS_LOOKED_AT, 1);
	ByteRange	range = find_byte_range(key, store, list, step);

	for (;;)
	{
		if (range.longest == range.skip && step > 1)
			range = find_byte_range(key, store, list, step = 1);
		if (range.longest == range.skip)
			return false;
		gpusort_characters_start(sets, range.skip);
		(void) count_characters(sets, key, store, list, Max(list->count / ROWS_LOOKED_AT, 1));
		if (!gpusort_characters_narrow(sets, bits) || gpusort_characters_are_plain(sets, bits, nrows))
			return false;
		if (count_characters(sets, key, store, list, 1))
			return true;
		range = find_byte_range(key, store, list, step = 1);
	}
}

static KeyField *
add_field(KeyCode *code, const RowKey *key, KeyFieldKind kind, int bits)
{
	KeyField   *field = &code->fields[code->nfields++];

	field->key = key;
	field->kind = kind;
	field->bits = bits;
	field->high = low_bits(bits);
	code->bits += bits;
	return field;
}

/* Adds a key of bytes packed; true if that is all of its strings. */
static bool
add_characters(KeyCode *code, const RowKey *key, Characters *characters)
{
	KeyField   *field = add_field(code, key, FIELD_CHARACTERS, bit_length(characters->high));

	field->high = characters->high;
	field->characters = characters;
	return characters->complete;
}

/* Adds a key that is a value; true if so many bits of the code hold all of it. */
static bool
add_value(KeyCode *code, const RowKey *key, const RowStore *store, const RowList *list, int word_bits, bool fit)
{
	uint64		low = 0;
	uint64		high = low_bits(8 * key->width);

	if (fit)
		find_range(key, store, list, &low, &high);
	if (high > low)
	{
		KeyField   *field = add_field(code, key, FIELD_VALUE, bit_length(high - low));

		field->low = low;
		field->high = high;
	}
	return code->bits <= word_bits;
}

/* The same of a key that is bytes: its strings are equal to their ends. */
static bool
add_bytes(KeyCode *code, const RowKey *key, const RowStore *store, const RowList *list, int word_bits)
{
	int			room = word_bits - code->bits;
	CharacterSets sets;
	ByteRange	range;
	int			bits;

	if (gpusort_key_bytes_vary(key->bytes) && list->count >= ROWS_CHARACTERS_MIN &&
		find_characters(&sets, key, store, list, room, list->count))
		return add_characters(code, key, gpusort_characters_pack(&sets, room));
	range = find_byte_range(key, store, list, 1);
	if (range.longest == range.skip)
		return true;
	bits = Min(8 * Min(range.longest - range.skip, sizeof(uint64)), room);
	add_field(code, key, FIELD_BYTES, bits)->skip = range.skip;
	return bits == 8 * (range.longest - range.skip);
}

static KeyCode *
empty_code(const RowKeys *keys)
{
	KeyCode    *code = palloc0(sizeof(KeyCode));

	code->fields = palloc0(2 * Max(keys->ncoded, 1) * sizeof(KeyField));
	return code;
}

/* Adds a key of bytes for so many rows of which a sample is at hand: packed if that shows how, else its first bytes. */
static void
add_sampled_bytes(KeyCode *code, const RowKey *key, const RowStore *sample, double nrows)
{
	RowList		list = {.count = sample->nrows};
	int			room = 64 - code->bits;
	CharacterSets sets;
	Characters *characters;
	KeyBytes	bytes;
	uint32		row = 0;

	/* As they are, its first bytes are those that all may begin with. */
	if (find_byte_range(key, sample, &list, 1).skip > 0)
		nrows = DBL_MAX;
	while (row < sample->nrows && gpusort_rows_is_null(sample, row, key->attribute))
		row++;
	if (!gpusort_key_bytes_vary(key->bytes) || sample->nrows < ROWS_SAMPLE_MIN || row == sample->nrows ||
		!find_characters(&sets, key, sample, &list, room, nrows))
	{
		add_field(code, key, FIELD_BYTES, room);
		return;
	}
	characters = gpusort_characters_pack(&sets, room);
	(void) get_bytes(key, sample, row, &bytes);
	gpusort_characters_extend(characters, &sets, &bytes);
	gpusort_key_bytes_free(&bytes);
	(void) add_characters(code, key, characters);
}

/* The code whose bits mean the same in every store of the sample's layout; for so many rows in all. */
KeyCode *
gpusort_rows_code_common(const RowKeys *keys, const RowStore *sample, double nrows)
{
	KeyCode    *code = empty_code(keys);

	while (code->nexact < keys->ncoded && code->bits < 63)
	{
		const RowKey *key = &keys->keys[code->nexact];

		if (!sample->layout->attributes[key->attribute].is_constant)
		{
			add_field(code, key, FIELD_NULL, 1);
			if (key->kind == KEY_IS_VALUE)
				add_field(code, key, FIELD_VALUE, key->width * 8);
			else
				add_sampled_bytes(code, key, sample, nrows);
			if (key->kind != KEY_IS_VALUE || code->bits > 64)
				break;
		}
		code->nexact++;
	}
	return code;
}

/* Bits of the keys from one on if they are not fitted; more than any word's with bytes among them. */
static int
unfitted_bits(const RowKeys *keys, int first_key, const RowLayout *layout)
{
	int			bits = 0;

	for (int i = first_key; i < keys->ncoded && bits <= 64; i++)
	{
		const RowKey *key = &keys->keys[i];

		if (!layout->attributes[key->attribute].is_constant)
			bits += key->kind == KEY_IS_VALUE ? 8 * key->width + 1 : 65;
	}
	return bits;
}

/*
 * The code for rows of the store alone that are equal in the keys before first_key.
 * Of it word_bits bits, at least 8, will be encoded; it need not be shorter than enough_bits.
 * Where these rows differ in keys of a code at all, not all of them have one word.
 */
KeyCode *
gpusort_rows_code_fitted(const RowKeys *keys, int first_key, const RowStore *store,
						 const RowList *list, int word_bits, int enough_bits)
{
	KeyCode    *code = empty_code(keys);
	bool		fit = unfitted_bits(keys, first_key, store->layout) > enough_bits;

	prefetch_first(store, list);
	code->nexact = first_key;
	while (code->nexact < keys->ncoded && code->bits < word_bits)
	{
		const RowKey *key = &keys->keys[code->nexact];
		bool		some_null;
		bool		all_null;

		find_nulls(key, store, list, &some_null, &all_null);
		if (!store->layout->attributes[key->attribute].is_constant && !all_null)
		{
			if (some_null)
				add_field(code, key, FIELD_NULL, 1);
			if (key->kind == KEY_IS_VALUE ? !add_value(code, key, store, list, word_bits, fit)
				: !add_bytes(code, key, store, list, word_bits))
				return code;
			if (key->kind == KEY_IS_BYTES && !gpusort_key_bytes_decide(key->bytes))
				break;
		}
		code->nexact++;
	}
	code->spent = code->bits < word_bits || code->nexact == keys->ncoded;
	return code;
}

void
gpusort_rows_code_free(KeyCode *code)
{
	for (int i = 0; i < code->nfields; i++)
	{
		if (code->fields[i].characters != NULL)
			gpusort_characters_free(code->fields[i].characters);
	}
	pfree(code->fields);
	pfree(code);
}

/* Loads a bit for NULL of a block of rows. */
static void
load_nulls(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	const RowColumn *column = &store->columns[field->key->attribute];
	uint64		flip = field->key->nulls_first ? 1 : 0;

	for (uint32 i = 0; i < n; i++)
		out[i] = (column->has_nulls && column->nulls.data[rows ? rows[i] : first + i] ? 1 : 0) ^ flip;
}

/* Loads a key that is a value, in the field's range, of a block of rows. */
static void
load_values(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	const RowColumn *column = &store->columns[field->key->attribute];

	gpusort_rows_load_codes(field->key, store, rows, first, n, out);
	if (field->key->descending)
		for (uint32 i = 0; i < n; i++)
			out[i] = field->high - out[i];
	else if (field->low != 0)
		for (uint32 i = 0; i < n; i++)
			out[i] -= field->low;
	if (column->has_nulls)
		for (uint32 i = 0; i < n; i++)
			out[i] = column->nulls.data[rows ? rows[i] : first + i] ? 0 : out[i];
}

/* Loads a key that is bytes, plain or packed, of a block of rows. */
static void
load_bytes(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	for (uint32 i = 0; i < n; i++)
	{
		KeyBytes	bytes;
		uint64		number;

		if (rows != NULL && i + 2 * ROWS_PREFETCH < n)
			__builtin_prefetch((const uint32 *) store->row_starts.data + rows[i + 2 * ROWS_PREFETCH]);
		if (rows != NULL && i + ROWS_PREFETCH < n)
			__builtin_prefetch(gpusort_rows_record(store, rows[i + ROWS_PREFETCH]));
		out[i] = 0;
		if (!get_bytes(field->key, store, rows ? rows[i] : first + i, &bytes))
			continue;
		if (field->kind == FIELD_BYTES)
			number = word_at(&bytes, field->skip) >> (64 - field->bits);
		else if (field->characters->stops != NULL)
			number = gpusort_characters_place(field->characters, &bytes);
		else
			number = gpusort_characters_number(field->characters, &bytes);
		out[i] = field->key->descending ? field->high - number : number;
		gpusort_key_bytes_free(&bytes);
	}
}

/* Shifts a part of each value, the bits above drop_below and of those take, into out. */
static void
pack_part(uint64 *out, const uint64 *values, uint32 n, int drop_below, int take)
{
	uint64		mask = low_bits(take);

	if (take == 64)
		memcpy(out, values, n * sizeof(uint64));
	else
		for (uint32 i = 0; i < n; i++)
			out[i] = (out[i] << take) | ((values[i] >> drop_below) & mask);
}

/*
 * Writes the first nbits bits of the rows' codes, or what there is.  The rows are
 * rows[0..nrows) or, without rows, those from first on.
 */
void
gpusort_rows_encode(const KeyCode *code, const RowStore *store, const uint32 *rows, uint32 first,
					uint32 nrows, int nbits, uint64 *out)
{
	uint64		values[ROWS_ENCODE_BLOCK];

	for (uint32 done = 0; done < nrows; done += ROWS_ENCODE_BLOCK)
	{
		const uint32 *block = rows ? rows + done : NULL;
		uint32		n = Min(ROWS_ENCODE_BLOCK, nrows - done);
		int			room = nbits;

		memset(out + done, 0, n * sizeof(uint64));
		for (int f = 0; f < code->nfields && room > 0; f++)
		{
			const KeyField *field = &code->fields[f];
			int			take = Min(field->bits, room);

			if (field->kind == FIELD_NULL)
				load_nulls(field, store, block, first + done, n, values);
			else if (field->kind == FIELD_VALUE)
				load_values(field, store, block, first + done, n, values);
			else
				load_bytes(field, store, block, first + done, n, values);
			pack_part(out + done, values, n, field->bits - take, take);
			room -= take;
		}
	}
}
