/*
 * libc_weights.h
 *	  First-level weights of texts in a collation of the C library.
 *
 * strcoll compares texts level by level.  The first level knows letters and digits,
 * and leaves cases, accents and often punctuation to later ones.  A text's elements,
 * each a character or a contraction such as "ch", have numbers there, its weights:
 * none, one, or several.  Of two texts whose sequences of weights differ, the one with
 * the lesser weight at the first difference comes first, and an end before any weight.
 *
 * Weights are read from the tables that strcoll itself reads.  That is done for glibc;
 * other libraries have no tables that can be read.  A locale is opened only if every
 * entry of its tables is as expected, and what is read agrees with strcoll and strxfrm.
 *
 * Plain C: no server is needed.
 */
#ifndef GPUSORT_LIBC_WEIGHTS_H
#define GPUSORT_LIBC_WEIGHTS_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct LibcWeights
{
	locale_t	locale;
	const unsigned char *rules;	/* per set of rules, what each level does */
	unsigned	nrules;			/* levels */
	const int32_t *table;		/* by first byte: an element; or, less than 0, the negated place of a list */
	const unsigned char *lists;
	const int32_t *ranges;		/* elements of characters that follow one another */
	const unsigned char *weights;	/* per element and level a length and that many bytes */
} LibcWeights;

/* The weights of an element, encoded as UTF-8 encodes characters. */
typedef struct ElementWeights
{
	const unsigned char *bytes;
	unsigned	length;
} ElementWeights;

/*
 * Opens a locale by its name.  Returns false, and leaves nothing to be closed, if there is
 * no such locale, if it has no rules, or if its weights cannot be read or trusted.
 */
extern bool gpusort_libc_weights_open(LibcWeights *weights, const char *name);
extern void gpusort_libc_weights_close(LibcWeights *weights);

/*
 * Reads the element at the start of a text that is not empty and has no zero byte.  Returns
 * where the next one starts.
 */
extern const unsigned char *gpusort_libc_weights_element(const LibcWeights *weights, const unsigned char *text,
														 const unsigned char *end, ElementWeights *element);

/*
 * True if a text that starts with these bytes starts with an element of just these bytes,
 * whatever follows.  The bytes must not be empty.
 */
extern bool gpusort_libc_weights_stands_alone(const LibcWeights *weights, const unsigned char *bytes, unsigned length);

/* Takes the next weight off an element.  Returns 0, which is no weight, at the end.  Weights are less than 2^21. */
extern uint32_t gpusort_libc_weights_next(ElementWeights *element);

#endif							/* GPUSORT_LIBC_WEIGHTS_H */
