/*
 * linguistic_key.c
 *	  Keys of texts in a linguistic collation, see linguistic_key.h.
 *
 * Most characters are looked up in two tables: of single bytes, and of characters of two
 * bytes in UTF-8.  A table has a character only if it is an element by itself, whatever
 * follows, and has no weight, or one weight that has a byte of its own.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "keys/collation_kind.h"
#include "keys/libc_weights.h"
#include "keys/linguistic_key.h"

#define OWN_BYTES_MAX 126		/* weights with bytes of their own, so that bytes between them are left */
#define LEAD_FIRST 0xc2			/* first bytes of characters of two bytes */
#define LEAD_LAST 0xdf
#define NAME_SIZE 128			/* locales of longer names are not learned */

/* In place of a byte of the key. */
#define KEY_NOTHING 0			/* the character has no weight */
#define KEY_LOOK_UP 255			/* it is not in the table */

struct LinguisticKey
{
	struct LinguisticKey *next;
	char		locale[NAME_SIZE];
	bool		trusted;		/* false: only locale is set */
	LibcWeights weights;
	int			nown;
	uint32		own[OWN_BYTES_MAX]; /* weights with bytes of their own, ascending */
	uint8		single[256];
	uint8		pairs[LEAD_LAST - LEAD_FIRST + 1][64];
};

static LinguisticKey *learned_keys;

/* The characters whose weights have bytes of their own, as long as there are some left; ranges of code points. */
static const struct
{
	int			first;
	int			last;
}			own_characters[] = {
	{0x01, 0x7f},				/* ASCII */
	{0x3b1, 0x3c9},				/* Greek */
	{0x430, 0x44f},				/* Cyrillic */
	{0xc0, 0x17f},				/* Latin */
	{0x450, 0x45f},				/* more Cyrillic */
	{0x621, 0x64a},				/* Arabic */
	{0x5d0, 0x5ea}				/* Hebrew */
};

/* How many of the weights with bytes of their own are less than this one. */
static int
count_less(const LinguisticKey *key, uint32 weight)
{
	int			low = 0;
	int			high = key->nown;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (key->own[middle] < weight)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
has_own_byte(const LinguisticKey *key, uint32 weight)
{
	int			place = count_less(key, weight);

	return place < key->nown && key->own[place] == weight;
}

/* Gives a weight a byte of its own if there are some left. */
static void
add_own(LinguisticKey *key, uint32 weight)
{
	int			place = count_less(key, weight);

	if (weight == 0 || key->nown == OWN_BYTES_MAX || has_own_byte(key, weight))
		return;
	memmove(key->own + place + 1, key->own + place, (key->nown - place) * sizeof(uint32));
	key->own[place] = weight;
	key->nown++;
}

/* Writes a code point less than 0x800 in UTF-8 and returns its length. */
static int
put_character(uint8 *to, int character)
{
	if (character < 0x80)
	{
		to[0] = character;
		return 1;
	}
	to[0] = 0xc0 | character >> 6;
	to[1] = 0x80 | (character & 0x3f);
	return 2;
}

/* What a table holds for a character. */
static uint8
table_entry(const LinguisticKey *key, const uint8 *bytes, int length)
{
	ElementWeights element;
	uint32		weight;

	if (!gpusort_libc_weights_stands_alone(&key->weights, bytes, length))
		return KEY_LOOK_UP;
	(void) gpusort_libc_weights_element(&key->weights, bytes, bytes + length, &element);
	weight = gpusort_libc_weights_next(&element);
	if (weight == 0)
		return KEY_NOTHING;
	if (element.length > 0 || !has_own_byte(key, weight))
		return KEY_LOOK_UP;
	return 2 * count_less(key, weight) + 2;
}

/* Fills the tables of a locale that was opened. */
static void
fill_tables(LinguisticKey *key)
{
	uint8		bytes[2];

	for (int range = 0; range < lengthof(own_characters); range++)
	{
		for (int c = own_characters[range].first; c <= own_characters[range].last; c++)
		{
			ElementWeights element;
			int			length = put_character(bytes, c);

			(void) gpusort_libc_weights_element(&key->weights, bytes, bytes + length, &element);
			add_own(key, gpusort_libc_weights_next(&element));
		}
	}
	for (int byte = 1; byte < 256; byte++)
	{
		bytes[0] = byte;
		key->single[byte] = table_entry(key, bytes, 1);
	}
	for (int c = LEAD_FIRST << 6 & 0x7ff; c < 0x800; c++)
	{
		(void) put_character(bytes, c);
		key->pairs[bytes[0] - LEAD_FIRST][bytes[1] & 0x3f] = table_entry(key, bytes, 2);
	}
}

const LinguisticKey *
gpusort_linguistic_key(Oid collation, bool may_learn)
{
	char	   *locale = gpusort_collation_locale(collation);
	LinguisticKey *key = learned_keys;

	if (locale == NULL || strlen(locale) >= NAME_SIZE)
		return NULL;
	while (key != NULL && strcmp(key->locale, locale) != 0)
		key = key->next;
	if (key == NULL && may_learn)
	{
		key = MemoryContextAllocZero(TopMemoryContext, sizeof(LinguisticKey));
		strcpy(key->locale, locale);
		key->trusted = gpusort_libc_weights_open(&key->weights, locale);
		if (key->trusted)
			fill_tables(key);
		key->next = learned_keys;
		learned_keys = key;
	}
	pfree(locale);
	return key != NULL && key->trusted ? key : NULL;
}

/* Writes the bytes of a text that starts with an element to be looked up.  Sets *ended if they end the key. */
static uint8 *
put_element(const LinguisticKey *key, bool wide, const uint8 **text, const uint8 *text_end,
			uint8 *out, const uint8 *out_end, bool *ended)
{
	ElementWeights element;
	uint32		weight;

	*text = gpusort_libc_weights_element(&key->weights, *text, text_end, &element);
	while (!*ended && out < out_end && (weight = gpusort_libc_weights_next(&element)) != 0)
	{
		if (wide)
		{
			for (int shift = 8 * (GPUSORT_LINGUISTIC_WIDE - 1); shift >= 0 && out < out_end; shift -= 8)
				*out++ = weight >> shift;
		}
		else
		{
			*ended = !has_own_byte(key, weight);
			*out++ = 2 * count_less(key, weight) + (*ended ? 1 : 2);
		}
	}
	return out;
}

/* Writes a narrow key.  Sets *ended if it ends before the text. */
static uint8 *
put_narrow(const LinguisticKey *key, const uint8 *text, const uint8 *text_end, uint8 *out, const uint8 *out_end, bool *ended)
{
	*ended = false;
	while (text < text_end && out < out_end && !*ended)
	{
		uint8		entry = key->single[*text];
		int			length = 1;

		if (entry == KEY_LOOK_UP && *text >= LEAD_FIRST && *text <= LEAD_LAST && text_end - text > 1 &&
			(text[1] & 0xc0) == 0x80)
		{
			entry = key->pairs[*text - LEAD_FIRST][text[1] & 0x3f];
			length = 2;
		}
		if (entry == KEY_LOOK_UP)
			out = put_element(key, false, &text, text_end, out, out_end, ended);
		else
		{
			*out = entry;
			out += entry != KEY_NOTHING;
			text += length;
		}
	}
	return out;
}

Size
gpusort_linguistic_key_bytes(const LinguisticKey *key, bool wide, const uint8 *text, Size length, uint8 *out, Size limit)
{
	const uint8 *text_end = text + length;
	uint8	   *place = out;
	bool		ended = false;

	if (!wide)
		return put_narrow(key, text, text_end, out, out + limit, &ended) - out;
	while (text < text_end && place < out + limit)
		place = put_element(key, true, &text, text_end, place, out + limit, &ended);
	return place - out;
}

uint8
gpusort_linguistic_key_single(const LinguisticKey *key, uint8 character)
{
	return key->single[character] == KEY_LOOK_UP ? KEY_NOTHING : key->single[character];
}

bool
gpusort_linguistic_key_ends_early(const LinguisticKey *key, const uint8 *text, Size length, int places)
{
	uint8		bytes[UINT8_MAX];
	bool		ended;

	(void) put_narrow(key, text, text + length, bytes, bytes + places, &ended);
	return ended;
}
