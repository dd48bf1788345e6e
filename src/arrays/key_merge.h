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

#endif							/* GPUSORT_KEY_MERGE_H */
