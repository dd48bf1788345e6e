/*
 * set_cut.h
 *	  States that keep only what their result needs: the first n, or each value once.
 *
 * Values are gathered until there are many of them, or many bytes, and then cut.
 */
#ifndef GPUSORT_SET_CUT_H
#define GPUSORT_SET_CUT_H

#include "functions/set_state.h"

/* Cuts a state that has grown enough since the last time.  Does nothing for kinds that keep everything. */
extern void gpusort_set_cut(FunctionCallInfo fcinfo, SetState *state);

/* The same for a state of distinct values, to which a value has come. */
static inline void
gpusort_set_cut_distinct(FunctionCallInfo fcinfo, SetState *state)
{
	if (unlikely(state->values.bytes >= state->look_bytes))
		gpusort_set_cut(fcinfo, state);
}

/* Cuts a state of such a kind, whatever it holds. */
extern void gpusort_set_cut_now(FunctionCallInfo fcinfo, SetState *state);

/* False if a row with this key cannot be among the first n of top_n_agg_by. */
extern bool gpusort_set_key_may_enter(FunctionCallInfo fcinfo, const SetState *state, Datum key, bool isnull);

#endif							/* GPUSORT_SET_CUT_H */
