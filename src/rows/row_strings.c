/*
 * row_strings.c
 *	  The strings of a key that is bytes, see row_strings.h.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "keys/numeric_key.h"
#include "rows/row_strings.h"

#define ROWS_RANKED_SHARE 32	/* values are ranked if one in so many is distinct, where bytes may order them, */
#define ROWS_COMPARED_SHARE 8	/* and where they would be compared */
#define ROWS_RANKED_MAX 16384	/* with more distinct values look-ups leave the caches */
#define ROWS_TIED_LOOKED_AT 64	/* rows of a tie that has other ways, or of a store, that are read for a first look */

bool
gpusort_rows_get_bytes(const RowKey *key, const RowStore *store, uint32 row, Size limit, KeyBytes *bytes)
{
	bool		is_null;
	Datum		value;

	if (key->words != NULL)
	{
		gpusort_key_bytes_set(key->words[row], bytes);
		return !gpusort_rows_is_null(store, row, key->attribute);
	}
	value = gpusort_rows_store_get(store, row, key->attribute, &is_null);
	if (!is_null)
		gpusort_key_bytes_get(&key->bytes, value, limit, bytes);
	return !is_null;
}

/* The same for row i of a list that is read in steps. */
static bool
get_listed(const RowKey *key, const RowStore *store, const RowList *list, uint32 i, uint32 step, Size limit, KeyBytes *bytes)
{
	CHECK_FOR_INTERRUPTS();
	gpusort_rows_prefetch(store, list, i, step);
	return gpusort_rows_get_bytes(key, store, gpusort_rows_listed(list, i), limit, bytes);
}

/* How many leading bytes of two strings, padded by zeros, are equal; at most `end`. */
static Size
equal_bytes(const KeyBytes *a, const KeyBytes *b, Size end)
{
	Size		from = 0;

	while (from < Min(end, Max(a->length, b->length)))
	{
		uint64		difference = gpusort_key_bytes_word(a, from) ^ gpusort_key_bytes_word(b, from);

		if (difference != 0)
			return Min(end, from + __builtin_clzll(difference) / 8);
		from += sizeof(uint64);
	}
	return end;
}

ByteRange
gpusort_rows_byte_range(const RowKey *key, const RowStore *store, const RowList *list, uint32 step)
{
	bool		vary = gpusort_key_bytes_vary(&key->bytes);
	KeyBytes	first = {0};
	KeyBytes	bytes;
	bool		found = false;
	ByteRange	range = {0};

	for (uint32 i = 0; i < list->count; i += step)
	{
		if (found && range.skip == 0 && (!vary || range.longest > range.skip + sizeof(uint64)))
			break;
		/* Of later strings no more than a word behind the prefix matters. */
		if (!get_listed(key, store, list, i, step, found ? range.skip + sizeof(uint64) + 1 : ROWS_LOOKED_BYTES,
						found ? &bytes : &first))
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

/* Makes a word of bytes.  Returns false if it does not hold all of a key that is not abbreviated. */
static bool
make_word(const RowKey *key, const KeyBytes *bytes, uint64 *word)
{
	if (key->bytes.form == BYTES_NUMERIC)
		return gpusort_numeric_key_word(bytes->data, bytes->length, word);
	*word = gpusort_key_bytes_word(bytes, 0);
	return true;
}

/* Notes the values of every step-th row of a list.  Returns false once more than `most` are distinct. */
static bool
note_values(ValueRanks *ranks, const RowKey *key, const RowStore *store, const RowList *list, uint32 step, uint32 most)
{
	for (uint32 i = 0; i < list->count && ranks->count <= most; i += step)
	{
		bool		is_null;
		Datum		value;

		CHECK_FOR_INTERRUPTS();
		gpusort_rows_prefetch(store, list, i, step);
		value = gpusort_rows_store_get(store, gpusort_rows_listed(list, i), key->attribute, &is_null);
		if (!is_null)
			(void) gpusort_ranks_find(ranks, value);
	}
	return ranks->count <= most;
}

/* True if some rows have many values, whose words are all the same.  Rows of one value say nothing of the others. */
static bool
words_are_the_same(const RowKey *key, const RowStore *store)
{
	RowList		all_rows = {.count = store->nrows};
	uint32		step = store->nrows / ROWS_TIED_LOOKED_AT + 1;
	ByteRange	range = gpusort_rows_byte_range(key, store, &all_rows, step);
	ValueRanks *values;
	bool		many;

	if (range.skip != range.longest || !gpusort_key_bytes_abbreviated(&key->bytes))
		return false;
	values = gpusort_ranks_create(key->by_value, key->length);
	many = !note_values(values, key, store, &all_rows, step, store->nrows / step / 2);
	gpusort_ranks_free(values);
	return many;
}

/* Makes the words of all rows of a store.  Returns NULL if there are none. */
static uint64 *
make_words(RowKey *key, const RowStore *store)
{
	uint64	   *words = MemoryContextAllocHuge(CurrentMemoryContext, Max(store->nrows, 1) * sizeof(uint64));
	const uint64 *first = NULL;

	key->words_differ = key->words_set = 0;
	/* Then rows are compared. */
	if (words_are_the_same(key, store))
	{
		memset(words, 0, store->nrows * sizeof(uint64));
		return words;
	}
	for (uint32 row = 0; row < store->nrows; row++)
	{
		KeyBytes	bytes;
		bool		fits;

		CHECK_FOR_INTERRUPTS();
		words[row] = 0;
		if (!gpusort_rows_get_bytes(key, store, row, sizeof(uint64), &bytes))
			continue;
		fits = make_word(key, &bytes, &words[row]);
		gpusort_key_bytes_free(&bytes);
		if (!fits)
		{
			pfree(words);
			return NULL;
		}
		first = first ? first : &words[row];
		key->words_differ |= words[row] ^ *first;
		key->words_set |= words[row];
	}
	return words;
}

/* True if some rows have no more distinct values than they would have of `most` values that are equally frequent. */
static bool
seem_few(uint32 rows, uint32 distinct, uint32 most)
{
	return distinct <= most * (1 - exp(-(double) rows / most));
}

ValueRanks *
gpusort_rows_rank_values(RowKey *key, const RowStore *store, const RowList *list, bool has_bytes)
{
	uint32		most = Max(Min(list->count / (has_bytes ? ROWS_RANKED_SHARE : ROWS_COMPARED_SHARE), ROWS_RANKED_MAX), 1);
	uint32		step = Max(list->count / (has_bytes && list->packed != NULL ? ROWS_TIED_LOOKED_AT : ROWS_LOOKED_AT), 1);
	ValueRanks *ranks = gpusort_ranks_create(key->by_value, key->length);

	if (!note_values(ranks, key, store, list, step, most) ||
		(step > 1 && !(seem_few(list->count / step, ranks->count, most) && note_values(ranks, key, store, list, 1, most))))
	{
		gpusort_ranks_free(ranks);
		return NULL;
	}
	gpusort_ranks_sort(ranks, &key->compare);
	return ranks;
}

void
gpusort_rows_keep_words(RowKeys *keys, const RowStore *store)
{
	RowList		all_rows = {.count = store->nrows};
	RowKey	   *key = &keys->keys[0];

	if (!gpusort_rows_key_decides(key) && !store->layout->attributes[key->attribute].is_constant)
		key->ranks = gpusort_rows_rank_values(key, store, &all_rows, true);
	if (gpusort_rows_may_keep_words(keys) && key->ranks == NULL && !key->all_plain)
		key->words = make_words(key, store);
}

void
gpusort_rows_forget_words(RowKeys *keys)
{
	for (int i = 0; i < keys->nkeys; i++)
	{
		if (keys->keys[i].words != NULL)
			pfree(keys->keys[i].words);
		if (keys->keys[i].ranks != NULL)
			gpusort_ranks_free(keys->keys[i].ranks);
		keys->keys[i].ranks = NULL;
		keys->keys[i].words = NULL;
		keys->keys[i].all_plain = false;
	}
}

/* Counts the strings of every step-th row.  Returns false if a string does not have the common prefix. */
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

		if (!get_listed(key, store, list, i, step, sets->from + sets->nplaces + 1, place))
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

bool
gpusort_rows_find_characters(CharacterSets *sets, const RowKey *key, const RowStore *store, const RowList *list, int bits,
							 double nrows, bool *same)
{
	uint32		step = Max(list->count / ROWS_LOOKED_AT, 1);
	ByteRange	range = gpusort_rows_byte_range(key, store, list, step);
	Size		longest = 0;

	for (;;)
	{
		if (range.longest == range.skip && step > 1)
			range = gpusort_rows_byte_range(key, store, list, step = 1);
		*same = range.longest == range.skip;
		if (*same)
			return false;
		gpusort_characters_start(sets, range.skip, longest);
		(void) count_characters(sets, key, store, list, Max(list->count / ROWS_LOOKED_AT, 1));
		if (!gpusort_characters_narrow(sets, bits) || gpusort_characters_unpacked_suffice(sets, bits, nrows))
			return false;
		if (count_characters(sets, key, store, list, 1))
		{
			if (!sets->short_only || sets->longest <= sets->from + sets->nplaces)
				return true;
			longest = sets->longest;
			continue;
		}
		range = gpusort_rows_byte_range(key, store, list, step = 1);
	}
}
