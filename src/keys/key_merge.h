/*
 * key_merge.h
 *	  Merges sorted runs of keys.
 */
#ifndef GPUSORT_KEY_MERGE_H
#define GPUSORT_KEY_MERGE_H

#include "keys/key_encoding.h"

/*
 * Merges runs that lie behind each other, run i up to key ends[i], in place and
 * stably.  positions, if not NULL, gets the former 0-based position of each key.
 */
extern void gpusort_keys_merge(GpusortKeyForm form, void *keys, uint32_t *positions,
							   const uint32_t *ends, uint32_t nruns, bool descending);

/*
 * Merges two runs of positions, the first of left of them, stably and in place.  Each
 * run is in the order of the keys that its positions name; the second's count from
 * key left on.  The keys stay as they are.
 */
extern void gpusort_positions_merge(GpusortKeyForm form, const void *keys, uint32_t *positions,
									uint32_t left, uint32_t count, bool descending);

#endif							/* GPUSORT_KEY_MERGE_H */
