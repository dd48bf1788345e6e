/*
 * aggregate_call.h
 *	  What the functions of all set aggregates share: checking how they are called,
 *	  reading arguments, and making states.
 *
 * Options, which are the arguments after the values, are read at the first row.
 */
#ifndef GPUSORT_AGGREGATE_CALL_H
#define GPUSORT_AGGREGATE_CALL_H

#include "compat.h"
#include "functions/aggregate_state.h"
#include "functions/value_store.h"
#include "functions/window_values.h"

/* The aggregate's memory context.  Raises an error outside of an aggregate. */
extern MemoryContext gpusort_agg_context(FunctionCallInfo fcinfo);

/* Raises an error unless the final function may return this type. */
extern void gpusort_agg_check_result(FunctionCallInfo fcinfo, const AggregateState *state, Oid type);

/* The state that an argument points to, or NULL.  Raises an error if it is not a state of a set aggregate. */
extern AggregateState *gpusort_agg_get(FunctionCallInfo fcinfo, int argument);

/* Raises the error for a state of another aggregate. */
pg_noreturn extern void gpusort_agg_refuse(void);

/* The state of a known kind that the first argument points to, or NULL.  Raises an error if it is another. */
static inline AggregateState *
gpusort_agg_get_kind(FunctionCallInfo fcinfo, SetKind kind)
{
	AggregateState *state = PG_ARGISNULL(0) ? NULL : (AggregateState *) PG_GETARG_POINTER(0);

	if (likely(state != NULL && state->magic == GPUSORT_AGGREGATE_STATE_MAGIC && state->kind == kind))
		return state;
	if (gpusort_agg_get(fcinfo, 0) != NULL)
		gpusort_agg_refuse();
	return NULL;
}

/* The state that a final function ends.  Raises an error outside of an aggregate. */
static inline const AggregateState *
gpusort_agg_get_final(FunctionCallInfo fcinfo, SetKind kind)
{
	AggregateState *state = gpusort_agg_get_kind(fcinfo, kind);

	(void) gpusort_agg_context(fcinfo);
	if (state != NULL && state->in_window)
		gpusort_window_result(fcinfo, state);
	return state;
}

/* A new state for the values of argument 1.  In an ordered-set aggregate it has the order of WITHIN GROUP. */
extern AggregateState *gpusort_agg_create(FunctionCallInfo fcinfo, SetKind kind);

/* Gets the state of a transition function.  Returns true at the first row, for which it is made. */
static inline bool
gpusort_agg_is_first(FunctionCallInfo fcinfo, SetKind kind, AggregateState **state)
{
	*state = gpusort_agg_get_kind(fcinfo, kind);
	if (likely(*state != NULL))
		return false;
	*state = gpusort_agg_create(fcinfo, kind);
	return true;
}

/* Moves on to the next row that the node below has read for the state.  Returns false if the executor has it. */
static inline bool
gpusort_agg_goes_on(FunctionCallInfo fcinfo, const AggregateState *state)
{
	return unlikely(state->rows != NULL) && gpusort_group_rows_next(fcinfo, state->rows);
}

/* Starts to collect an argument's values. */
extern void gpusort_agg_collect(FunctionCallInfo fcinfo, Collector *collector, CachedArgument slot, int argument);

/* Reads the number of intervals of a new state from argument 2.  Raises an error if its values have none. */
extern void gpusort_agg_take_buckets(FunctionCallInfo fcinfo, AggregateState *state);

/* Appends an argument of this row. */
static inline void
gpusort_agg_append(FunctionCallInfo fcinfo, AggregateState *state, Collector *collector, int argument)
{
	gpusort_collector_append(collector, state->context, PG_GETARG_DATUM(argument), PG_ARGISNULL(argument));
}

/* Appends the value of this row, if it is not NULL, to a state that may spill. */
static inline void
gpusort_agg_append_value(FunctionCallInfo fcinfo, AggregateState *state)
{
	if (PG_ARGISNULL(1))
		return;
	if (unlikely(state->ordered != NULL))
	{
		gpusort_ordered_add(state->ordered, PG_GETARG_DATUM(1));
		return;
	}
	if (unlikely(state->spilled != NULL))
	{
		gpusort_spilled_append(state->spilled, PG_GETARG_DATUM(1));
		return;
	}
	gpusort_collector_append(&state->values, state->context, PG_GETARG_DATUM(1), false);
	if (unlikely(gpusort_agg_exceeds(state, 1)))
		gpusort_agg_spill(fcinfo, state);
}

/* The values that decide the order: the keys if each value has one, else the values themselves.  Sets *element to their type. */
extern const Collector *gpusort_agg_deciding(FunctionCallInfo fcinfo, const AggregateState *state, ElementType **element);

/*
 * The values of a state in its order, up to its limit.  Sets *keys to the keys in that order if each value has one,
 * unless keys is NULL.
 */
extern ArrayType *gpusort_agg_in_order(FunctionCallInfo fcinfo, const AggregateState *state, ArrayType **keys);

/* Puts values and keys of a state in its order, and drops those beyond its limit. */
extern void gpusort_agg_order(FunctionCallInfo fcinfo, AggregateState *state);

/*
 * Adds the values of `more` to a state, and returns that.  If it is NULL, a new one is made
 * in the context.  Raises an error if the two cannot come from the same aggregate.
 */
extern AggregateState *gpusort_agg_combine(FunctionCallInfo fcinfo, MemoryContext context, AggregateState *state,
										   const AggregateState *more);

#endif							/* GPUSORT_AGGREGATE_CALL_H */
