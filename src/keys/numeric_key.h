/*
 * numeric_key.h
 *	  The bytes of a numeric: in memcmp order, padded by zeros, and equal only for equal values.
 *
 *	  sign and weight | digits of base 100 | behind those of a negative value a last byte
 *
 * PostgreSQL's digits are of base 10000, each of which becomes two bytes: these have few values, so
 * that characters.h packs a price into 20 bits or less.  Digits of a negative value are inverted.
 */
#ifndef GPUSORT_NUMERIC_KEY_H
#define GPUSORT_NUMERIC_KEY_H

#include "c.h"

/* The most bytes that the key of a value of so many bytes, without its length word, has. */
#define GPUSORT_NUMERIC_KEY_BYTES(size) ((size) + 4)

/* Writes the key of a stored value, at any address, and returns its length. */
extern Size gpusort_numeric_key_bytes(const uint8 *stored, Size size, uint8 *out);

/* Hash and equality of stored values, at any address: values that are equal may differ in their bytes, as 1.0 and 1.00 do. */
extern uint32 gpusort_numeric_hash(const uint8 *stored, Size size);
extern bool gpusort_numeric_equal(const uint8 *a, Size a_size, const uint8 *b, Size b_size);

/*
 * Sets the float8 that is nearest to a stored value, at any address.  Returns false for many digits, great and small values,
 * and special ones.  Both an integer of up to 53 bits and a power of ten up to 1e22 are exact, so that one division, or
 * multiplication, rounds rightly (Clinger, How to read floating point numbers accurately).
 */
extern bool gpusort_numeric_to_float8(const uint8 *stored, Size size, double *value);

/*
 * True if numeric_recv could have made a stored value, at any address, of some input.  The longer header is
 * taken also where the shorter would do.
 */
extern bool gpusort_numeric_is_valid(const uint8 *stored, Size size);

/* Makes a word of a key, which orders as keys do.  Returns false if it has too many digits, or a great or small weight. */
extern bool gpusort_numeric_key_word(const uint8 *key, Size length, uint64 *word);

#endif							/* GPUSORT_NUMERIC_KEY_H */
