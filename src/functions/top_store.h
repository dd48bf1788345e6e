/*
 * top_store.h
 *	  States that keep the first n values.
 *
 * Values are collected until there are many of them, or many bytes, and then cut.
 */
#ifndef GPUSORT_TOP_STORE_H
#define GPUSORT_TOP_STORE_H

#include "functions/aggregate_state.h"

/* Cuts a state, whatever it holds. */
extern void gpusort_top_cut(FunctionCallInfo fcinfo, AggregateState *state);

/* Cuts a state that has grown enough since the last time. */
extern void gpusort_top_limit(FunctionCallInfo fcinfo, AggregateState *state);

/* False if a row cannot be among the first n, by the value or key that decides the order. */
extern bool gpusort_top_may_enter(FunctionCallInfo fcinfo, const AggregateState *state, Datum value, bool isnull);

#endif							/* GPUSORT_TOP_STORE_H */
