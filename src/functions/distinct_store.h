/*
 * distinct_store.h
 *	  States that keep each value once, and count the different ones.
 *
 * Values are collected until there are many, and then cut to one of each: at four times the bytes that the last cut left,
 * at eight times if that found hardly any value twice, or when their memory is used up.  If no value comes twice, all
 * earlier cuts together read a seventh of the values that the last one reads.
 *
 * If a cut leaves more than half of the memory in use, the values go to parts of a file by a hash (distinct_parts.h), or to a
 * sort if they cannot be hashed (value_store.h).
 */
#ifndef GPUSORT_DISTINCT_STORE_H
#define GPUSORT_DISTINCT_STORE_H

#include "functions/aggregate_state.h"
#include "functions/distinct_parts.h"
#include "functions/value_store.h"

/* Cuts a state, whatever it holds. */
extern void gpusort_distinct_cut(FunctionCallInfo fcinfo, AggregateState *state);

/* Cuts the values of a state that have grown, and moves what is left of them to parts or a sort if that is too much. */
extern void gpusort_distinct_limit(FunctionCallInfo fcinfo, AggregateState *state);

/* True if values in memory are to be limited. */
static inline bool
gpusort_distinct_has_grown(const AggregateState *state)
{
	return state->values.bytes >= Max(state->cut_bytes, GPUSORT_DISTINCT_BYTES) || gpusort_agg_exceeds(state, 1);
}

/* Appends a value that is not NULL. */
static inline void
gpusort_distinct_append(FunctionCallInfo fcinfo, AggregateState *state, Datum value)
{
	if (unlikely(state->spilled != NULL))
		gpusort_spilled_append(state->spilled, value);
	else
	{
		gpusort_collector_append(&state->values, state->context, value, false);
		if (unlikely(gpusort_distinct_has_grown(state)))
			gpusort_distinct_limit(fcinfo, state);
	}
}

/* How many different values a state has, wherever they are. */
extern int64 gpusort_distinct_count(FunctionCallInfo fcinfo, const AggregateState *state);

#endif							/* GPUSORT_DISTINCT_STORE_H */
