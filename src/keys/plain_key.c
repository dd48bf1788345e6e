/*
 * plain_key.c
 *	  Keys of plain texts in collations of ICU, see plain_key.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "keys/collation_kind.h"
#include "keys/key_compare.h"
#include "keys/plain_key.h"

#define NAME_SIZE 128			/* locales of longer names are not learned */
#define LEVEL_END 1				/* the byte of a sort key behind the weights of a level */
#define UTF8_LETTER_BYTES 2		/* of a letter beyond ASCII */

/* The letters that a key may have beyond ASCII lie here. */
#define LETTER_FIRST 0xc0
#define LETTER_LAST 0x45f
#define LETTERS (LETTER_LAST - LETTER_FIRST + 1)

static const struct
{
	int			first;
	int			last;
}			alphabets[] = {
	{0xc0, 0x17f},				/* Latin */
	{0x388, 0x3ce},				/* Greek */
	{0x400, 0x45f}				/* Cyrillic */
};

/* In place of a byte of the key. */
#define KEY_NOTHING 0			/* the character has no weight */
#define KEY_LETTER 254			/* a letter beyond ASCII begins here */
#define KEY_NOT_PLAIN 255

/* The bytes of a letter beyond ASCII.  The second is KEY_NOTHING if there is one only. */
typedef struct LetterBytes
{
	uint8		first;
	uint8		second;
} LetterBytes;

struct PlainKey
{
	struct PlainKey *next;
	char		locale[NAME_SIZE];
	uint32		alphabets;		/* which it has beyond ASCII, a bit for each */
	bool		trusted;		/* false: only what precedes is set */
	uint8		bytes[256];
	LetterBytes letters[LETTERS];
};

/* A plain character while a key is learned. */
typedef struct PlainCharacter
{
	uint8		text[UTF8_LETTER_BYTES];
	int			length;
	int			code;
	uint64		weights;		/* on the first level */
	bool		usable;			/* false: it is no plain character after all */
	bool		is_pair;		/* it has the weights of two characters of ASCII */
	uint8		pair[2];
} PlainCharacter;

typedef struct Learning
{
	PlainKey   *key;
	SortSupportData support;
	PlainCharacter *characters;	/* those of ASCII first */
	int			count;
	int			ascii_count;
	uint64	   *distinct;		/* their weights, ascending */
	int			ndistinct;
} Learning;

/* A text of one or two plain characters. */
typedef struct PlainText
{
	uint32		bytes;			/* its key, padded by zeros */
	uint64		word;			/* its abbreviated key */
} PlainText;

static PlainKey *learned_keys;

/* PostgreSQL's abbreviated key of a short text. */
static uint64
abbreviated(Learning *learning, const uint8 *text, int length)
{
	union
	{
		varattrib_4b header;
		char		data[VARHDRSZ + 2 * UTF8_LETTER_BYTES];
	}			value;

	SET_VARSIZE(&value, VARHDRSZ + length);
	memcpy(value.data + VARHDRSZ, text, length);
	return learning->support.abbrev_converter(PointerGetDatum(&value), &learning->support);
}

/* The weights of the first level, which begin an abbreviated key.  Sets *whole if the key has all of them. */
static uint64
first_level(uint64 abbreviated_key, bool *whole)
{
	uint64		weights = 0;

	*whole = true;
	for (int shift = 56; shift >= 0; shift -= 8)
	{
		uint64		byte = (abbreviated_key >> shift) & 0xff;

		if (byte <= LEVEL_END)
			return weights;
		weights |= byte << shift;
	}
	*whole = false;
	return weights;
}

static void
add_character(Learning *learning, int code)
{
	PlainCharacter *character = &learning->characters[learning->count++];

	character->code = code;
	character->length = code < 0x80 ? 1 : UTF8_LETTER_BYTES;
	character->text[0] = code;
	if (code >= 0x80)
		(void) unicode_to_utf8(code, character->text);
	character->weights = first_level(abbreviated(learning, character->text, character->length), &character->usable);
	/* A letter without a weight would be a combining mark. */
	character->usable &= code < 0x80 || character->weights != 0;
}

/* Lists the plain characters with their weights. */
static void
list_characters(Learning *learning)
{
	learning->characters = palloc0((0x80 + LETTERS) * sizeof(PlainCharacter));
	add_character(learning, '\t');
	add_character(learning, '\n');
	add_character(learning, '\r');
	for (int code = 0x20; code <= 0x7e; code++)
		add_character(learning, code);
	learning->ascii_count = learning->count;
	for (int a = 0; a < lengthof(alphabets); a++)
		for (int code = alphabets[a].first; code <= alphabets[a].last && (learning->key->alphabets >> a & 1) != 0; code++)
			add_character(learning, code);
}

/* True if one of two different sequences of weights, with zeros behind them, begins with the other. */
static bool
begin_alike(uint64 a, uint64 b)
{
	for (int shift = 56; shift >= 0 && (a >> shift & 0xff) != 0 && (b >> shift & 0xff) != 0; shift -= 8)
		if ((a >> shift & 0xff) != (b >> shift & 0xff))
			return false;
	return a != b;
}

/*
 * Finds the letters that count as two characters of ASCII, such as the sharp s.  Another one
 * that may count as several characters is not plain.
 */
static void
find_pairs(Learning *learning)
{
	int			ascii_count = learning->ascii_count;
	bool		whole;

	for (int first = 0; first < ascii_count; first++)
		for (int second = 0; second < ascii_count; second++)
		{
			const PlainCharacter *a = &learning->characters[first];
			const PlainCharacter *b = &learning->characters[second];
			uint64		weights = first_level(abbreviated(learning, (uint8[2]) {a->code, b->code}, 2), &whole);

			for (int i = ascii_count; i < learning->count && a->weights != 0 && b->weights != 0; i++)
			{
				PlainCharacter *letter = &learning->characters[i];

				if (letter->weights != weights || letter->is_pair)
					continue;
				letter->is_pair = true;
				letter->pair[0] = a->code;
				letter->pair[1] = b->code;
			}
		}
	for (int i = ascii_count; i < learning->count; i++)
		for (int other = 0; other < learning->count; other++)
		{
			PlainCharacter *letter = &learning->characters[i];
			const PlainCharacter *character = &learning->characters[other];

			if (!letter->is_pair && !character->is_pair && character->weights != 0 &&
				begin_alike(letter->weights, character->weights))
				letter->usable = false;
		}
}

/* Lists the different weights of the characters that have weights of their own. */
static void
list_weights(Learning *learning)
{
	uint64	   *distinct = palloc(learning->count * sizeof(uint64));
	int			count = 0;

	for (int i = 0; i < learning->count; i++)
		if (learning->characters[i].usable && !learning->characters[i].is_pair && learning->characters[i].weights != 0)
			distinct[count++] = learning->characters[i].weights;
	qsort(distinct, count, sizeof(uint64), gpusort_compare_codes);
	learning->distinct = distinct;
	for (int i = 0; i < count; i++)
		if (i == 0 || distinct[i] != distinct[i - 1])
			distinct[learning->ndistinct++] = distinct[i];
}

/* The place of a character's weights among those of all, counted from 1. */
static uint8
place_of(const Learning *learning, const PlainCharacter *character)
{
	int			place = 0;

	if (character->weights == 0)
		return KEY_NOTHING;
	while (learning->distinct[place] != character->weights)
		place++;
	return place + 1;
}

/* Gives each plain character its bytes. */
static void
set_bytes(Learning *learning)
{
	PlainKey   *key = learning->key;

	memset(key->bytes, KEY_NOT_PLAIN, sizeof(key->bytes));
	memset(key->letters, KEY_NOT_PLAIN, sizeof(key->letters));
	for (int i = 0; i < learning->count; i++)
	{
		const PlainCharacter *character = &learning->characters[i];

		if (!character->usable)
			continue;
		if (i < learning->ascii_count)
			key->bytes[character->code] = place_of(learning, character);
		else
		{
			LetterBytes *letter = &key->letters[character->code - LETTER_FIRST];

			key->bytes[character->text[0]] = KEY_LETTER;
			letter->first = character->is_pair ? key->bytes[character->pair[0]] : place_of(learning, character);
			letter->second = character->is_pair ? key->bytes[character->pair[1]] : KEY_NOTHING;
		}
	}
}

static int
compare_texts(const void *a, const void *b)
{
	const PlainText *left = a;
	const PlainText *right = b;

	if (left->bytes != right->bytes)
		return left->bytes < right->bytes ? -1 : 1;
	return gpusort_compare_codes(&left->word, &right->word);
}

/* The text of one character, or of two. */
static PlainText
plain_text(Learning *learning, const PlainCharacter *first, const PlainCharacter *second)
{
	uint8		text[2 * UTF8_LETTER_BYTES];
	uint8		bytes[2 * sizeof(LetterBytes)] = {0};
	int			length = first->length;

	memcpy(text, first->text, first->length);
	if (second != NULL)
	{
		memcpy(text + length, second->text, second->length);
		length += second->length;
	}
	(void) gpusort_plain_key_bytes(learning->key, text, length, bytes, sizeof(bytes));
	return (PlainText)
	{
		.bytes = (uint32) bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3],
		.word = abbreviated(learning, text, length)
	};
}

/*
 * True if texts of one and two plain characters have abbreviated keys in the order of
 * their keys, and different ones where these differ.
 */
static bool
orders_pairs(Learning *learning)
{
	PlainText  *texts = palloc_extended(learning->count * (learning->count + 1) * sizeof(PlainText), MCXT_ALLOC_HUGE);
	uint64		highest = 0;
	int			ntexts = 0;

	for (int i = 0; i < learning->count; i++)
	{
		const PlainCharacter *first = &learning->characters[i];

		CHECK_FOR_INTERRUPTS();
		if (!first->usable)
			continue;
		texts[ntexts++] = plain_text(learning, first, NULL);
		for (int j = 0; j < learning->count; j++)
			if (learning->characters[j].usable)
				texts[ntexts++] = plain_text(learning, first, &learning->characters[j]);
	}
	qsort(texts, ntexts, sizeof(PlainText), compare_texts);
	for (int i = 0; i < ntexts; i++)
	{
		if (i > 0 && texts[i].bytes != texts[i - 1].bytes && texts[i].word <= highest)
			return false;
		highest = Max(highest, texts[i].word);
	}
	return true;
}

/* Learns the weights of a collation. */
static void
learn(PlainKey *key, Oid collation)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpusort plain characters", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Learning	learning = {
		.key = key,
		.support = {
			.ssup_cxt = context,
			.ssup_collation = collation,
			.abbreviate = true
		}
	};

	PrepareSortSupportFromOrderingOp(lookup_type_cache(TEXTOID, TYPECACHE_LT_OPR)->lt_opr, &learning.support);
	if (learning.support.abbrev_converter != NULL)
	{
		list_characters(&learning);
		if (key->alphabets != 0)
			find_pairs(&learning);
		list_weights(&learning);
		if (learning.ndistinct < KEY_LETTER)
		{
			set_bytes(&learning);
			key->trusted = orders_pairs(&learning);
		}
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

/* The key of a locale with these alphabets, which is learned if it is not known and may be. */
static const PlainKey *
find_key(const char *locale, Oid collation, uint32 with_alphabets, bool may_learn)
{
	PlainKey   *key = learned_keys;

	while (key != NULL && (strcmp(key->locale, locale) != 0 || key->alphabets != with_alphabets))
		key = key->next;
	if (key == NULL && may_learn)
	{
		key = MemoryContextAllocZero(TopMemoryContext, sizeof(PlainKey));
		strcpy(key->locale, locale);
		key->alphabets = with_alphabets;
		learn(key, collation);
		key->next = learned_keys;
		learned_keys = key;
	}
	return key != NULL && key->trusted ? key : NULL;
}

const PlainKey *
gpusort_plain_key(Oid collation, bool may_learn)
{
	char	   *locale = gpusort_collation_locale(collation);
	const PlainKey *key;

	if (locale == NULL || strlen(locale) >= NAME_SIZE || gpusort_collation_has_rules(collation))
		return NULL;
	key = find_key(locale, collation, 0, may_learn);
	pfree(locale);
	return key;
}

/* The code at a place of a text in UTF-8, if it has two bytes; else 0. */
static inline int
letter_at(const uint8 *text, const uint8 *end)
{
	return end - text >= UTF8_LETTER_BYTES && (text[0] & 0xe0) == 0xc0 ? (text[0] & 0x1f) << 6 | (text[1] & 0x3f) : 0;
}

const PlainKey *
gpusort_plain_key_widen(const PlainKey *key, Oid collation, const uint8 *text, Size length)
{
	const uint8 *end = text + length;
	uint32		needed = key->alphabets;

	if (GetDatabaseEncoding() != PG_UTF8)
		return NULL;
	while (text < end)
	{
		int			letter = letter_at(text, end);
		int			a = 0;

		if (key->bytes[*text] < KEY_LETTER)
		{
			text++;
			continue;
		}
		while (a < lengthof(alphabets) && (letter < alphabets[a].first || letter > alphabets[a].last))
			a++;
		if (a == lengthof(alphabets))
			return NULL;
		needed |= 1 << a;
		text += UTF8_LETTER_BYTES;
	}
	return needed == key->alphabets ? NULL : find_key(key->locale, collation, needed, true);
}

/* The bytes of the letter at a place of a text.  They are not plain if there is none that the key has. */
static inline LetterBytes
letter_bytes(const PlainKey *key, const uint8 *text, const uint8 *end)
{
	int			letter = letter_at(text, end);

	if (letter < LETTER_FIRST || letter > LETTER_LAST)
		return (LetterBytes) {KEY_NOT_PLAIN, KEY_NOTHING};
	return key->letters[letter - LETTER_FIRST];
}

bool
gpusort_plain_key_has(const PlainKey *key, const uint8 *text, Size length)
{
	const uint8 *end = text + length;

	while (text < end)
	{
		uint8		byte = key->bytes[*text];

		if (byte < KEY_LETTER)
			text++;
		else if (byte == KEY_LETTER && letter_bytes(key, text, end).first != KEY_NOT_PLAIN)
			text += UTF8_LETTER_BYTES;
		else
			return false;
	}
	return true;
}

Size
gpusort_plain_key_bytes(const PlainKey *key, const uint8 *text, Size length, uint8 *out, Size limit)
{
	const uint8 *text_end = text + length;
	const uint8 *out_end = out + limit;
	uint8	   *place = out;

	while (text < text_end && place < out_end)
	{
		uint8		byte = key->bytes[*text];

		if (byte < KEY_LETTER)
		{
			*place = byte;
			place += byte != KEY_NOTHING;
			text++;
		}
		else
		{
			LetterBytes letter = letter_bytes(key, text, text_end);

			*place++ = letter.first;
			if (letter.second != KEY_NOTHING && place < out_end)
				*place++ = letter.second;
			text += UTF8_LETTER_BYTES;
		}
	}
	return place - out;
}
