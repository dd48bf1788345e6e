/*
 * characters.c
 *	  Leading characters as one number, see characters.h.
 */
#include "postgres.h"

#include "rows/characters.h"

/* A byte that takes more bits than this is not worth packing. */
#define CHARACTER_BITS_MAX 7

/* With this many possible prefixes per string, few strings have the same prefix. */
#define CHARACTER_KINDS_MIN 16

/* Starts counting from a place on.  Some strings have this length, as far as is known. */
void
gpusort_characters_start(CharacterSets *sets, Size from, Size longest)
{
	memset(sets, 0, sizeof(CharacterSets));
	sets->from = from;
	sets->longest = longest;
	sets->nplaces = GPUSORT_CHARACTERS_PLACES;
}

static int
count_bytes(const CharacterSets *sets, int place)
{
	int			count = 0;

	for (int byte = 0; byte < 256; byte++)
		count += sets->occurs[place][byte];
	return count;
}

/*
 * A number is at most `high`, and gets one more digit.  Returns the greatest base of that
 * digit, up to `wanted`, with which the new number is at most `limit`.
 */
static int
fitting_base(uint64 high, uint64 limit, int wanted)
{
	if (high >= limit)
		return 1;
	return Min((limit - high) / (high + 1), (uint64) Max(wanted, 1) - 1) + 1;
}

/*
 * Keeps only as many places as fill a number of max_bits, or as the longest string has and a
 * quarter more, judged by the strings counted so far.  Returns false if the places take nearly as
 * many bits as their bytes have.
 */
bool
gpusort_characters_narrow(CharacterSets *sets, int max_bits)
{
	Size		longest = sets->longest > sets->from ? sets->longest - sets->from : 0;
	int			nplaces = Min(sets->nplaces, longest + longest / 4 + 1);
	uint64		high = 0;
	int			place = 0;

	while (place < nplaces)
	{
		int			count = count_bytes(sets, place);
		int			base = fitting_base(high, gpusort_low_bits(max_bits), Max(count, 1));

		high = high * base + (base - 1);
		place++;
		if (base < count)
			break;
	}
	sets->short_only = place == nplaces && place < GPUSORT_CHARACTERS_PLACES;
	sets->nplaces = place;
	return high <= gpusort_low_bits(CHARACTER_BITS_MAX * place);
}

/*
 * True if as many first bytes as fit max_bits, unpacked, would also tell nearly all of the
 * strings apart.  Assumes that bytes do not depend on one another.
 */
bool
gpusort_characters_unpacked_suffice(const CharacterSets *sets, int max_bits, double strings)
{
	double		kinds = 1;

	for (int place = 0; place < Min(max_bits / 8, sets->nplaces); place++)
		kinds *= count_bytes(sets, place);
	return kinds >= CHARACTER_KINDS_MIN * strings;
}

/*
 * Makes the table that gives each counted string its number, with as many places as fit
 * max_bits.  The last place may fit only in part: then neighboring bytes share a digit.
 */
Characters *
gpusort_characters_pack(const CharacterSets *sets, int max_bits)
{
	Characters *characters = palloc0(offsetof(Characters, parts) + sets->nplaces * sizeof(characters->parts[0]));
	int			bases[GPUSORT_CHARACTERS_PLACES];
	uint64		weight = 1;
	int			place;

	characters->from = sets->from;
	characters->complete = true;
	for (place = 0; place < sets->nplaces && characters->complete; place++)
	{
		int			count = count_bytes(sets, place);
		int			base = fitting_base(characters->high, gpusort_low_bits(max_bits), count);
		int			rank = 0;

		for (int byte = 0; byte < 256; byte++)
		{
			if (sets->occurs[place][byte])
				characters->parts[place][byte] = rank++ * base / count;
		}
		characters->high = characters->high * base + (base - 1);
		characters->complete = base == count;
		bases[place] = base;
		if (base > 1)
			characters->nplaces = place + 1;
	}
	characters->complete &= sets->longest <= sets->from + sets->nplaces;
	while (place < sets->nplaces)
		bases[place++] = 1;
	for (place = sets->nplaces - 1; place >= 0; place--)
	{
		characters->weights[place] = weight;
		for (int byte = 0; byte < 256; byte++)
			characters->parts[place][byte] *= weight;
		weight *= bases[place];
	}
	return characters;
}

/* Extends the table to strings that were not counted.  `counted` is any counted string: it has the common prefix. */
void
gpusort_characters_extend(Characters *characters, const CharacterSets *sets, const KeyBytes *counted)
{
	Size		known = Min(characters->from, counted->length);

	/* Bytes that are always the same add nothing to a number, but others in their place do not belong to it. */
	if (characters->complete && sets->longest > sets->from)
		characters->nplaces = sets->longest - sets->from;
	characters->prefix = palloc0(Max(characters->from, 1));
	memcpy(characters->prefix, counted->data, known);
	characters->stops = palloc0(Max(characters->nplaces, 1) * sizeof(characters->stops[0]));
	for (int place = 0; place < characters->nplaces; place++)
	{
		uint64		before = 0;

		for (int byte = 0; byte < 256; byte++)
		{
			if (sets->occurs[place][byte])
				before = characters->parts[place][byte] + (characters->weights[place] - 1);
			else
			{
				characters->parts[place][byte] = before;
				characters->stops[place][byte] = true;
			}
		}
	}
}

/*
 * The number of any string or, unless the characters were extended, of one that was counted.  Sets *missed if it has bytes
 * that were not counted, or more bytes than there are places.
 */
uint64
gpusort_characters_place(const Characters *characters, const KeyBytes *bytes, bool *missed)
{
	Size		known = Min(characters->from, bytes->length);
	int			order = characters->prefix != NULL ? memcmp(bytes->data, characters->prefix, known) : 0;
	uint64		number = 0;

	for (Size i = known; characters->prefix != NULL && i < characters->from && order == 0; i++)
		order = -(int) characters->prefix[i];
	*missed |= order != 0 || bytes->length > characters->from + characters->nplaces;
	if (order != 0)
		return order < 0 ? 0 : characters->high;
	for (int i = 0; i < characters->nplaces; i++)
	{
		uint8		byte = characters->from + i < bytes->length ? bytes->data[characters->from + i] : 0;

		number += characters->parts[i][byte];
		if (characters->stops != NULL && characters->stops[i][byte])
		{
			*missed = true;
			break;
		}
	}
	return number;
}

void
gpusort_characters_free(Characters *characters)
{
	if (characters->prefix != NULL)
	{
		pfree(characters->prefix);
		pfree(characters->stops);
	}
	pfree(characters);
}
