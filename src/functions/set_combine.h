/*
 * set_combine.h
 *	  Puts states of one aggregate together.
 *
 * A combined state remembers where the values of each part end, if they were sorted.  The
 * result is then made by merging these runs, not by sorting.
 */
#ifndef GPUSORT_SET_COMBINE_H
#define GPUSORT_SET_COMBINE_H

#include "functions/set_state.h"

/* The values that decide the order: the keys if each value has one, else the values themselves. */
extern const Collector *gpusort_set_deciding(const SetState *state);

/*
 * Adds the values of `more` to a state, and returns that.  If it is NULL, a new one is made
 * in the context.  Raises an error if the two cannot come from the same aggregate.
 */
extern SetState *gpusort_set_combine(FunctionCallInfo fcinfo, MemoryContext context, SetState *state, const SetState *more);

#endif							/* GPUSORT_SET_COMBINE_H */
