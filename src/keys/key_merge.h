/*
 * key_merge.h
 *	  Merges two sorted runs of keys.
 */
#ifndef GPUSORT_KEY_MERGE_H
#define GPUSORT_KEY_MERGE_H

#include "keys/key_encoding.h"

/*
 * Merges the first `left` keys and the others up to count, stably.  Puts the keys in order or, unless positions is
 * NULL, leaves them where they are and writes the 0-based positions of those in order.
 */
extern void gpusort_keys_merge(GpusortKeyForm form, void *keys, uint32_t *positions, uint32_t left, uint32_t count,
							   bool descending);

#endif							/* GPUSORT_KEY_MERGE_H */
