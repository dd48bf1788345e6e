/*
 * row_code.c
 *	  Makes codes of rows and encodes rows by them, see row_code.h.
 *
 * Encoding works on blocks of rows that stay in the first-level cache.  One simple loop
 * per form loads the codes of a block; further loops fit and pack them.
 */
#include "postgres.h"

#include <float.h>

#include "miscadmin.h"

#include "rows/row_code.h"
#include "rows/row_plain.h"
#include "rows/row_strings.h"

#define ROWS_ENCODE_BLOCK 1024
#define ROWS_CHARACTERS_MIN 16384	/* with fewer rows packing characters does not pay */
#define TEXT_PLACES_MAX 32		/* of texts whose numbers are sums */
#define TEXT_STOPS (UINT64CONST(1) << 63)
#define TEXT_STOPPED_MIN 32		/* fewer texts say nothing about others */
#define ROWS_SAMPLE_MIN 128		/* with fewer rows a sample says nothing about other rows */

/* Writes the numbers of rows first .. first + n - 1 of a list and returns them.  NULL if these are the numbers. */
static const uint32 *
list_block(const RowList *list, uint32 first, uint32 n, uint32 *rows)
{
	if (list->packed == NULL)
		return NULL;
	for (uint32 i = 0; i < n; i++)
		rows[i] = gpusort_rows_listed(list, first + i);
	return rows;
}

/* Learns how texts of a key become bytes, where that must be learned. */
static void
learn_bytes(RowKey *key, const RowStore *store, const RowList *list, double nrows)
{
	uint32		step = list->count / ROWS_LOOKED_AT + 1;
	Datum		texts[ROWS_LOOKED_AT];
	uint32		count = 0;

	if (key->kind != KEY_IS_BYTES || !gpusort_key_bytes_unlearned(&key->bytes) ||
		!gpusort_key_bytes_learn(&key->bytes, key->compare.ssup_collation, nrows))
		return;
	for (uint32 i = 0; i < list->count; i += step)
	{
		bool		is_null;

		texts[count] = gpusort_rows_store_get(store, gpusort_rows_listed(list, i), key->attribute, &is_null);
		count += !is_null;
	}
	gpusort_key_bytes_choose_width(&key->bytes, texts, count);
}

/* Finds out whether a key is NULL in some of the rows, and whether in all. */
static void
find_nulls(const RowKey *key, const RowStore *store, const RowList *list, bool *some, bool *all)
{
	const RowColumn *column = &store->columns[key->attribute];

	*some = false;
	*all = column->has_nulls;
	for (uint32 i = 0; column->has_nulls && i < list->count && (!*some || *all); i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (column->nulls.data[gpusort_rows_listed(list, i)])
			*some = true;
		else
			*all = false;
	}
}

/* Widens a range by a key's codes in the rows where it is not NULL. */
static void
widen_range(const RowKey *key, const RowStore *store, const RowList *list, uint64 *low, uint64 *high)
{
	const RowColumn *column = &store->columns[key->attribute];
	uint32		listed[ROWS_ENCODE_BLOCK];
	uint64		codes[ROWS_ENCODE_BLOCK];

	for (uint32 first = 0; first < list->count; first += ROWS_ENCODE_BLOCK)
	{
		uint32		n = Min(ROWS_ENCODE_BLOCK, list->count - first);
		const uint32 *rows = list_block(list, first, n, listed);

		GPUSORT_CHECK_EVERY(first);
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

static KeyField *
add_field(KeyCode *code, const RowKey *key, KeyFieldKind kind, int bits)
{
	KeyField   *field = &code->fields[code->nfields++];

	field->key = key;
	field->kind = kind;
	field->bits = bits;
	field->high = gpusort_low_bits(bits);
	code->bits += bits;
	return field;
}

/*
 * What each byte of a text adds to the number of a field of strings, if it is a character by itself.  So the number of most
 * texts is a sum, and the bytes of their keys are not made.
 */
struct TextNumbers
{
	int			nplaces;
	Size		longest;		/* bytes of a text that the number holds */
	uint64		rest[TEXT_PLACES_MAX + 1];	/* what places from this one on add if the text has ended */
	uint64		parts[FLEXIBLE_ARRAY_MEMBER][256];	/* TEXT_STOPS: the bytes of the key must be made */
};

/* What a byte of a key adds at a place. */
static uint64
part_of_byte(const KeyField *field, int place, uint8 byte)
{
	const Characters *characters = field->characters;
	int			from = characters != NULL ? characters->from : field->skip;

	if (place < from)
		return characters != NULL && characters->prefix != NULL && characters->prefix[place] != byte ? TEXT_STOPS : 0;
	place -= from;
	if (characters == NULL)
		return (uint64) byte << (ROWS_WORD_BITS - 8 * (place + 1)) >> (ROWS_WORD_BITS - field->bits);
	return characters->parts[place][byte] | (characters->stops != NULL && characters->stops[place][byte] ? TEXT_STOPS : 0);
}

/* Has texts of a field of many rows get their numbers by sums, if they can. */
static void
add_text_numbers(KeyField *field)
{
	const ByteSource *source = &field->key->bytes;
	Size		whole = field->characters != NULL ? field->characters->from + field->characters->nplaces
		: field->skip + field->bits / 8;
	Size		nplaces = field->characters != NULL ? whole : field->skip + (field->bits + 7) / 8;
	TextNumbers *numbers;

	if (nplaces > TEXT_PLACES_MAX || field->high >= TEXT_STOPS || !gpusort_key_bytes_may_be_single(source))
		return;
	field->numbers = numbers = palloc0(offsetof(TextNumbers, parts) + nplaces * sizeof(numbers->parts[0]));
	numbers->nplaces = nplaces;
	numbers->longest = whole;
	for (int place = nplaces - 1; place >= 0; place--)
	{
		uint64		end = part_of_byte(field, place, 0);

		numbers->rest[place] = (numbers->rest[place + 1] + (end & ~TEXT_STOPS)) | (end & TEXT_STOPS);
		for (int byte = 0; byte < 256; byte++)
		{
			uint8		single = gpusort_key_bytes_single(source, byte);

			numbers->parts[place][byte] = single != 0 ? part_of_byte(field, place, single) : TEXT_STOPS;
		}
	}
}

/* Adds a field of packed characters.  Returns true if it holds all bytes of the strings. */
static bool
add_characters(KeyCode *code, const RowKey *key, Characters *characters)
{
	KeyField   *field = add_field(code, key, FIELD_CHARACTERS, gpusort_rows_bit_length(characters->high));

	field->high = characters->high;
	field->characters = characters;
	add_text_numbers(field);
	return characters->complete;
}

/* Adds a key whose values have codes between two limits, if these are not the same. */
static void
add_range(KeyCode *code, const RowKey *key, uint64 low, uint64 high)
{
	if (high > low)
	{
		KeyField   *field = add_field(code, key, FIELD_VALUE, gpusort_rows_bit_length(high - low));

		field->low = low;
		field->high = high;
	}
}

/* Adds a key that is a value.  Returns true if it fits word_bits of the code completely. */
static bool
add_value(KeyCode *code, const RowKey *key, const RowStore *store, const RowList *list, int word_bits, bool fit)
{
	uint64		low = fit ? PG_UINT64_MAX : 0;
	uint64		high = fit ? 0 : gpusort_low_bits(8 * key->length);

	if (fit)
		widen_range(key, store, list, &low, &high);
	add_range(code, key, low, high);
	return code->bits <= word_bits;
}

/* Adds the words of a key.  Returns true if they fit completely. */
static bool
add_word(KeyCode *code, const RowKey *key, int bits_left)
{
	int			skip;
	int			bits;

	if (key->words_differ == 0)
		return true;
	skip = __builtin_clzll(key->words_differ);
	bits = ROWS_WORD_BITS - skip - __builtin_ctzll(key->words_set);
	add_field(code, key, FIELD_WORD, Min(bits, bits_left))->skip = skip;
	return bits <= bits_left;
}

/* Adds a key that is bytes, whose order may have to be learned.  Returns true if it fits word_bits of the code completely. */
static bool
add_bytes(KeyCode *code, RowKey *key, const RowStore *store, const RowList *list, int word_bits)
{
	int			bits_left = word_bits - code->bits;
	CharacterSets sets;
	ByteRange	range;
	int			bits;
	bool		same = false;

	key = gpusort_rows_key_of_list(key, store, list);
	learn_bytes(key, store, list, list->count);
	if (key->words != NULL && list->packed == NULL)
		return add_word(code, key, bits_left);
	if (gpusort_key_bytes_vary(&key->bytes) && list->count >= ROWS_CHARACTERS_MIN &&
		gpusort_rows_find_characters(&sets, key, store, list, bits_left, list->count, &same))
		return add_characters(code, key, gpusort_characters_pack(&sets, bits_left));
	if (same)
		return true;
	range = gpusort_rows_byte_range(key, store, list, 1);
	if (range.longest == range.skip)
		return true;
	bits = Min(8 * Min(range.longest - range.skip, sizeof(uint64)), bits_left);
	add_field(code, key, FIELD_BYTES, bits)->skip = range.skip;
	if (list->count >= ROWS_CHARACTERS_MIN)
		add_text_numbers(&code->fields[code->nfields - 1]);
	return bits == 8 * (range.longest - range.skip);
}

static KeyCode *
empty_code(const RowKeys *keys)
{
	KeyCode    *code = palloc0(sizeof(KeyCode));

	code->fields = palloc0(2 * keys->nkeys * sizeof(KeyField));
	return code;
}

/* If equal bytes mean equal values, has encoding note whether some string was longer than the field. */
static void
note_missed(KeyField *field)
{
	if (gpusort_key_bytes_decide(&field->key->bytes))
		field->missed = palloc0(sizeof(bool));
}

/*
 * Adds a key of bytes to a code for rows of many stores, nrows in all, as a sample of them suggests: its characters packed if
 * that pays, else its first bytes.  Rows of equal codes may differ in it.
 */
static void
add_sampled(KeyCode *code, RowKey *key, const RowStore *sample, double nrows)
{
	RowList		list = {.count = sample->nrows};
	int			bits_left = 64 - code->bits;
	CharacterSets sets;
	Characters *characters;
	KeyBytes	bytes;
	ByteRange	range;
	uint32		row = 0;
	bool		same;

	if (key->plain != NULL && key->ever_plain)
		key = key->plain;
	learn_bytes(key, sample, &list, nrows);
	/* Abbreviated keys would have to be made again. */
	code->spent = gpusort_key_bytes_abbreviated(&key->bytes);
	/* If another sort learned the order later, bytes made then would not be as those made before. */
	if (gpusort_key_bytes_unlearned(&key->bytes))
		return;
	/* With a common prefix the first bytes tell nothing apart, so they are no alternative to packing. */
	range = gpusort_rows_byte_range(key, sample, &list, 1);
	if (range.skip > 0)
		nrows = DBL_MAX;
	/* Where all abbreviated keys of the sample are the same, making more of them does not pay. */
	if (gpusort_key_bytes_abbreviated(&key->bytes) && range.skip == range.longest)
		return;
	while (row < sample->nrows && gpusort_rows_is_null(sample, row, key->attribute))
		row++;
	if (!gpusort_key_bytes_vary(&key->bytes) || sample->nrows < ROWS_SAMPLE_MIN || row == sample->nrows ||
		!gpusort_rows_find_characters(&sets, key, sample, &list, bits_left, nrows, &same))
	{
		note_missed(add_field(code, key, FIELD_BYTES, bits_left));
		add_text_numbers(&code->fields[code->nfields - 1]);
		return;
	}
	characters = gpusort_characters_pack(&sets, bits_left);
	(void) gpusort_rows_get_bytes(key, sample, row, ROWS_LOOKED_BYTES, &bytes);
	gpusort_characters_extend(characters, &sets, &bytes);
	gpusort_key_bytes_free(&bytes);
	if (add_characters(code, key, characters))
		note_missed(&code->fields[code->nfields - 1]);
}

/* Bits that the keys from first_key on take unfitted.  With a key of bytes among them this is more than 64. */
static int
unfitted_bits(const RowKeys *keys, int first_key, const RowStore *store)
{
	int			bits = 0;

	for (int i = first_key; i < keys->ncoded && bits <= 64; i++)
	{
		const RowKey *key = &keys->keys[i];

		if (!store->layout->attributes[key->attribute].is_constant)
			bits += key->kind == KEY_IS_VALUE ? 8 * key->length + store->columns[key->attribute].has_nulls : 65;
	}
	return bits;
}

/* Ranges of the keys of rows of which none has been noted. */
KeyRange *
gpusort_rows_ranges_create(const RowKeys *keys)
{
	KeyRange   *ranges = palloc0(keys->nkeys * sizeof(KeyRange));

	for (int i = 0; i < keys->nkeys; i++)
		ranges[i].low = PG_UINT64_MAX;
	return ranges;
}

void
gpusort_rows_ranges_note(KeyRange *ranges, const RowKeys *keys, const RowStore *store)
{
	RowList		all_rows = {.count = store->nrows};

	for (int i = 0; i < keys->ncoded; i++)
	{
		const RowKey *key = &keys->keys[i];
		bool		some_null;
		bool		all_null;

		if (store->layout->attributes[key->attribute].is_constant)
			continue;
		find_nulls(key, store, &all_rows, &some_null, &all_null);
		ranges[i].some_null |= some_null;
		ranges[i].some_value |= !all_null;
		if (key->kind != KEY_IS_VALUE)
		{
			/* A code ends with a key of bytes, unless that is NULL in all rows. */
			if (ranges[i].some_value)
				break;
			continue;
		}
		widen_range(key, store, &all_rows, &ranges[i].low, &ranges[i].high);
	}
}

/*
 * A common code of the keys from first_key on: its bits mean the same in every store of the sample's layout.
 * nrows is the number of rows in all.  If ranges of all rows were noted, it has only what tells these apart.  Without
 * them a leading value of 64 bits fills the word, so NULLs are folded into it.
 */
KeyCode *
gpusort_rows_code_common(const RowKeys *keys, int first_key, const KeyRange *ranges, const RowStore *sample, double nrows)
{
	KeyCode    *code = empty_code(keys);

	code->nexact = first_key;
	while (code->nexact < keys->ncoded && code->bits < 63)
	{
		RowKey	   *key = &keys->keys[code->nexact];
		const KeyRange *range = ranges == NULL ? NULL : &ranges[code->nexact];

		if (!sample->layout->attributes[key->attribute].is_constant && (range == NULL || range->some_value))
		{
			bool		folds = range == NULL && code->bits == 0 && key->kind == KEY_IS_VALUE &&
				8 * key->length == ROWS_WORD_BITS;

			if (range == NULL ? !folds : range->some_null)
				add_field(code, key, FIELD_NULL, 1);
			if (key->kind != KEY_IS_VALUE)
			{
				add_sampled(code, key, sample, nrows);
				break;
			}
			add_range(code, key, range == NULL ? 0 : range->low, range == NULL ? gpusort_low_bits(8 * key->length) : range->high);
			code->fields[0].folds |= folds;
			if (code->bits > ROWS_WORD_BITS)
				break;
		}
		code->nexact++;
	}
	return code;
}

/* True if the bytes of a key, which may have to be learned, tell this many rows apart. */
static bool
has_bytes(const RowKey *key, uint32 nrows)
{
	return key->kind == KEY_IS_BYTES && (nrows >= GPUSORT_LEARN_MIN || !gpusort_key_bytes_unlearned(&key->bytes));
}

/*
 * The ranks of a key's values in listed rows, if it needs them and few are distinct, else NULL.
 * `spent` says that the bytes of the key do not tell the rows apart.
 */
static ValueRanks *
find_ranks(const RowKeys *keys, RowKey *key, const RowStore *store, const RowList *list, bool spent)
{
	/* Those of the first key in all rows have been looked for. */
	if (key->ranks != NULL || gpusort_rows_key_decides(key) || (key == keys->keys && list->packed == NULL))
		return key->ranks;
	return gpusort_rows_rank_values(key, store, list, !spent && has_bytes(key, list->count));
}

/* Adds the ranks of a key's values.  Returns true if they fit word_bits of the code completely. */
static bool
add_ranks(KeyCode *code, const RowKey *key, ValueRanks *ranks, int word_bits)
{
	if (ranks->nranks > 1)
		add_field(code, key, FIELD_RANK, gpusort_rows_bit_length(ranks->nranks - 1))->ranks = ranks;
	else if (key->ranks == NULL)
		gpusort_ranks_free(ranks);
	return code->bits <= word_bits;
}

/*
 * A fitted code for rows of one store that are equal in the keys before first_key.  The
 * caller will encode word_bits of it, at least 8.  Keys that take no more than enough_bits
 * are not fitted.  Unless the codes of all rows are equal, their words are not all equal.
 */
KeyCode *
gpusort_rows_code_fitted(const RowKeys *keys, int first_key, const RowStore *store,
						 const RowList *list, int word_bits, int enough_bits)
{
	KeyCode    *code = empty_code(keys);
	bool		fit = unfitted_bits(keys, first_key, store) > enough_bits;

	code->nexact = first_key;
	while (code->nexact < keys->nkeys && code->bits < word_bits)
	{
		RowKey	   *key = &keys->keys[code->nexact];
		bool		spent = list->spent && code->nexact == first_key;
		bool		some_null;
		bool		all_null;
		ValueRanks *ranks;

		find_nulls(key, store, list, &some_null, &all_null);
		if (!store->layout->attributes[key->attribute].is_constant && !all_null)
		{
			if (some_null)
				add_field(code, key, FIELD_NULL, 1);
			ranks = find_ranks(keys, key, store, list, spent);
			code->spent = !gpusort_rows_key_decides(key) && ranks == NULL;
			if (ranks != NULL ? !add_ranks(code, key, ranks, word_bits)
				: key->kind == KEY_IS_VALUE ? !add_value(code, key, store, list, word_bits, fit)
				: key->kind == KEY_IS_BYTES && !spent && !add_bytes(code, key, store, list, word_bits))
			{
				code->spent = false;
				return code;
			}
			if (code->spent)
				return code;
		}
		code->nexact++;
	}
	return code;
}

/* True if a row encoded since the last call may have a string of which its word does not hold all. */
bool
gpusort_rows_code_missed(const KeyCode *code)
{
	bool	   *missed = code->nfields > 0 ? code->fields[code->nfields - 1].missed : NULL;
	bool		result = missed == NULL || *missed;

	if (missed != NULL)
		*missed = false;
	return result;
}

void
gpusort_rows_code_free(KeyCode *code)
{
	for (int i = 0; i < code->nfields; i++)
	{
		if (code->fields[i].characters != NULL)
			gpusort_characters_free(code->fields[i].characters);
		if (code->fields[i].numbers != NULL)
			pfree(code->fields[i].numbers);
		if (code->fields[i].missed != NULL)
			pfree(code->fields[i].missed);
		if (code->fields[i].ranks != NULL && code->fields[i].ranks != code->fields[i].key->ranks)
			gpusort_ranks_free(code->fields[i].ranks);
	}
	pfree(code->fields);
	pfree(code);
}

/* Loads the NULL bits of a block of rows. */
static void
load_nulls(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	const RowColumn *column = &store->columns[field->key->attribute];
	uint64		flip = field->key->nulls_first ? 1 : 0;

	for (uint32 i = 0; i < n; i++)
		out[i] = (column->has_nulls && column->nulls.data[rows ? rows[i] : first + i] ? 1 : 0) ^ flip;
}

/* Loads the values of a key for a block of rows, relative to the field's range. */
static void
load_values(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	const RowColumn *column = &store->columns[field->key->attribute];
	uint64		null_word = field->folds && !field->key->nulls_first ? PG_UINT64_MAX : 0;

	gpusort_rows_load_codes(field->key, store, rows, first, n, out);
	if (field->key->descending)
		for (uint32 i = 0; i < n; i++)
			out[i] = field->high - out[i];
	else if (field->low != 0)
		for (uint32 i = 0; i < n; i++)
			out[i] -= field->low;
	if (field->folds)
		for (uint32 i = 0; i < n; i++)
			out[i] = field->key->nulls_first ? Max(out[i], 1) : Min(out[i], PG_UINT64_MAX - 1);
	if (column->has_nulls)
		for (uint32 i = 0; i < n; i++)
			out[i] = column->nulls.data[rows ? rows[i] : first + i] ? null_word : out[i];
}

/* Loads the words of a key for a block of rows. */
static void
load_words(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	const RowKey *key = field->key;
	const RowColumn *column = &store->columns[key->attribute];

	for (uint32 i = 0; i < n; i++)
	{
		uint32		row = rows ? rows[i] : first + i;
		uint64		number = (key->words[row] << field->skip) >> (ROWS_WORD_BITS - field->bits);

		number = key->descending ? field->high - number : number;
		out[i] = column->has_nulls && column->nulls.data[row] ? 0 : number;
	}
}

/* Loads the ranks of a key's values for a block of rows. */
static void
load_ranks(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	for (uint32 i = 0; i < n; i++)
	{
		bool		is_null;
		Datum		value;

		value = gpusort_rows_store_get(store, rows ? rows[i] : first + i, field->key->attribute, &is_null);
		out[i] = is_null ? 0 : field->ranks->rank_of[gpusort_ranks_find(field->ranks, value)];
	}
}

/* Sums up the number of a row's text.  Returns false if it must be made of the bytes of its key. */
static inline bool
sum_up_text(const KeyField *field, const RowStore *store, uint32 row, uint64 *number, bool *missed)
{
	const TextNumbers *numbers = field->numbers;
	bool		is_null;
	const struct varlena *text = (const struct varlena *)
		DatumGetPointer(gpusort_rows_store_get(store, row, field->key->attribute, &is_null));
	const uint8 *data;
	Size		length;
	uint64		sum;
	uint64		stops;

	if (is_null || VARATT_IS_COMPRESSED(text) || VARATT_IS_EXTERNAL(text))
		return false;
	data = (const uint8 *) VARDATA_ANY(text);
	length = VARSIZE_ANY_EXHDR(text);
	sum = stops = numbers->rest[Min(length, numbers->nplaces)];
	for (int place = 0; place < Min(length, numbers->nplaces); place++)
	{
		uint64		part = numbers->parts[place][data[place]];

		sum += part;
		stops |= part;
	}
	if (stops & TEXT_STOPS)
		return false;
	*number = sum;
	*missed |= length > numbers->longest;
	return true;
}

/* Loads the bytes of a key, packed or not, for a block of rows. */
static void
load_bytes(const KeyField *field, const RowStore *store, const uint32 *rows, uint32 first, uint32 n, uint64 *out)
{
	Size		limit = field->kind == FIELD_BYTES ? field->skip + sizeof(uint64)
		: field->characters->from + field->characters->nplaces;
	bool		missed = false;
	uint32		stopped = 0;

	for (uint32 i = 0; i < n; i++)
	{
		uint32		row = rows ? rows[i] : first + i;
		KeyBytes	bytes;
		uint64		number;

		/* Where most texts of a block have ignored characters, say, no more sums are tried. */
		if (field->numbers == NULL || 2 * stopped > i + TEXT_STOPPED_MIN || !sum_up_text(field, store, row, &number, &missed))
		{
			out[i] = 0;
			stopped++;
			if (!gpusort_rows_get_bytes(field->key, store, row, limit, &bytes))
				continue;
			if (field->kind == FIELD_BYTES)
			{
				number = gpusort_key_bytes_word(&bytes, field->skip) >> (64 - field->bits);
				missed |= bytes.length > field->skip + field->bits / 8;
			}
			else
				number = gpusort_characters_place(field->characters, &bytes, &missed);
			gpusort_key_bytes_free(&bytes);
		}
		out[i] = field->key->descending ? field->high - number : number;
	}
	if (field->missed != NULL)
		*field->missed |= missed;
}

/* Shifts `take` bits of each value, those above the lowest drop_below, into out. */
static void
pack_part(uint64 *out, const uint64 *values, uint32 n, int drop_below, int take)
{
	uint64		mask = gpusort_low_bits(take);

	if (take == 64)
		memcpy(out, values, n * sizeof(uint64));
	else
		for (uint32 i = 0; i < n; i++)
			out[i] = (out[i] << take) | ((values[i] >> drop_below) & mask);
}

/*
 * Writes the first nbits bits of the rows' codes, or all if there are fewer.  The rows are
 * rows[0..nrows) or, if rows is NULL, first .. first + nrows - 1.
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
		int			bits_left = nbits;

		CHECK_FOR_INTERRUPTS();
		memset(out + done, 0, n * sizeof(uint64));
		for (int f = 0; f < code->nfields && bits_left > 0; f++)
		{
			const KeyField *field = &code->fields[f];
			int			take = Min(field->bits, bits_left);

			if (field->kind == FIELD_NULL)
				load_nulls(field, store, block, first + done, n, values);
			else if (field->kind == FIELD_VALUE)
				load_values(field, store, block, first + done, n, values);
			else if (field->kind == FIELD_WORD)
				load_words(field, store, block, first + done, n, values);
			else if (field->kind == FIELD_RANK)
				load_ranks(field, store, block, first + done, n, values);
			else
				load_bytes(field, store, block, first + done, n, values);
			pack_part(out + done, values, n, field->bits - take, take);
			bits_left -= take;
		}
	}
}
