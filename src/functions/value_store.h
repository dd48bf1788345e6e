/*
 * value_store.h
 *	  The values of a set, which has no NULLs, in memory or in a sort: those at given ranks, the most frequent
 *	  one, and how many are different.
 *
 * In memory values lie as an array stores them, one behind the other, and are not changed.
 *
 * Percentiles, mode and count(DISTINCT) of PostgreSQL keep no more than work_mem of a group
 * in memory, and those of the extension do the same where groups come one after the other.
 * A state collects values until they exceed work_mem, with the memory for sorting them.
 * Then all values, and those that follow, go to a sort of rows of one column, which spills.  Where only
 * their number is asked for most types go to parts by a hash instead, see distinct_store.h.
 *
 * Where the node below the Agg has sorted the values, alone or in parallel workers, it offers them as one sort
 * (rows/offers.h), and returns a row of NULLs in their place.
 *
 * In a hash table of groups, in a window and in a parallel plan states stay in memory, as
 * those of array_agg do: there all groups have to be at hand.  So do states that an aggregate
 * of another extension collects, for they become bytes.
 */
#ifndef GPUSORT_VALUE_STORE_H
#define GPUSORT_VALUE_STORE_H

#include "arrays/array_order.h"
#include "arrays/distinct_values.h"
#include "functions/aggregate_state.h"

typedef struct ValueStore
{
	StoredValues values;		/* in memory; if they are not there, only the type counts */
	ArrayOrder	order;
	ValueSort  *sort;			/* all values, or NULL if they are in memory */
	const OrderedValues *ordered;	/* all values, or NULL */
} ValueStore;

/* The values of a state. */
extern ValueStore gpusort_agg_values(FunctionCallInfo fcinfo, const AggregateState *state);

/* The values of a one-dimensional array. */
extern ValueStore gpusort_array_values(FunctionCallInfo fcinfo, ArrayType *array, Oid collation);

/* How many values there are. */
extern uint64 gpusort_values_count(const ValueStore *store);

/*
 * Writes the values at nranks ranks of the order to found.  Ranks count from 0 and ascend.
 * If ranks are few, keys are found without sorting all of them.  A result that is passed by reference
 * points to one of the values in memory, or to new memory.
 */
extern void gpusort_values_at_ranks(const ValueStore *store, const uint64 *ranks, uint32 nranks, Datum *found);

/* A copy of the most frequent value, and of several the first in order.  There must be a value. */
extern Datum gpusort_values_mode(const ValueStore *store);

/* How many different values there are. */
extern int64 gpusort_values_count_distinct(const ValueStore *store);

/*
 * Keeps each value once, in any order, in its data, and returns how many there are.  Sets *bytes to what they take.
 * For keys, and where gpusort_keys_can_hash.
 */
extern uint32 gpusort_values_make_distinct(const StoredValues *values, char *data, Size *bytes);

/* Sets how much memory a new state may take before its values go to a file. */
extern void gpusort_agg_limit_memory(FunctionCallInfo fcinfo, AggregateState *state);

/* True if a state's values, with the memory for sorting them, exceed 1/share of what it may take. */
static inline bool
gpusort_agg_exceeds(const AggregateState *state, uint32 share)
{
	return state->spill_bytes > 0 &&
		state->values.bytes + state->values.count * state->work_bytes > state->spill_bytes / share;
}

/* Moves the values of a state to a sort, which is freed at the end of the group. */
extern void gpusort_agg_spill(FunctionCallInfo fcinfo, AggregateState *state);

/* Appends a value that is not NULL. */
extern void gpusort_spilled_append(ValueSort *sort, Datum value);

#endif							/* GPUSORT_VALUE_STORE_H */
