/*
 * window_values.h
 *	  median, percentile_cont_agg, percentile_disc_agg, mode_agg and count_distinct over window frames.
 *
 * A WindowAgg that goes from frame to frame adds the rows that enter, by the transition function, and takes out those
 * that leave, by the inverse transition function (PostgreSQL's moving-aggregate mode).  A result for each row would
 * then search all values of the frame again.  So the values of a state are put into a set in order, which is found to
 * be worth it when a row leaves, or when searches have cost as much as making the set.  A frame that has one
 * result, as a whole partition has, never pays for it.
 */
#ifndef GPUSORT_WINDOW_VALUES_H
#define GPUSORT_WINDOW_VALUES_H

#include "functions/aggregate_state.h"

/* Called before a result of a state in a window is computed. */
extern void gpusort_window_result(FunctionCallInfo fcinfo, AggregateState *state);

/* Called for each row after the first one of a percentile from which rows may be taken out. */
extern void gpusort_window_check_fraction(FunctionCallInfo fcinfo, AggregateState *state);

/* Takes the oldest of the values that equal this one out of a state.  Returns false if there is none. */
extern bool gpusort_window_take_out(FunctionCallInfo fcinfo, AggregateState *state, Datum value);

#endif							/* GPUSORT_WINDOW_VALUES_H */
