/*
 * stored_values.h
 *	  What a set of values has at given ranks, which of them is the most frequent, and
 *	  how many are different.
 *
 * The values lie as an array stores them, one behind the other, with no NULL among them.
 * They are not changed.  A result that is passed by reference points to one of them, or to
 * new memory.
 */
#ifndef GPUSORT_STORED_VALUES_H
#define GPUSORT_STORED_VALUES_H

#include "arrays/array_order.h"

typedef struct StoredValues
{
	ElementType *element;
	const char *data;
	uint32		count;
} StoredValues;

/*
 * Writes the values at nranks ranks of the order to found.  Ranks count from 0 and ascend.
 * If ranks are few, keys are found without sorting all of them.
 */
extern void gpusort_values_at_ranks(const StoredValues *values, const ArrayOrder *order,
									const uint64 *ranks, uint32 nranks, Datum *found);

/* The most frequent value, and of several the first in order.  There must be a value. */
extern Datum gpusort_values_mode(const StoredValues *values, const ArrayOrder *order);

/*
 * Keeps each value once, in any order, in its data, and returns how many there are.  Sets *bytes to what they take.
 * For keys, and where gpusort_keys_can_hash.
 */
extern uint32 gpusort_values_make_distinct(const StoredValues *values, char *data, Size *bytes);

/* How many different values there are. */
extern uint32 gpusort_values_count_distinct(const StoredValues *values, const ArrayOrder *order);

#endif							/* GPUSORT_STORED_VALUES_H */
