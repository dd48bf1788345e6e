/*
 * characters.h
 *	  The leading characters of strings of bytes, packed into one number.
 *
 * At each place of a string only some bytes occur: sixteen in hexadecimal, one where there
 * is always a dash.  A byte's rank among the bytes of its place is a digit of a number.
 * The base of the digits changes from place to place, so that 64 bits hold 16 hexadecimal
 * digits instead of 8 bytes.  The numbers order as the strings do.  Strings of one number
 * are equal in the places that the number holds.
 *
 *	  start --> count each string --> narrow --> count ... --> pack --> number of each string
 *
 * A string that was not counted has a number only after the characters were extended.  Its
 * number lies where the string stands among those that were counted.  Numbers still order
 * as strings do, but different strings may then have the same number.  If all strings
 * consist of bytes that were counted, complete numbers are still those of equal strings.
 *
 * A string counts as padded by zeros.
 */
#ifndef GPUSORT_CHARACTERS_H
#define GPUSORT_CHARACTERS_H

#include "keys/key_bytes.h"

#define GPUSORT_CHARACTERS_PLACES 64	/* the most places that are looked at */

/* The bytes that occur. */
typedef struct CharacterSets
{
	Size		from;			/* the first place */
	int			nplaces;
	Size		longest;		/* length of the longest string */
	bool		short_only;		/* there are no more places because no counted string is longer */
	bool		occurs[GPUSORT_CHARACTERS_PLACES][256];
} CharacterSets;

typedef struct Characters
{
	uint64		high;			/* the greatest number */
	bool		complete;		/* strings of one number are equal in all their bytes */
	Size		from;			/* the first place */
	int			nplaces;
	uint8	   *prefix;			/* what all strings have before it; set when extended */
	bool		(*stops)[256];	/* bytes that were not counted there; NULL until extended */
	uint64		weights[GPUSORT_CHARACTERS_PLACES];	/* what a place's digit is multiplied by */
	uint64		parts[FLEXIBLE_ARRAY_MEMBER][256];	/* what a byte at a place adds to the number */
} Characters;

/* The greatest number of so many bits. */
static inline uint64
gpusort_low_bits(int bits)
{
	return bits >= 64 ? PG_UINT64_MAX : (UINT64CONST(1) << bits) - 1;
}

extern void gpusort_characters_start(CharacterSets *sets, Size from, Size longest);
extern bool gpusort_characters_narrow(CharacterSets *sets, int max_bits);
extern bool gpusort_characters_unpacked_suffice(const CharacterSets *sets, int max_bits, double strings);
extern Characters *gpusort_characters_pack(const CharacterSets *sets, int max_bits);
extern void gpusort_characters_extend(Characters *characters, const CharacterSets *sets, const KeyBytes *counted);
extern uint64 gpusort_characters_place(const Characters *characters, const KeyBytes *bytes, bool *missed);
extern void gpusort_characters_free(Characters *characters);

/* Counts a string: notes the bytes at its places. */
static inline void
gpusort_characters_count(CharacterSets *sets, const KeyBytes *bytes)
{
	Size		length = bytes->length > sets->from ? bytes->length - sets->from : 0;
	const uint8 *data = bytes->data + sets->from;
	int			n = Min(length, sets->nplaces);

	for (int i = 0; i < n; i++)
		sets->occurs[i][data[i]] = true;
	for (int i = n; i < sets->nplaces; i++)
		sets->occurs[i][0] = true;
	sets->longest = Max(sets->longest, bytes->length);
}

#endif							/* GPUSORT_CHARACTERS_H */
