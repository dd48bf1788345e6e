/*
 * key_compare.h
 *	  Questions about keys in native form, each answered in one pass over them.
 */
#ifndef GPUSORT_KEY_COMPARE_H
#define GPUSORT_KEY_COMPARE_H

#include "keys/key_encoding.h"

/* The code of a key that moves without a payload.  Codes order as unsigned numbers; -0 comes before +0. */
static inline uint64_t
gpusort_key_alone_code(GpusortKeyForm form, const void *keys, uint32_t position)
{
	switch (gpusort_key_width(form))
	{
		case 2:
			return gpusort_encode16(((const uint16_t *) keys)[position]);
		case 4:
			return gpusort_encode32(form, ((const uint32_t *) keys)[position]);
		default:
			return gpusort_encode64(form, ((const uint64_t *) keys)[position]);
	}
}

/* The code of a key that moves with a payload.  Codes order as unsigned numbers; equal keys have equal codes. */
static inline uint64_t
gpusort_key_code(GpusortKeyForm form, const void *keys, uint32_t position)
{
	switch (gpusort_key_width(form))
	{
		case 2:
			return gpusort_encode16(((const uint16_t *) keys)[position]);
		case 4:
			return gpusort_encode32_tied(form, ((const uint32_t *) keys)[position]);
		default:
			return gpusort_encode64_tied(form, ((const uint64_t *) keys)[position]);
	}
}

/* Writes the key of a code that gpusort_key_alone_code gives to a place among keys. */
static inline void
gpusort_key_put(GpusortKeyForm form, void *keys, uint32_t place, uint64_t code)
{
	if (gpusort_key_width(form) == 2)
		((uint16_t *) keys)[place] = gpusort_encode16(code);
	else if (gpusort_key_width(form) == 4)
		((uint32_t *) keys)[place] = gpusort_decode32(form, code);
	else
		((uint64_t *) keys)[place] = gpusort_decode64(form, code);
}

/* Orders two codes, for qsort and bsearch. */
static inline int
gpusort_compare_codes(const void *a, const void *b)
{
	uint64_t	left = *(const uint64_t *) a;
	uint64_t	right = *(const uint64_t *) b;

	return (left > right) - (left < right);
}

extern bool gpusort_keys_in_order(GpusortKeyForm form, const void *keys, uint32_t count,
								  bool descending);
extern void gpusort_keys_classes(GpusortKeyForm form, const void *keys, const uint32_t *positions,
								 uint32_t count, bool *begins);
extern void gpusort_keys_one_nan(GpusortKeyForm form, void *keys, uint32_t count, bool descending);
extern uint32_t gpusort_keys_longest_run(GpusortKeyForm form, const void *keys, uint32_t count);
extern uint32_t gpusort_keys_distinct(GpusortKeyForm form, void *keys, uint32_t count);

#endif							/* GPUSORT_KEY_COMPARE_H */
