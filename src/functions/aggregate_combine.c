/*
 * aggregate_combine.c
 *	  Puts states of one aggregate together.
 *
 * Keys of several states are sorted again, although each state may be in order: merging more than two runs takes
 * longer.
 */
#include "postgres.h"

#include "functions/aggregate_call.h"
#include "functions/distinct_store.h"
#include "functions/top_store.h"

/* A copy of a state without its values, in the context. */
static AggregateState *
copy_empty(const AggregateState *state, MemoryContext context)
{
	AggregateState *copy = MemoryContextAlloc(context, sizeof(AggregateState));

	*copy = *state;
	copy->context = context;
	copy->cut_bytes = 0;
	copy->spilled = NULL;
	copy->parts = NULL;
	copy->bounded = false;
	copy->handed_over = false;
	gpusort_collector_clear(&copy->values);
	gpusort_collector_clear(&copy->keys);
	return copy;
}

/* Raises an error if two states cannot come from the same aggregate.  Options that vary from row to row may differ. */
static void
check_alike(const AggregateState *state, const AggregateState *more)
{
	if (state->kind != more->kind || state->values.type != more->values.type ||
		state->keys.type != more->keys.type || state->order.collation != more->order.collation)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("states of set aggregates of different kinds or types cannot be combined")));
}

AggregateState *
gpusort_agg_combine(FunctionCallInfo fcinfo, MemoryContext context, AggregateState *state, const AggregateState *more)
{
	if (state == NULL)
		state = copy_empty(more, context);
	check_alike(state, more);
	gpusort_collector_concat(&state->values, context, &more->values);
	if (gpusort_agg_is_by_key(state->kind) || state->keys.count == 0)
		gpusort_collector_concat(&state->keys, context, &more->keys);
	if (state->kind == SET_TOP_N || state->kind == SET_TOP_N_BY)
		gpusort_top_limit(fcinfo, state);
	else if (state->kind == SET_DISTINCT && gpusort_distinct_has_grown(state))
		gpusort_distinct_limit(fcinfo, state);
	return state;
}
