/*
 * distinct_values.h
 *	  The different values of a set, found by hashing instead of sorting.
 *
 * Used where gpusort_keys_can_hash.  The values are not put
 * in order.
 */
#ifndef GPUSORT_DISTINCT_VALUES_H
#define GPUSORT_DISTINCT_VALUES_H

#include "arrays/value_table.h"

/*
 * Returns how many different values there are.  Unless kept is NULL, writes each of them
 * there once, in the order in which they first occur, and how many bytes they take to
 * kept_bytes.  kept may be the values' own data.  Takes 16 to 32 bytes of memory per
 * different value, up to 48 while the table doubles, and 4 to 8 per value that is to be kept; where
 * many are counted only, what hashed_values.h tells.  Checks for interrupts.
 */
extern uint32 gpusort_distinct_values(const StoredValues *values, char *kept, Size *kept_bytes);

#endif							/* GPUSORT_DISTINCT_VALUES_H */
