/*
 * top_store.c
 *	  See top_store.h.
 *
 * The first n are cut when four times as many have been collected, so the cost of cutting
 * per row does not grow with the number of rows.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "functions/array_functions.h"
#include "functions/top_store.h"
#include "keys/key_compare.h"

/* The first n are cut at this many values, or at TOP_N_BYTES bytes if these come first. */
#define TOP_N_VALUES(n, least) Min(Max(4 * (int64) (n), (least)), ((int64) (n) + MaxArraySize) / 2)
#define TOP_N_LEAST 4096
#define TOP_N_BY_LEAST 64		/* fewer, because after a cut most rows are turned away at once */
#define TOP_N_BYTES ((Size) 16 * 1024 * 1024)

/* The code that a key has in the state's order, where the first key has the least, from its code in ascending order. */
static uint64
code_in_order(const AggregateState *state, uint64 code)
{
	return state->order.descending ? ~code : code;
}

/* Remembers the last of the first n keys, if later keys can be turned away by it. */
static void
remember_bound(FunctionCallInfo fcinfo, AggregateState *state)
{
	const Collector *keys = &state->keys;
	const ElementType *element = gpusort_element_type(fcinfo, SECOND_ARRAY, keys->type);

	state->bounded = element->is_key && keys->bitmap == NULL && keys->count > 0 && keys->count == state->order.limit;
	if (state->bounded)
		state->bound = code_in_order(state, gpusort_key_code(element->form, keys->data + keys->bytes - element->stride, 0));
}

static void
cut_top_n_by(FunctionCallInfo fcinfo, AggregateState *state)
{
	ArrayType  *values;
	ArrayType  *keys;

	values = gpusort_array_in_order_of(fcinfo, gpusort_collector_array(&state->values), gpusort_collector_array(&state->keys),
									   &state->order, &keys);
	gpusort_collector_refill(&state->values, state->context, values);
	gpusort_collector_refill(&state->keys, state->context, keys);
	state->cut_bytes = gpusort_next_cut(state->values.bytes + state->keys.bytes, 2, TOP_N_BYTES);
	remember_bound(fcinfo, state);
}

void
gpusort_top_cut(FunctionCallInfo fcinfo, AggregateState *state)
{
	Collector  *values = &state->values;

	if (state->kind == SET_TOP_N_BY)
	{
		cut_top_n_by(fcinfo, state);
		return;
	}
	gpusort_collector_refill(values, state->context,
							 gpusort_top_of_array(fcinfo, gpusort_collector_array(values), &state->order));
	state->cut_bytes = gpusort_next_cut(values->bytes, 2, TOP_N_BYTES);
}

void
gpusort_top_limit(FunctionCallInfo fcinfo, AggregateState *state)
{
	int64		least = state->kind == SET_TOP_N ? TOP_N_LEAST : TOP_N_BY_LEAST;

	/* This many values are collected, or more than n with many bytes. */
	if (state->values.count >= TOP_N_VALUES(state->order.limit, least) ||
		(state->values.bytes + state->keys.bytes >= Max(state->cut_bytes, TOP_N_BYTES) &&
		 state->values.count > state->order.limit))
		gpusort_top_cut(fcinfo, state);
}

bool
gpusort_top_key_may_enter(FunctionCallInfo fcinfo, const AggregateState *state, Datum key, bool isnull)
{
	const ElementType *element;

	if (!state->bounded)
		return true;
	if (isnull)
		return state->order.nulls_first;
	element = gpusort_element_type(fcinfo, SECOND_ARRAY, state->keys.type);
	return code_in_order(state, gpusort_element_code(element, key)) < state->bound;
}
