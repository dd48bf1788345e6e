/*
 * linguistic_key.h
 *	  Texts in a linguistic collation as bytes that memcmp orders.
 *
 * The bytes stand for the first level's weights (libc_weights.h).  Where the bytes of two
 * texts, padded by zeros, differ, they order the texts as the comparator does.  Where they
 * do not, nothing is known: the texts may differ in case, in accents, in punctuation, or
 * in a character that the bytes do not tell apart.
 *
 * A narrow key has a byte per weight.  Up to 126 weights, such as those of ASCII, have bytes
 * of their own.  Any other weight gets the byte between those of its neighbors.  That byte
 * stands for several weights, so the key ends with it.  A wide key has three bytes for every
 * weight.
 *
 * What is learned of a locale is kept until the backend ends.  The library that made it
 * does not change before.
 */
#ifndef GPUSORT_LINGUISTIC_KEY_H
#define GPUSORT_LINGUISTIC_KEY_H

typedef struct LinguisticKey LinguisticKey;

/* Bytes of a weight in a wide key. */
#define GPUSORT_LINGUISTIC_WIDE 3

/*
 * The key of a collation that is COLLATION_WEIGHTS.  Learning its locale takes a millisecond
 * or two, once; without may_learn it is not learned.  Returns NULL if it is not known, or
 * if its weights cannot be trusted.
 */
extern const LinguisticKey *gpusort_linguistic_key(Oid collation, bool may_learn);

/* Writes up to `limit` bytes of a text's key, and returns how many it wrote. */
extern Size gpusort_linguistic_key_bytes(const LinguisticKey *key, bool wide, const uint8 *text, Size length,
										 uint8 *out, Size limit);

/* The byte of a narrow key for a character of one byte that has just that, whatever follows; else 0. */
extern uint8 gpusort_linguistic_key_single(const LinguisticKey *key, uint8 character);

/* True if another weight ends the narrow key of a text before `places` bytes. */
extern bool gpusort_linguistic_key_ends_early(const LinguisticKey *key, const uint8 *text, Size length, int places);

#endif							/* GPUSORT_LINGUISTIC_KEY_H */
