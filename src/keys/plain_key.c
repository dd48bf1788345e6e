/*
 * plain_key.c
 *	  Keys of plain texts in collations of ICU, see plain_key.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "keys/collation_kind.h"
#include "keys/plain_key.h"

#define NAME_SIZE 128			/* locales of longer names are not learned */
#define PLAIN_FIRST 0x20
#define PLAIN_LAST 0x7e
#define PLAIN_MAX (PLAIN_LAST - PLAIN_FIRST + 4)
#define LEVEL_END 1				/* the byte of a sort key behind the weights of a level */

/* In place of a byte of the key. */
#define KEY_NOTHING 0			/* the character has no weight */
#define KEY_NOT_PLAIN 255

struct PlainKey
{
	struct PlainKey *next;
	char		locale[NAME_SIZE];
	bool		trusted;		/* false: only locale is set */
	uint8		bytes[256];
};

/* The least and the greatest abbreviated key of the texts with the same key. */
typedef struct KeyRange
{
	uint64		low;
	uint64		high;
} KeyRange;

static PlainKey *learned_keys;

/* The plain characters.  Returns how many there are. */
static int
list_characters(uint8 *characters)
{
	int			count = 0;

	characters[count++] = '\t';
	characters[count++] = '\n';
	characters[count++] = '\r';
	for (int c = PLAIN_FIRST; c <= PLAIN_LAST; c++)
		characters[count++] = c;
	return count;
}

/* PostgreSQL's abbreviated key of a short text. */
static uint64
abbreviated(SortSupport support, const uint8 *text, int length)
{
	union
	{
		varattrib_4b header;
		char		data[sizeof(varattrib_4b)];
	}			value;

	SET_VARSIZE(&value, VARHDRSZ + length);
	memcpy(value.data + VARHDRSZ, text, length);
	return support->abbrev_converter(PointerGetDatum(&value), support);
}

/* The weights of the first level, which begin an abbreviated key. */
static uint64
first_level(uint64 abbreviated_key)
{
	uint64		weights = 0;

	for (int shift = 56; shift >= 0; shift -= 8)
	{
		uint64		byte = (abbreviated_key >> shift) & 0xff;

		if (byte <= LEVEL_END)
			break;
		weights |= byte << shift;
	}
	return weights;
}

/* Gives each plain character the place of its weight among the weights of all of them, counted from 1. */
static void
set_bytes(PlainKey *key, SortSupport support, const uint8 *characters, int count)
{
	uint64		weights[PLAIN_MAX];
	uint64		distinct[PLAIN_MAX];	/* ascending */
	int			ndistinct = 0;

	memset(key->bytes, KEY_NOT_PLAIN, sizeof(key->bytes));
	for (int i = 0; i < count; i++)
	{
		int			place = 0;

		weights[i] = first_level(abbreviated(support, characters + i, 1));
		while (place < ndistinct && distinct[place] < weights[i])
			place++;
		if (weights[i] == 0 || (place < ndistinct && distinct[place] == weights[i]))
			continue;
		memmove(distinct + place + 1, distinct + place, (ndistinct - place) * sizeof(uint64));
		distinct[place] = weights[i];
		ndistinct++;
	}
	for (int i = 0; i < count; i++)
	{
		int			place = 0;

		while (weights[i] != 0 && distinct[place] != weights[i])
			place++;
		key->bytes[characters[i]] = weights[i] == 0 ? KEY_NOTHING : place + 1;
	}
}

/* Adds a text of one or two characters to the range of the texts that have its key. */
static void
add_text(const PlainKey *key, SortSupport support, const uint8 *text, int length, KeyRange *ranges)
{
	uint8		bytes[2] = {0};
	uint64		word = abbreviated(support, text, length);
	KeyRange   *range;

	(void) gpusort_plain_key_bytes(key, text, length, bytes, sizeof(bytes));
	range = &ranges[bytes[0] << 8 | bytes[1]];
	range->low = Min(range->low, word);
	range->high = Max(range->high, word);
}

/*
 * True if texts of one and two plain characters have abbreviated keys in the order of
 * their keys, and different ones where these differ.
 */
static bool
orders_pairs(const PlainKey *key, SortSupport support, const uint8 *characters, int count)
{
	int			nranges = (PLAIN_MAX + 1) << 8;
	KeyRange   *ranges = palloc(nranges * sizeof(KeyRange));
	uint64		highest = 0;
	bool		found = false;

	for (int i = 0; i < nranges; i++)
		ranges[i] = (KeyRange) {PG_UINT64_MAX, 0};
	for (int first = 0; first < count; first++)
	{
		add_text(key, support, characters + first, 1, ranges);
		for (int second = 0; second < count; second++)
			add_text(key, support, (uint8[2]) {characters[first], characters[second]}, 2, ranges);
	}
	for (int i = 0; i < nranges; i++)
	{
		if (ranges[i].low > ranges[i].high)
			continue;
		if (found && ranges[i].low <= highest)
			return false;
		highest = ranges[i].high;
		found = true;
	}
	return true;
}

/* Learns the weights of a collation. */
static void
learn(PlainKey *key, Oid collation)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpusort plain characters", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	SortSupportData support = {
		.ssup_cxt = context,
		.ssup_collation = collation,
		.abbreviate = true
	};
	uint8		characters[PLAIN_MAX];
	int			count = list_characters(characters);

	PrepareSortSupportFromOrderingOp(lookup_type_cache(TEXTOID, TYPECACHE_LT_OPR)->lt_opr, &support);
	if (support.abbrev_converter != NULL)
	{
		set_bytes(key, &support, characters, count);
		key->trusted = orders_pairs(key, &support, characters, count);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

const PlainKey *
gpusort_plain_key(Oid collation, bool may_learn)
{
	char	   *locale = gpusort_collation_locale(collation);
	PlainKey   *key = learned_keys;

	if (locale == NULL || strlen(locale) >= NAME_SIZE || gpusort_collation_has_rules(collation))
		return NULL;
	while (key != NULL && strcmp(key->locale, locale) != 0)
		key = key->next;
	if (key == NULL && may_learn)
	{
		key = MemoryContextAllocZero(TopMemoryContext, sizeof(PlainKey));
		strcpy(key->locale, locale);
		learn(key, collation);
		key->next = learned_keys;
		learned_keys = key;
	}
	pfree(locale);
	return key != NULL && key->trusted ? key : NULL;
}

bool
gpusort_plain_key_has(const PlainKey *key, const uint8 *text, Size length)
{
	bool		plain = true;

	for (Size i = 0; i < length; i++)
		plain &= key->bytes[text[i]] != KEY_NOT_PLAIN;
	return plain;
}

Size
gpusort_plain_key_bytes(const PlainKey *key, const uint8 *text, Size length, uint8 *out, Size limit)
{
	const uint8 *text_end = text + length;
	uint8	   *place = out;

	for (; text < text_end && place < out + limit; text++)
	{
		*place = key->bytes[*text];
		place += *place != KEY_NOTHING;
	}
	return place - out;
}
