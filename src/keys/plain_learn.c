/*
 * plain_learn.c
 *	  Learns keys of plain texts from ICU, see plain_learn.h.
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
#include "keys/plain_learn.h"
#include "large_memory.h"

#define LEVEL_END 1				/* the byte of a sort key behind the weights of a level */
#define CONTRACTIONS_MAX 512	/* a collation that has more is not learned */
#define LEARNED_BYTES (2 * PLAIN_CONTRACTION_BYTES)	/* of the longest text that weights are proved by */

static const struct
{
	int			first;
	int			last;
}			alphabets[] = {
	{0xc0, 0x17f},				/* Latin */
	{0x388, 0x3ce},				/* Greek */
	{0x400, 0x45f}				/* Cyrillic */
};

/* A plain character, or a contraction of some, while a key is learned. */
typedef struct PlainPart
{
	uint8		text[PLAIN_CONTRACTION_BYTES];
	int			length;
	int			code;			/* of a character */
	uint64		weights;		/* on the first level */
	bool		usable;			/* false: it is no plain character after all */
	bool		is_pair;		/* it has the weights of two other parts */
	int			pair[2];
	int			spelling[2];	/* the characters of a contraction of two; else PART_NONE */
} PlainPart;

#define PART_NONE (-1)
#define PART_BITS 10			/* of a part's number, counted from 1 */

/* A text of up to three parts. */
typedef struct PlainText
{
	uint32		parts;			/* their numbers */
	uint32		bytes;			/* its key, padded by zeros */
	uint64		weights;		/* on the first level, those that its abbreviated key has */
} PlainText;

typedef struct Learning
{
	PlainKey   *key;
	SortSupportData support;
	PlainPart  *parts;			/* characters of ASCII, other characters, contractions */
	int			count;
	int			ascii_count;
	int			character_count;
	bool		failed;			/* there is what cannot be learned */
	PlainText  *texts;			/* what the weights are proved by */
	Size		ntexts;
	Size		texts_size;
	uint64	   *distinct;		/* the weights of the parts, ascending */
	int			ndistinct;
} Learning;

static PlainKey *learned_keys;

/* PostgreSQL's abbreviated key of a short text. */
static uint64
abbreviated(Learning *learning, const uint8 *text, int length)
{
	union
	{
		varattrib_4b header;
		char		data[VARHDRSZ + LEARNED_BYTES];
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
	PlainPart  *character = &learning->parts[learning->count++];

	character->code = code;
	character->length = code < 0x80 ? 1 : PLAIN_LETTER_BYTES;
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
	learning->parts = palloc0((0x80 + PLAIN_LETTERS + CONTRACTIONS_MAX) * sizeof(PlainPart));
	add_character(learning, '\t');
	add_character(learning, '\n');
	add_character(learning, '\r');
	for (int code = 0x20; code <= 0x7e; code++)
		add_character(learning, code);
	learning->ascii_count = learning->count;
	for (int a = 0; a < lengthof(alphabets); a++)
		for (int code = alphabets[a].first; code <= alphabets[a].last && (learning->key->alphabets >> a & 1) != 0; code++)
			add_character(learning, code);
	learning->character_count = learning->count;
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

/* True if a sequence of weights begins with another one, or is the same. */
static bool
begins_with(uint64 weights, uint64 begin)
{
	return begin == 0 || ((weights ^ begin) >> (__builtin_ctzll(begin) & ~7)) == 0;
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
			const PlainPart *a = &learning->parts[first];
			const PlainPart *b = &learning->parts[second];
			uint64		weights = first_level(abbreviated(learning, (uint8[2]) {a->code, b->code}, 2), &whole);

			/* Two characters may be one letter. */
			if (!begins_with(weights, a->weights))
				continue;
			for (int i = ascii_count; i < learning->count && a->weights != 0 && b->weights != 0; i++)
			{
				PlainPart  *letter = &learning->parts[i];

				if (letter->weights != weights || letter->is_pair)
					continue;
				letter->is_pair = true;
				letter->pair[0] = first;
				letter->pair[1] = second;
			}
		}
	for (int i = ascii_count; i < learning->count; i++)
		for (int other = 0; other < learning->count; other++)
		{
			PlainPart  *letter = &learning->parts[i];
			const PlainPart *character = &learning->parts[other];

			if (!letter->is_pair && !character->is_pair && character->weights != 0 &&
				begin_alike(letter->weights, character->weights))
				letter->usable = false;
		}
}

/*
 * False if another part's weights begin those of the new contraction, or the reverse, because
 * bytes could not order them.  A doubled contraction is allowed, as "ccs" of Hungarian, which
 * stands for "cs" twice, and is marked as a pair of the other one.
 */
static bool
has_own_weights(Learning *learning, PlainPart *contraction)
{
	for (int i = 0; i < learning->count; i++)
	{
		const PlainPart *part = &learning->parts[i];
		uint8		twice[LEARNED_BYTES];
		bool		whole;

		if (!part->usable || part->is_pair || part->weights == 0 || !begin_alike(part->weights, contraction->weights))
			continue;
		if (i < learning->character_count)
			return false;
		memcpy(twice, part->text, part->length);
		memcpy(twice + part->length, part->text, part->length);
		if (first_level(abbreviated(learning, twice, 2 * part->length), &whole) != contraction->weights)
			return false;
		contraction->is_pair = true;
		contraction->pair[0] = contraction->pair[1] = i;
	}
	return true;
}

/* Adds a text that has other weights than its characters.  Digits that make a number are none to be learned. */
static void
add_contraction(Learning *learning, const uint8 *text, int length, uint64 weights, bool whole, const int *spelling)
{
	PlainKey   *key = learning->key;
	int			number = learning->count - learning->character_count + 1;
	PlainPart	part = {
		.length = length,
		.weights = weights,
		.spelling = {spelling[0], spelling[1]}
	};
	Contraction *contraction;
	uint16	   *place;

	learning->failed = true;
	if (!whole || weights == 0 || length > PLAIN_CONTRACTION_BYTES || number > CONTRACTIONS_MAX || text[0] >= 0x80)
		return;
	for (int i = 0; i < length; i++)
		if (text[i] >= '0' && text[i] <= '9')
			return;
	memcpy(part.text, text, length);
	if (!has_own_weights(learning, &part))
		return;
	learning->failed = false;
	part.usable = true;
	learning->parts[learning->count++] = part;

	contraction = &key->contractions[number - 1];
	memcpy(contraction->text, text, length);
	contraction->length = length;
	for (place = &key->slots[gpusort_plain_key_slot(text)]; *place != 0; place = &key->contractions[*place - 1].next)
		if (key->contractions[*place - 1].length <= length)
			break;
	contraction->next = *place;
	*place = number;
}

/*
 * Adds a text of some parts to those that the weights are proved by.  If it does not begin
 * with the weights of what it begins with, it is a contraction.
 */
static void
add_text(Learning *learning, int first, int second, int third)
{
	const int	parts[] = {first, second, third};
	uint8		text[LEARNED_BYTES];
	int			length = 0;
	PlainText  *added;
	int			begin;
	bool		whole;

	if (learning->ntexts == learning->texts_size)
	{
		learning->texts_size *= 2;
		learning->texts = repalloc_huge(learning->texts, learning->texts_size * sizeof(PlainText));
	}
	added = &learning->texts[learning->ntexts++];
	added->parts = 0;
	for (int i = 0; i < lengthof(parts) && parts[i] != PART_NONE; i++)
	{
		const PlainPart *part = &learning->parts[parts[i]];

		memcpy(text + length, part->text, part->length);
		length += part->length;
		added->parts |= (parts[i] + 1) << (i * PART_BITS);
	}
	added->weights = first_level(abbreviated(learning, text, length), &whole);
	begin = gpusort_plain_key_contraction(learning->key, text, text + length);
	begin = begin != 0 ? learning->character_count + begin - 1 : first;
	if (!begins_with(added->weights, learning->parts[begin].weights))
	{
		bool		is_two = third == PART_NONE && Max(first, second) < learning->character_count;

		add_contraction(learning, text, length, added->weights, whole,
						is_two ? parts : (int[2]) {PART_NONE, PART_NONE});
	}
}

/*
 * Lists the texts that the weights are proved by, and finds the contractions among them: each
 * part, each two characters, each contraction beside each character and each other contraction
 * but the doubled ones, and each one of two characters with a character of ASCII between them.
 */
static void
list_texts(Learning *learning)
{
	const PlainPart *parts = learning->parts;

	learning->texts_size = learning->count * (learning->count + 1);
	learning->texts = palloc_extended(learning->texts_size * sizeof(PlainText), MCXT_ALLOC_HUGE);
	for (int first = 0; first < learning->character_count; first++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!parts[first].usable)
			continue;
		add_text(learning, first, PART_NONE, PART_NONE);
		for (int second = 0; second < learning->character_count && !learning->failed; second++)
			if (parts[second].usable)
				add_text(learning, first, second, PART_NONE);
	}
	for (int contraction = learning->character_count; contraction < learning->count; contraction++)
	{
		const PlainPart *part = &parts[contraction];

		CHECK_FOR_INTERRUPTS();
		add_text(learning, contraction, PART_NONE, PART_NONE);
		for (int other = 0; other <= contraction && !learning->failed; other++)
		{
			if (!parts[other].usable || (other >= learning->character_count && (part->is_pair || parts[other].is_pair)))
				continue;
			add_text(learning, contraction, other, PART_NONE);
			add_text(learning, other, contraction, PART_NONE);
			if (other < learning->ascii_count && part->spelling[0] != PART_NONE)
				add_text(learning, part->spelling[0], other, part->spelling[1]);
		}
	}
}

/* Lists the different weights of the parts that have weights of their own. */
static void
list_weights(Learning *learning)
{
	uint64	   *distinct = palloc(learning->count * sizeof(uint64));
	int			count = 0;

	for (int i = 0; i < learning->count; i++)
		if (learning->parts[i].usable && !learning->parts[i].is_pair && learning->parts[i].weights != 0)
			distinct[count++] = learning->parts[i].weights;
	qsort(distinct, count, sizeof(uint64), gpusort_compare_codes);
	learning->distinct = distinct;
	for (int i = 0; i < count; i++)
		if (i == 0 || distinct[i] != distinct[i - 1])
			distinct[learning->ndistinct++] = distinct[i];
}

/* The place of a part's weights among those of all, counted from 1. */
static uint8
weight_place(const Learning *learning, const PlainPart *part)
{
	int			place = 0;

	if (part->weights == 0)
		return PLAIN_NOTHING;
	while (learning->distinct[place] != part->weights)
		place++;
	return place + 1;
}

static PlainBytes
bytes_of(const Learning *learning, const PlainPart *part)
{
	if (part->is_pair)
		return (PlainBytes)
	{
		weight_place(learning, &learning->parts[part->pair[0]]), weight_place(learning, &learning->parts[part->pair[1]])
	};
	return (PlainBytes)
	{
		weight_place(learning, part), PLAIN_NOTHING
	};
}

/* Gives each plain character and each contraction its bytes. */
static void
set_bytes(Learning *learning)
{
	PlainKey   *key = learning->key;

	memset(key->bytes, PLAIN_NOT, sizeof(key->bytes));
	memset(key->letters, PLAIN_NOT, sizeof(key->letters));
	key->all_ascii = true;
	for (int i = 0; i < learning->character_count; i++)
	{
		const PlainPart *character = &learning->parts[i];

		key->all_ascii &= character->usable || i >= learning->ascii_count;
		if (!character->usable)
			continue;
		if (i < learning->ascii_count)
			key->bytes[character->code] = weight_place(learning, character);
		else
		{
			key->bytes[character->text[0]] = PLAIN_LETTER;
			key->letters[character->code - PLAIN_LETTER_FIRST] = bytes_of(learning, character);
		}
	}
	for (int i = learning->character_count; i < learning->count; i++)
	{
		Contraction *contraction = &key->contractions[i - learning->character_count];
		uint8		begin = contraction->text[0];

		contraction->bytes = bytes_of(learning, &learning->parts[i]);
		if (key->bytes[begin] != PLAIN_CONTRACTS)
			key->alone[begin] = key->bytes[begin];
		key->bytes[begin] = PLAIN_CONTRACTS;
	}
}

static int
compare_texts(const void *a, const void *b)
{
	const PlainText *left = a;
	const PlainText *right = b;

	if (left->bytes != right->bytes)
		return left->bytes < right->bytes ? -1 : 1;
	return gpusort_compare_codes(&left->weights, &right->weights);
}

/* The key of a text of parts. */
static uint32
text_key(const Learning *learning, const PlainText *text)
{
	uint8		bytes[sizeof(uint32)] = {0};
	uint8		data[LEARNED_BYTES];
	int			length = 0;

	for (uint32 parts = text->parts; parts != 0; parts >>= PART_BITS)
	{
		const PlainPart *part = &learning->parts[(parts & ((1 << PART_BITS) - 1)) - 1];

		memcpy(data + length, part->text, part->length);
		length += part->length;
	}
	(void) gpusort_plain_key_bytes(learning->key, data, length, bytes, sizeof(bytes));
	return (uint32) bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/* True if the listed texts have weights in the order of their keys, and different ones where these differ. */
static bool
orders_texts(Learning *learning)
{
	PlainText  *texts = learning->texts;
	uint64		highest = 0;

	for (Size i = 0; i < learning->ntexts; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		texts[i].bytes = text_key(learning, &texts[i]);
	}
	qsort(texts, learning->ntexts, sizeof(PlainText), compare_texts);
	for (Size i = 0; i < learning->ntexts; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (i > 0 && texts[i].bytes != texts[i - 1].bytes && texts[i].weights <= highest)
			return false;
		highest = Max(highest, texts[i].weights);
	}
	return true;
}

/* Keeps the contractions of a key that is trusted. */
static void
keep_contractions(const Learning *learning)
{
	PlainKey   *key = learning->key;
	Size		size = (learning->count - learning->character_count) * sizeof(Contraction);
	Contraction *kept = NULL;

	key->ncontractions = learning->count - learning->character_count;
	if (key->trusted && size > 0)
	{
		kept = MemoryContextAlloc(TopMemoryContext, size);
		memcpy(kept, key->contractions, size);
	}
	key->contractions = kept;
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
		key->contractions = palloc0(CONTRACTIONS_MAX * sizeof(Contraction));
		list_texts(&learning);
		list_weights(&learning);
		if (!learning.failed && learning.ndistinct < PLAIN_CONTRACTS)
		{
			set_bytes(&learning);
			key->trusted = orders_texts(&learning);
		}
		keep_contractions(&learning);
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

	if (locale == NULL || strlen(locale) >= PLAIN_LOCALE_SIZE)
		return NULL;
	key = find_key(locale, collation, 0, may_learn);
	pfree(locale);
	return key;
}

const PlainKey *
gpusort_plain_key_widen(const PlainKey *key, Oid collation, const uint8 *text, Size length, bool may_learn)
{
	const uint8 *end = text + length;
	uint32		needed = key->alphabets;

	if (GetDatabaseEncoding() != PG_UTF8)
		return NULL;
	while (text < end)
	{
		int			letter = gpusort_plain_key_letter(text, end);
		int			a = 0;

		if (key->bytes[*text] < PLAIN_LETTER)
		{
			text++;
			continue;
		}
		while (a < lengthof(alphabets) && (letter < alphabets[a].first || letter > alphabets[a].last))
			a++;
		if (a == lengthof(alphabets))
			return NULL;
		needed |= 1 << a;
		text += PLAIN_LETTER_BYTES;
	}
	return needed == key->alphabets ? NULL : find_key(key->locale, collation, needed, may_learn);
}
