/*
 * top_store.c
 *	  See top_store.h.
 *
 * The first n are cut when four times as many have been collected, so the cost of cutting
 * per row does not grow with the number of rows.  After a cut most rows are turned away at once.
 */
#include "postgres.h"


#include "functions/aggregate_call.h"
#include "functions/top_store.h"
#include "keys/key_compare.h"

/* The first n are cut at this many values, or at TOP_N_BYTES bytes if these come first. */
#define TOP_N_VALUES(n) Min(Max(4 * (int64) (n), 1024), ((int64) (n) + MaxArraySize) / 2)
#define TOP_N_BYTES ((Size) 16 * 1024 * 1024)

/* The code that a key has in the state's order, where the first key has the least, from its code in ascending order. */
static uint64
code_in_order(const AggregateState *state, uint64 code)
{
	return state->order.descending ? ~code : code;
}

/* Remembers the last of the first n, if later ones can be turned away by it. */
static void
remember_bound(FunctionCallInfo fcinfo, AggregateState *state)
{
	ElementType *element;
	const Collector *keys = gpusort_agg_deciding(fcinfo, state, &element);

	state->bounded = element->is_key && keys->bitmap == NULL && keys->count > 0 && keys->count == state->order.limit;
	if (state->bounded)
		state->bound = code_in_order(state, gpusort_key_code(element->form, keys->data + keys->bytes - element->stride, 0));
}

void
gpusort_top_cut(FunctionCallInfo fcinfo, AggregateState *state)
{
	gpusort_agg_order(fcinfo, state);
	state->cut_bytes = gpusort_next_cut(state->values.bytes + state->keys.bytes, 2, TOP_N_BYTES);
	remember_bound(fcinfo, state);
}

void
gpusort_top_limit(FunctionCallInfo fcinfo, AggregateState *state)
{
	/* This many values are collected, or more than n with many bytes. */
	if (state->values.count >= TOP_N_VALUES(state->order.limit) ||
		(state->values.bytes + state->keys.bytes >= Max(state->cut_bytes, TOP_N_BYTES) &&
		 state->values.count > state->order.limit))
		gpusort_top_cut(fcinfo, state);
}

bool
gpusort_top_may_enter(FunctionCallInfo fcinfo, const AggregateState *state, Datum value, bool isnull)
{
	ElementType *element;
	uint64		code;

	if (!state->bounded)
		return true;
	if (isnull)
		return state->order.nulls_first;
	gpusort_agg_deciding(fcinfo, state, &element);
	code = code_in_order(state, gpusort_element_code(element, value));
	/* Values that are equal, but not the same, as 0 and -0, are sorted by their bits. */
	return code < state->bound || (code == state->bound && !gpusort_agg_is_by_key(state->kind));
}
