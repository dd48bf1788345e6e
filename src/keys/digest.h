/*
 * digest.h
 *	  A sum that tells whether bytes are what they were, where they were.
 *
 * Plain C without PostgreSQL or CUDA headers, for the modules of both devices.  The
 * bytes are taken as 32-bit words, numbered from where they begin.  Each word is
 * multiplied by a factor that its number gives, and the products are added up:
 *
 *	  One changed bit always changes the sum: a factor times a power of two below
 *	  2^32 is not 0 in 64 bits.
 *	  Whatever else is changed, moved or lost is missed about once in 2^32 times.
 *
 * Being a sum, it can be taken in any order and in parts, down to a single entry at
 * its place; so the digest of values that have moved can be taken as if they had not.
 */
#ifndef GPUSORT_DIGEST_H
#define GPUSORT_DIGEST_H

#include "keys/key_encoding.h"

/* The factor of a word, never 0. */
GPUSORT_INLINE uint32_t
gpusort_digest_factor(uint64_t word)
{
	uint32_t	factor = (uint32_t) word * UINT32_C(0x9e3779b1) + (uint32_t) (word >> 32) * UINT32_C(0x85ebca6b);

	factor = (factor ^ factor >> 15) * UINT32_C(0x2c1b3c6d);
	return (factor ^ factor >> 14) | 1;
}

GPUSORT_INLINE uint64_t
gpusort_digest_word(uint64_t word, uint32_t value)
{
	return (uint64_t) gpusort_digest_factor(word) * value;
}

/* What entry number i adds, where all entries have the width: of 1 or 2 bytes, */
GPUSORT_INLINE uint64_t
gpusort_digest8(uint64_t i, uint8_t value)
{
	return gpusort_digest_word(i / 4, (uint32_t) value << 8 * (i % 4));
}

GPUSORT_INLINE uint64_t
gpusort_digest16(uint64_t i, uint16_t value)
{
	return gpusort_digest_word(i / 2, (uint32_t) value << 16 * (i % 2));
}

/* and of 4 or 8. */
GPUSORT_INLINE uint64_t
gpusort_digest32(uint64_t i, uint32_t value)
{
	return gpusort_digest_word(i, value);
}

GPUSORT_INLINE uint64_t
gpusort_digest64(uint64_t i, uint64_t value)
{
	return gpusort_digest_word(2 * i, (uint32_t) value) + gpusort_digest_word(2 * i + 1, (uint32_t) (value >> 32));
}

#endif							/* GPUSORT_DIGEST_H */
