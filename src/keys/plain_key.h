/*
 * plain_key.h
 *	  Texts of plain characters in a collation of ICU as bytes that memcmp orders.
 *
 * Plain characters are the printable ones of ASCII, tab, and the ends of lines; and in UTF-8,
 * if a key is widened by them, the letters of Latin (to U+017F), Greek or Cyrillic alphabets.
 * Each has a byte for its weight on the collation's first level, two if it counts as two
 * letters, or none if it is ignored there.  Where the bytes of two plain texts, padded by zeros, differ,
 * they order the texts as the comparator does.  Where they do not, nothing is known: the
 * texts may differ in accents, in case, in punctuation, or not at all.
 *
 * The weights come from PostgreSQL's abbreviated keys of single characters.  They are
 * trusted only if they order all texts of two plain characters as the abbreviated keys of
 * these do.  So a collation in which two plain characters are one letter, or in which
 * digits count by the number that they make, has none.  Nor has one with rules of its own.
 *
 * What is learned of a locale is kept until the backend ends.
 */
#ifndef GPUSORT_PLAIN_KEY_H
#define GPUSORT_PLAIN_KEY_H

typedef struct PlainKey PlainKey;

/*
 * The key of a collation that is COLLATION_ABBREVIATED.  Learning its locale takes two
 * milliseconds, once; without may_learn it is not learned.  Returns NULL if it is not known,
 * or if its weights cannot be trusted.
 */
extern const PlainKey *gpusort_plain_key(Oid collation, bool may_learn);

/*
 * The key of the same collation with the alphabets, too, of a text that `key` does not have.
 * Learning it takes a tenth of a second, once.  Returns NULL if the text cannot be plain, or
 * if the weights cannot be trusted.
 */
extern const PlainKey *gpusort_plain_key_widen(const PlainKey *key, Oid collation, const uint8 *text, Size length);

/* True if a text has plain characters only. */
extern bool gpusort_plain_key_has(const PlainKey *key, const uint8 *text, Size length);

/* Writes up to `limit` bytes of a plain text's key, and returns how many it wrote. */
extern Size gpusort_plain_key_bytes(const PlainKey *key, const uint8 *text, Size length, uint8 *out, Size limit);

#endif							/* GPUSORT_PLAIN_KEY_H */
