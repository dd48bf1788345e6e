/*
 * characters.h
 *	  The leading characters of strings of bytes, packed into one number.
 *
 * At each place of a string only some bytes occur: sixteen where it is in
 * hexadecimal, one where there is always a dash.  A byte's rank among those is a
 * digit of a number whose base changes from place to place, so that 64 bits hold 16
 * hexadecimal digits instead of 8 bytes.  The numbers order as the strings do; strings
 * of one number are equal as far as the number goes.
 *
 *	  start --> count each string --> narrow --> count ... --> pack --> number of each string
 *
 * The number of a string that was not counted is only known once they are extended: it
 * lies where the string would stand among those that were, so numbers still order as
 * strings do, but different strings may have the same number.
 *
 * Behind its end a string has zeros.
 */
#ifndef GPUSORT_CHARACTERS_H
#define GPUSORT_CHARACTERS_H

#include "rows/key_bytes.h"

#define GPUSORT_CHARACTERS_PLACES 64	/* that are looked at */

/* The bytes that occur. */
typedef struct CharacterSets
{
	Size		from;			/* the first place */
	int			nplaces;
	Size		longest;		/* string */
	bool		occurs[GPUSORT_CHARACTERS_PLACES][256];
} CharacterSets;

typedef struct Characters
{
	uint64		high;			/* the greatest number */
	bool		complete;		/* strings of one number are equal to their ends */
	Size		from;			/* the first place */
	int			nplaces;
	uint8	   *prefix;			/* what all have before it, once extended */
	bool		(*stops)[256];	/* bytes that do not occur there; NULL until extended */
	uint64		weights[GPUSORT_CHARACTERS_PLACES];	/* of a place's digit in the number */
	uint64		parts[FLEXIBLE_ARRAY_MEMBER][256];	/* of the number, by place and byte */
} Characters;

extern void gpusort_characters_start(CharacterSets *sets, Size from);
extern bool gpusort_characters_narrow(CharacterSets *sets, int max_bits);
extern bool gpusort_characters_are_plain(const CharacterSets *sets, int max_bits, double strings);
extern Characters *gpusort_characters_pack(const CharacterSets *sets, int max_bits);
extern void gpusort_characters_extend(Characters *characters, const CharacterSets *sets, const KeyBytes *counted);
extern uint64 gpusort_characters_place(const Characters *characters, const KeyBytes *bytes);
extern void gpusort_characters_free(Characters *characters);

/* Notes the bytes of a string. */
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

/* The number of a string that was counted. */
static inline uint64
gpusort_characters_number(const Characters *characters, const KeyBytes *bytes)
{
	const uint8 *data = bytes->data + characters->from;
	uint64		number = 0;
	int			n = characters->nplaces;

	if (bytes->length < characters->from + n)
		n = bytes->length > characters->from ? bytes->length - characters->from : 0;
	for (int i = 0; i < n; i++)
		number += characters->parts[i][data[i]];
	for (int i = n; i < characters->nplaces; i++)
		number += characters->parts[i][0];
	return number;
}

#endif							/* GPUSORT_CHARACTERS_H */
