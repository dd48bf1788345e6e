/*
 * hashed_values.h
 *	  How many values are different, by their hashes: these are put in parts by their leading
 *	  bits, and each part is counted in a table that fits a processor's cache.
 *
 * Used where gpusort_keys_can_hash.
 */
#ifndef GPUSORT_HASHED_VALUES_H
#define GPUSORT_HASHED_VALUES_H

#include "arrays/value_table.h"

/*
 * Returns how many of many values are different.  Takes 8 bytes of memory per value, and up to 4096 per part, of
 * which there is one for 4096 values, or more values.  Checks for interrupts.
 */
extern uint32 gpusort_hashed_count(const StoredValues *values);

#endif							/* GPUSORT_HASHED_VALUES_H */
