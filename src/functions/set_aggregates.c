/*
 * set_aggregates.c
 *	  Aggregates that return a sorted array of their input: sorted_agg,
 *	  sorted_agg_by, top_n_agg, top_n_agg_by and approx_sorted_agg; and what all set
 *	  aggregates do in parallel plans.
 *
 * The transition function collects values as an array stores them.  The final function
 * makes an array of them and calls the array function of the same meaning.  It never
 * changes the state, so the aggregates work over window frames too.
 *
 * Under parallel aggregation each parallel worker sends what it has collected, cut to the first n or to distinct
 * values where these are all that is needed.  The leader sorts everything: by keys that takes no longer than
 * merging what workers have sorted.  What has to be compared is sorted by workers, too.
 *
 * Arguments after the values (descending, n, ...) are taken from the first row.
 */
#include "postgres.h"

#include "fmgr.h"

#include "functions/aggregate_call.h"
#include "functions/aggregate_handover.h"
#include "functions/arguments.h"
#include "functions/distinct_store.h"
#include "functions/top_store.h"

PG_FUNCTION_INFO_V1(gpusort_sorted_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_sorted_agg_by_transition);
PG_FUNCTION_INFO_V1(gpusort_top_n_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_top_n_agg_by_transition);
PG_FUNCTION_INFO_V1(gpusort_approx_sorted_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_set_agg_combine);
PG_FUNCTION_INFO_V1(gpusort_set_agg_serialize);
PG_FUNCTION_INFO_V1(gpusort_set_agg_deserialize);
PG_FUNCTION_INFO_V1(gpusort_set_agg_final);

/* sorted_agg_transition(internal, value [, descending [, nulls_first]]) */
Datum
gpusort_sorted_agg_transition(PG_FUNCTION_ARGS)
{
	AggregateState *state;

	if (gpusort_agg_is_first(fcinfo, SET_SORTED, &state))
		gpusort_argument_direction(fcinfo, 2, &state->order);
	do
		gpusort_agg_append(fcinfo, state, &state->values, 1);
	while (gpusort_agg_goes_on(fcinfo, state));
	PG_RETURN_POINTER(state);
}

/* sorted_agg_by_transition(internal, value, key [, descending [, nulls_first]]) */
Datum
gpusort_sorted_agg_by_transition(PG_FUNCTION_ARGS)
{
	AggregateState *state;

	if (gpusort_agg_is_first(fcinfo, SET_SORTED_BY, &state))
	{
		gpusort_agg_collect(fcinfo, &state->keys, SECOND_ARRAY, 2);
		gpusort_argument_direction(fcinfo, 3, &state->order);
	}
	do
	{
		gpusort_agg_append(fcinfo, state, &state->values, 1);
		gpusort_agg_append(fcinfo, state, &state->keys, 2);
	} while (gpusort_agg_goes_on(fcinfo, state));
	PG_RETURN_POINTER(state);
}

/* top_n_agg_transition(internal, value, n [, descending [, nulls_first]]) */
Datum
gpusort_top_n_agg_transition(PG_FUNCTION_ARGS)
{
	AggregateState *state;

	if (gpusort_agg_is_first(fcinfo, SET_TOP_N, &state))
		gpusort_argument_top(fcinfo, 2, &state->order);
	if (gpusort_top_may_enter(fcinfo, state, PG_GETARG_DATUM(1), PG_ARGISNULL(1)))
	{
		gpusort_agg_append(fcinfo, state, &state->values, 1);
		gpusort_top_limit(fcinfo, state);
	}
	PG_RETURN_POINTER(state);
}

/* top_n_agg_by_transition(internal, value, key, n [, descending [, nulls_first]]) */
Datum
gpusort_top_n_agg_by_transition(PG_FUNCTION_ARGS)
{
	AggregateState *state;

	if (gpusort_agg_is_first(fcinfo, SET_TOP_N_BY, &state))
	{
		gpusort_agg_collect(fcinfo, &state->keys, SECOND_ARRAY, 2);
		gpusort_argument_top(fcinfo, 3, &state->order);
	}
	if (gpusort_top_may_enter(fcinfo, state, PG_GETARG_DATUM(2), PG_ARGISNULL(2)))
	{
		gpusort_agg_append(fcinfo, state, &state->values, 1);
		gpusort_agg_append(fcinfo, state, &state->keys, 2);
		gpusort_top_limit(fcinfo, state);
	}
	PG_RETURN_POINTER(state);
}

/* approx_sorted_agg_transition(internal, value, buckets [, descending [, nulls_first]]) */
Datum
gpusort_approx_sorted_agg_transition(PG_FUNCTION_ARGS)
{
	AggregateState *state;

	if (gpusort_agg_is_first(fcinfo, SET_APPROXIMATE, &state))
	{
		gpusort_agg_take_buckets(fcinfo, state);
		gpusort_argument_direction(fcinfo, 3, &state->order);
	}
	gpusort_agg_append(fcinfo, state, &state->values, 1);
	PG_RETURN_POINTER(state);
}

/* True if sorted values save the leader comparisons.  They do not where it sorts all values by keys. */
static bool
leader_gains(FunctionCallInfo fcinfo, const AggregateState *state)
{
	ElementType *element;
	const Collector *collector = gpusort_agg_deciding(fcinfo, state, &element);

	return !element->is_key && collector->count > 1 &&
		gpusort_element_comparator(element, state->order.collation, state->order.descending)->bytes.form == BYTES_NONE;
}

/* Cuts the values of a parallel worker to those that the result needs, or sorts them where the leader gains by it. */
static void
prepare_for_leader(FunctionCallInfo fcinfo, AggregateState *state)
{
	if (state->kind == SET_TOP_N || state->kind == SET_TOP_N_BY)
		gpusort_top_cut(fcinfo, state);
	else if (state->kind == SET_DISTINCT)
		gpusort_distinct_cut(fcinfo, state);
	else if (leader_gains(fcinfo, state))
		gpusort_agg_order(fcinfo, state);
}

/* Adds the values of the second state to the first.  A state that was handed over is prepared when there is another. */
Datum
gpusort_set_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpusort_agg_context(fcinfo);
	AggregateState *state = gpusort_agg_get(fcinfo, 0);
	AggregateState *more = gpusort_agg_get(fcinfo, 1);

	if (state == NULL && more == NULL)
		PG_RETURN_NULL();
	if (more == NULL)
		PG_RETURN_POINTER(state);
	if (state == NULL && more->handed_over)
		PG_RETURN_POINTER(more);
	if (more->handed_over)
		prepare_for_leader(fcinfo, more);
	if (state != NULL && state->handed_over)
	{
		prepare_for_leader(fcinfo, state);
		state = gpusort_agg_combine(fcinfo, context, NULL, state);
	}
	PG_RETURN_POINTER(gpusort_agg_combine(fcinfo, context, state, more));
}

/* The state of a parallel worker as bytes. */
Datum
gpusort_set_agg_serialize(PG_FUNCTION_ARGS)
{
	AggregateState *state = gpusort_agg_get(fcinfo, 0);

	gpusort_agg_context(fcinfo);
	if (gpusort_agg_stays_here(fcinfo))
		PG_RETURN_BYTEA_P(gpusort_agg_hand_over(state));
	prepare_for_leader(fcinfo, state);
	PG_RETURN_BYTEA_P(gpusort_agg_state_write(fcinfo, state, CODEC_SENT));
}

/* The state that a parallel worker sent, or that was handed over.  What was sent points into the bytes; combining copies them. */
Datum
gpusort_set_agg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	AggregateState *state;

	gpusort_agg_context(fcinfo);
	state = gpusort_agg_take_over(bytes);
	PG_RETURN_POINTER(state != NULL ? state : gpusort_agg_state_read(fcinfo, bytes, CODEC_SENT, NULL));
}

/* The array of all values, or of the first n, in the aggregate's order. */
Datum
gpusort_set_agg_final(PG_FUNCTION_ARGS)
{
	const AggregateState *state = gpusort_agg_get(fcinfo, 0);

	gpusort_agg_context(fcinfo);
	if (state == NULL)
		PG_RETURN_NULL();
	gpusort_agg_check_result(fcinfo, state, gpusort_element_type(fcinfo, FIRST_ARRAY, state->values.type)->array_type);
	if (gpusort_agg_leaves_nulls_out(state->kind))
		gpusort_agg_refuse();
	PG_RETURN_ARRAYTYPE_P(gpusort_agg_in_order(fcinfo, state, NULL));
}
