/*
 * window_values.c
 *	  See window_values.h.
 */
#include "postgres.h"

#include "utils/datum.h"

#include "functions/window_values.h"
#include "large_memory.h"

/* Searching a value costs this part of putting it in order, or less. */
#define SEARCHES_PER_VALUE 32

/* Puts the values of a state in order. */
static void
order_values(FunctionCallInfo fcinfo, AggregateState *state)
{
	ElementType *element = gpusort_element_type(fcinfo, FIRST_ARRAY, state->values.type);
	const char *next = state->values.data;

	gpusort_element_require_order(element);
	state->ordered = gpusort_ordered_create(state->context, element, state->order.collation, state->rows_leave);
	for (int64 i = 0; i < state->values.count; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		gpusort_ordered_add(state->ordered, gpusort_element_read(element, &next));
	}
	gpusort_collector_free(&state->values);
}

void
gpusort_window_result(FunctionCallInfo fcinfo, AggregateState *state)
{
	if (state->ordered != NULL)
		return;
	if (state->searched > SEARCHES_PER_VALUE * state->values.count)
		order_values(fcinfo, state);
	state->searched += state->values.count;
}

void
gpusort_window_check_fraction(FunctionCallInfo fcinfo, AggregateState *state)
{
	const Collector *fraction = &state->keys;
	bool		is_null = fraction->bitmap != NULL;

	if (PG_ARGISNULL(2) != is_null ||
		(!is_null && !datum_image_eq(PG_GETARG_DATUM(2), fetch_att(fraction->data, fraction->by_value, fraction->length),
									 fraction->by_value, fraction->length)))
		state->fractions_differ = true;
}

bool
gpusort_window_take_out(FunctionCallInfo fcinfo, AggregateState *state, Datum value)
{
	if (state->ordered == NULL)
		order_values(fcinfo, state);
	return gpusort_ordered_remove(state->ordered, value);
}
