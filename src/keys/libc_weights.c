/*
 * libc_weights.c
 *	  Reads the tables of glibc's collations, see libc_weights.h.
 *
 * The tables are those of LC_COLLATE in a compiled locale.  They have been the same since
 * glibc 2.3, but nobody promises that, so nothing is taken on trust: all lists are walked
 * to their ends, every element's weights must decode, every set of rules must read the
 * first level forward, and texts of all pairs of ASCII characters must have the weights
 * that strxfrm gives them and the order that strcoll gives them.
 *
 * An entry of a list has the element as an int32, a length, and that many bytes, which follow
 * the first one in a text.  It is padded to 4 bytes.  The last entry's length is 0, so it
 * matches everything.  If the element is less than 0, the entry is a range: it has two
 * strings of bytes, the ends of the range, and elements are found by the distance from the
 * first.
 */
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "keys/libc_weights.h"

#define RULE_FORWARD 1			/* a level that is read forward and skips what has no weight */
#define LISTS_ALIGNMENT 4
#define LIST_ENTRIES_MAX 100000 /* more entries are taken for damage */
#define RANGE_MAX 0x200000		/* more characters are taken for damage */
#define WEIGHT_BYTES_MAX 4
#define FIRST_CHECKED 0x01
#define LAST_CHECKED 0x7e

/* An entry of a list. */
typedef struct ListEntry
{
	int32_t		element;
	unsigned	length;
	const unsigned char *first;	/* the bytes that follow, or the first of a range */
	const unsigned char *last;	/* the last of a range */
} ListEntry;

/* Reads an entry and returns the place of the next one. */
static const unsigned char *
read_entry(const unsigned char *place, ListEntry *entry)
{
	unsigned	bytes;

	memcpy(&entry->element, place, sizeof(int32_t));
	entry->length = place[sizeof(int32_t)];
	entry->first = place + sizeof(int32_t) + 1;
	entry->last = entry->first + entry->length;
	bytes = sizeof(int32_t) + 1 + entry->length * (entry->element < 0 ? 2 : 1);
	return place + (bytes + LISTS_ALIGNMENT - 1) / LISTS_ALIGNMENT * LISTS_ALIGNMENT;
}

/* Compares an entry's bytes with a text, whose end counts as zeros. */
static int
compare_bytes(const unsigned char *bytes, unsigned length, const unsigned char *text, const unsigned char *end)
{
	for (unsigned i = 0; i < length; i++)
	{
		unsigned char byte = text + i < end ? text[i] : 0;

		if (bytes[i] != byte)
			return bytes[i] < byte ? -1 : 1;
	}
	return 0;
}

/* How far a text is from the first bytes of a range that it lies in. */
static uint32_t
range_distance(const ListEntry *entry, const unsigned char *text, const unsigned char *end)
{
	uint32_t	distance = 0;

	for (unsigned i = 0; i < entry->length; i++)
		distance = (distance << 8) + (text + i < end ? text[i] : 0) - entry->first[i];
	return distance;
}

/* The weights of an element on the first level. */
static ElementWeights
element_weights(const LibcWeights *weights, int32_t element)
{
	const unsigned char *place = weights->weights + (element & 0xffffff);

	return (ElementWeights) {place + 1, place[0]};
}

const unsigned char *
gpusort_libc_weights_element(const LibcWeights *weights, const unsigned char *text,
							 const unsigned char *end, ElementWeights *element)
{
	int32_t		found = weights->table[*text++];
	const unsigned char *place = weights->lists - found;
	ListEntry	entry;

	if (found >= 0)
	{
		*element = element_weights(weights, found);
		return text;
	}
	for (;;)
	{
		place = read_entry(place, &entry);
		if (entry.element >= 0)
		{
			if (compare_bytes(entry.first, entry.length, text, end) != 0)
				continue;
			found = entry.element;
		}
		else
		{
			if (compare_bytes(entry.first, entry.length, text, end) > 0 ||
				compare_bytes(entry.last, entry.length, text, end) < 0)
				continue;
			found = weights->ranges[-entry.element + range_distance(&entry, text, end)];
		}
		*element = element_weights(weights, found);
		return end - text > entry.length ? text + entry.length : end;
	}
}

bool
gpusort_libc_weights_stands_alone(const LibcWeights *weights, const unsigned char *bytes, unsigned length)
{
	int32_t		found = weights->table[bytes[0]];
	const unsigned char *place = weights->lists - found;
	ListEntry	entry;

	if (found >= 0)
		return length == 1;
	for (;;)
	{
		unsigned	shared;
		bool		in_range;

		place = read_entry(place, &entry);
		if (entry.element >= 0)
			entry.last = entry.first;
		shared = entry.length < length - 1 ? entry.length : length - 1;
		in_range = memcmp(entry.first, bytes + 1, shared) <= 0 && memcmp(entry.last, bytes + 1, shared) >= 0;
		if (in_range || entry.length == 0)
			return in_range && entry.length == length - 1;
	}
}

uint32_t
gpusort_libc_weights_next(ElementWeights *element)
{
	uint32_t	weight;
	unsigned	length = 1;

	if (element->length == 0)
		return 0;
	weight = element->bytes[0];
	if (weight >= 0x80)
	{
		length = __builtin_clz(~(weight << 24));
		weight &= 0x7f >> length;
		for (unsigned i = 1; i < length; i++)
			weight = weight << 6 | (element->bytes[i] & 0x3f);
	}
	element->bytes += length;
	element->length -= length;
	return weight;
}

/* True if an element's first level is read forward and its weights decode. */
static bool
element_is_sound(const LibcWeights *weights, int32_t element)
{
	ElementWeights left = element_weights(weights, element);

	if (element < 0 || weights->rules[(element >> 24) * weights->nrules] != RULE_FORWARD)
		return false;
	while (left.length > 0)
	{
		unsigned	byte = left.bytes[0];
		unsigned	length = byte < 0x80 ? 1 : __builtin_clz(~(byte << 24));

		/* A 1 separates the levels of what strxfrm makes. */
		if (byte <= 1 || (byte >= 0x80 && length < 2) || length > WEIGHT_BYTES_MAX || length > left.length)
			return false;
		for (unsigned i = 1; i < length; i++)
		{
			if ((left.bytes[i] & 0xc0) != 0x80)
				return false;
		}
		left.bytes += length;
		left.length -= length;
	}
	return true;
}

/* True if all elements of a range are sound, also those at places where it has no character. */
static bool
range_is_sound(const LibcWeights *weights, const ListEntry *entry)
{
	uint32_t	distance = range_distance(entry, entry->last, entry->last + entry->length);

	if (memcmp(entry->first, entry->last, entry->length) > 0 || distance > RANGE_MAX)
		return false;
	for (uint32_t i = 0; i <= distance; i++)
	{
		if (!element_is_sound(weights, weights->ranges[-entry->element + i]))
			return false;
	}
	return true;
}

/* True if all entries of a list are sound. */
static bool
list_is_sound(const LibcWeights *weights, const unsigned char *place)
{
	ListEntry	entry;

	for (int n = 0; n < LIST_ENTRIES_MAX; n++)
	{
		place = read_entry(place, &entry);
		if (entry.element < 0 ? !range_is_sound(weights, &entry) : !element_is_sound(weights, entry.element))
			return false;
		if (entry.length == 0)
			return entry.element >= 0;
	}
	return false;
}

static bool
tables_are_sound(const LibcWeights *weights)
{
	for (int byte = 1; byte < 256; byte++)
	{
		int32_t		found = weights->table[byte];

		if (found >= 0 ? !element_is_sound(weights, found) : !list_is_sound(weights, weights->lists - found))
			return false;
	}
	return true;
}

/* True if the first level of what strxfrm makes of a text are its elements' weights. */
static bool
strxfrm_agrees(const LibcWeights *weights, const char *text)
{
	const unsigned char *place = (const unsigned char *) text;
	const unsigned char *end = place + strlen(text);
	size_t		size = strxfrm_l(NULL, text, 0, weights->locale) + 1;
	char	   *transformed = malloc(size);
	size_t		done = 0;
	bool		agrees = transformed != NULL && strxfrm_l(transformed, text, size, weights->locale) < size;

	while (agrees && place < end)
	{
		ElementWeights element;

		place = gpusort_libc_weights_element(weights, place, end, &element);
		agrees = done + element.length < size && memcmp(transformed + done, element.bytes, element.length) == 0;
		done += element.length;
	}
	agrees = agrees && (transformed[done] == 0 || transformed[done] == 1);
	free(transformed);
	return agrees;
}

/* Compares two texts by their weights alone. */
static int
compare_weights(const LibcWeights *weights, const char *a, const char *b)
{
	const unsigned char *places[2] = {(const unsigned char *) a, (const unsigned char *) b};
	const unsigned char *ends[2] = {places[0] + strlen(a), places[1] + strlen(b)};
	ElementWeights elements[2] = {{NULL, 0}, {NULL, 0}};
	uint32_t	next[2];

	do
	{
		for (int i = 0; i < 2; i++)
		{
			while (elements[i].length == 0 && places[i] < ends[i])
				places[i] = gpusort_libc_weights_element(weights, places[i], ends[i], &elements[i]);
			next[i] = gpusort_libc_weights_next(&elements[i]);
		}
	} while (next[0] == next[1] && next[0] != 0);
	return next[0] < next[1] ? -1 : next[0] > next[1];
}

/* True if strcoll agrees with the weights of two texts, or if their weights are equal. */
static bool
strcoll_agrees(const LibcWeights *weights, const char *a, const char *b)
{
	int			by_weights = compare_weights(weights, a, b);
	int			by_strcoll = strcoll_l(a, b, weights->locale);

	return by_weights == 0 || (by_weights < 0 ? by_strcoll < 0 : by_strcoll > 0);
}

/* True if strcoll and strxfrm agree with the weights of texts of pairs of ASCII characters. */
static bool
samples_agree(const LibcWeights *weights)
{
	char		text[2 * (LAST_CHECKED + 2)];

	for (int a = FIRST_CHECKED; a <= LAST_CHECKED; a++)
	{
		int			length = 0;

		for (int b = FIRST_CHECKED; b <= LAST_CHECKED; b++)
		{
			char		one[] = {a, b, 0};
			char		other[] = {b, a, 0};

			text[length++] = a;
			text[length++] = b;
			if (a < b && !strcoll_agrees(weights, one, other))
				return false;
		}
		text[length] = 0;
		if (!strxfrm_agrees(weights, text))
			return false;
	}
	return true;
}

bool
gpusort_libc_weights_open(LibcWeights *weights, const char *name)
{
	weights->locale = newlocale(LC_COLLATE_MASK | LC_CTYPE_MASK, name, (locale_t) 0);
	if (weights->locale == (locale_t) 0)
		return false;
	weights->nrules = 0;
#ifdef __GLIBC__
	/* A number of 32 bits, returned in the place of a pointer; the other bits are undefined. */
	weights->nrules = (uint32_t) (uintptr_t) nl_langinfo_l(_NL_COLLATE_NRULES, weights->locale);
	weights->rules = (const unsigned char *) nl_langinfo_l(_NL_COLLATE_RULESETS, weights->locale);
	weights->table = (const int32_t *) (const void *) nl_langinfo_l(_NL_COLLATE_TABLEMB, weights->locale);
	weights->lists = (const unsigned char *) nl_langinfo_l(_NL_COLLATE_EXTRAMB, weights->locale);
	weights->ranges = (const int32_t *) (const void *) nl_langinfo_l(_NL_COLLATE_INDIRECTMB, weights->locale);
	weights->weights = (const unsigned char *) nl_langinfo_l(_NL_COLLATE_WEIGHTMB, weights->locale);
#endif
	if (weights->nrules > 0 && weights->nrules < 256 && tables_are_sound(weights) && samples_agree(weights))
		return true;
	gpusort_libc_weights_close(weights);
	return false;
}

void
gpusort_libc_weights_close(LibcWeights *weights)
{
	freelocale(weights->locale);
	weights->locale = (locale_t) 0;
}
