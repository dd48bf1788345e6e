/*
 * plain_key.h
 *	  Texts of plain characters in a collation of ICU as bytes that memcmp orders.
 *
 * Plain characters are the printable ones of ASCII, tab, and the ends of lines; and in UTF-8,
 * if a key is widened by them, the letters of Latin (to U+017F), Greek or Cyrillic alphabets.
 * Each has a byte for its weight on the collation's first level, two if it counts as two
 * letters, or none if it is ignored there.  Characters that are one letter together, a
 * contraction as Unicode calls it, have the bytes of that letter.  A text is read from its
 * begin on, and the longest contraction is taken, as ICU does it.
 *
 * Where the bytes of two plain texts, padded by zeros, differ, they order the texts as the
 * comparator does.  Where they do not, nothing is known: the texts may differ in accents, in
 * case, in punctuation, or not at all.
 *
 * plain_learn.h says where keys come from.
 */
#ifndef GPUSORT_PLAIN_KEY_H
#define GPUSORT_PLAIN_KEY_H

#define PLAIN_LOCALE_SIZE 128	/* locales of longer names are not learned */
#define PLAIN_LETTER_BYTES 2	/* of a letter beyond ASCII */
#define PLAIN_CONTRACTION_BYTES 8	/* longer contractions are not learned */

/* The letters that a key may have beyond ASCII lie here. */
#define PLAIN_LETTER_FIRST 0xc0
#define PLAIN_LETTER_LAST 0x45f
#define PLAIN_LETTERS (PLAIN_LETTER_LAST - PLAIN_LETTER_FIRST + 1)

/* In place of a byte of the key. */
#define PLAIN_NOTHING 0			/* the character has no weight */
#define PLAIN_CONTRACTS 253		/* a contraction may begin here */
#define PLAIN_LETTER 254		/* a letter beyond ASCII begins here */
#define PLAIN_NOT 255			/* no plain character */

/* The bytes of a letter beyond ASCII, or of a contraction.  The second is PLAIN_NOTHING if there is one only. */
typedef struct PlainBytes
{
	uint8		first;
	uint8		second;
} PlainBytes;

typedef struct Contraction
{
	uint8		text[PLAIN_CONTRACTION_BYTES];
	uint8		length;
	PlainBytes	bytes;
	uint16		next;			/* the next one of its slot, none of them longer; 0 at the end */
} Contraction;

typedef struct PlainKey
{
	struct PlainKey *next;
	char		locale[PLAIN_LOCALE_SIZE];
	uint32		alphabets;		/* which it has beyond ASCII, a bit for each */
	bool		trusted;		/* false: only what precedes is set */
	bool		all_ascii;		/* no printable character of ASCII is PLAIN_NOT */
	uint8		bytes[256];
	uint8		alone[256];		/* of a character of ASCII that begins contractions, where it begins none */
	PlainBytes	letters[PLAIN_LETTERS];
	uint16		slots[256];		/* the first contraction of each, counted from 1 */
	int			ncontractions;
	Contraction *contractions;
} PlainKey;

/* The slot of the contractions whose text begins with these two bytes. */
static inline uint8
gpusort_plain_key_slot(const uint8 *text)
{
	return text[0] * 8 + text[1];
}

/* The number of the longest contraction at a place of a text, counted from 1; 0 if there is none. */
static inline int
gpusort_plain_key_contraction(const PlainKey *key, const uint8 *text, const uint8 *end)
{
	int			number;

	if (end - text < 2)
		return 0;
	for (number = key->slots[gpusort_plain_key_slot(text)]; number != 0; number = key->contractions[number - 1].next)
	{
		const Contraction *contraction = &key->contractions[number - 1];

		if (contraction->length <= end - text && memcmp(contraction->text, text, contraction->length) == 0)
			break;
	}
	return number;
}

/* The code of the letter beyond ASCII at a place of a text in UTF-8, if it has two bytes; else 0. */
static inline int
gpusort_plain_key_letter(const uint8 *text, const uint8 *end)
{
	return end - text >= PLAIN_LETTER_BYTES && (text[0] & 0xe0) == 0xc0 ? (text[0] & 0x1f) << 6 | (text[1] & 0x3f) : 0;
}

/* True if a text has plain characters only. */
extern bool gpusort_plain_key_has(const PlainKey *key, const uint8 *text, Size length);

/* Writes up to `limit` bytes of a plain text's key, and returns how many it wrote. */
extern Size gpusort_plain_key_bytes(const PlainKey *key, const uint8 *text, Size length, uint8 *out, Size limit);

#endif							/* GPUSORT_PLAIN_KEY_H */
