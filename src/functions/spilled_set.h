/*
 * spilled_set.h
 *	  The values of a group beyond work_mem: a sort of rows of one column.
 *
 * Percentiles, mode and count(DISTINCT) of PostgreSQL keep no more than work_mem of a group
 * in memory, and those of the extension do the same where groups come one after the other.
 * A state collects values until they exceed work_mem, with the memory for sorting them.
 * Then all values, and those that follow, go to a sort of rows, which spills.  Where only
 * their number is asked for most types go to parts by a hash instead, see distinct_store.h.
 *
 * In a hash table of groups, in a window and in a parallel plan states stay in memory, as
 * those of array_agg do: there all groups have to be at hand.  So do states that an aggregate
 * of another extension collects, for they become bytes.
 */
#ifndef GPUSORT_SPILLED_SET_H
#define GPUSORT_SPILLED_SET_H

#include "functions/set_state.h"

/* Sets how much memory a new state may take before its values go to a file. */
extern void gpusort_set_limit_memory(FunctionCallInfo fcinfo, SetState *state);

/* True if a state's values, with the memory for sorting them, exceed 1/share of what it may take. */
static inline bool
gpusort_set_exceeds(const SetState *state, uint32 share)
{
	return state->spill_bytes > 0 &&
		state->values.bytes + state->values.count * state->work_bytes > state->spill_bytes / share;
}

/* Moves the values of a state, which has no NULLs, to a sort, which is freed at the end of the group. */
extern void gpusort_set_spill(FunctionCallInfo fcinfo, SetState *state);

/* Appends a value that is not NULL. */
extern void gpusort_spilled_append(SpilledSet *set, Datum value);

/* How many values there are. */
extern uint64 gpusort_spilled_count(const SpilledSet *set);

/* The same as gpusort_values_at_ranks, gpusort_values_mode and gpusort_values_count_distinct for values in memory. */
extern void gpusort_spilled_at_ranks(SpilledSet *set, const uint64 *ranks, uint32 nranks, Datum *found);
extern Datum gpusort_spilled_mode(SpilledSet *set, ElementType *element);
extern int64 gpusort_spilled_count_distinct(SpilledSet *set, ElementType *element);

#endif							/* GPUSORT_SPILLED_SET_H */
