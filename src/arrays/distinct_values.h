/*
 * distinct_values.h
 *	  The different values of a set, found by hashing instead of sorting.
 *
 * For types whose values are equal only if their bytes are.  No order is made.
 */
#ifndef GPUSORT_DISTINCT_VALUES_H
#define GPUSORT_DISTINCT_VALUES_H

#include "arrays/stored_values.h"

/* True if the type's values are equal in the collation only if their bytes are. */
extern bool gpusort_distinct_by_bytes(const ElementType *element, Oid collation);

/*
 * Returns how many different values there are.  Unless kept is NULL, writes each of them
 * there once, in the order they come first, and their bytes to kept_bytes.  kept may be
 * the values' own data.  Takes 8 to 32 bytes of memory per different value and checks for
 * interrupts.
 */
extern uint32 gpusort_distinct_values(const StoredValues *values, char *kept, Size *kept_bytes);

#endif							/* GPUSORT_DISTINCT_VALUES_H */
