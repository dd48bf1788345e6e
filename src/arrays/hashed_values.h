/*
 * hashed_values.h
 *	  The hashes of many values, in parts by their leading bits: how many values differ is
 *	  then counted part by part, in tables that fit a processor's cache.
 *
 *	  create --> add ... --> count --> free
 *
 * Values stand behind each other as an array stores them, and are added as they come, while
 * they are in a cache themselves.  Used where gpusort_keys_can_hash.  Checks for
 * interrupts.
 */
#ifndef GPUSORT_HASHED_VALUES_H
#define GPUSORT_HASHED_VALUES_H

#include "arrays/stored_values.h"

typedef struct HashedValues HashedValues;

/*
 * For about so many values, in the current memory context.  More can be added, but their parts fit caches less well.
 * Takes 8 bytes of memory per value, and up to 4096 per part, of which there is one for 4096 values, or more values.
 */
extern HashedValues *gpusort_hashed_create(uint32 expected);

/* Adds those of the values that were not added before.  These stand before them, in the same order. */
extern void gpusort_hashed_add(HashedValues *hashed, const StoredValues *values);

/* How many of the values that were added are different. */
extern uint32 gpusort_hashed_count(const HashedValues *hashed, const StoredValues *values);

/* About how many, from a few parts. */
extern uint32 gpusort_hashed_estimate(const HashedValues *hashed, const StoredValues *values);

extern void gpusort_hashed_free(HashedValues *hashed);

#endif							/* GPUSORT_HASHED_VALUES_H */
