/*
 * aggregate_combine.h
 *	  Puts states of one aggregate together.
 *
 * A combined state remembers where the values of each part end, if they were sorted.  The
 * result is then made by merging these runs, not by sorting.
 */
#ifndef GPUSORT_AGGREGATE_COMBINE_H
#define GPUSORT_AGGREGATE_COMBINE_H

#include "functions/aggregate_state.h"

/* The values that decide the order: the keys if each value has one, else the values themselves. */
extern const Collector *gpusort_agg_deciding(const SetState *state);

/*
 * Adds the values of `more` to a state, and returns that.  If it is NULL, a new one is made
 * in the context.  Raises an error if the two cannot come from the same aggregate.
 */
extern SetState *gpusort_agg_combine(FunctionCallInfo fcinfo, MemoryContext context, SetState *state, const SetState *more);

#endif							/* GPUSORT_AGGREGATE_COMBINE_H */
