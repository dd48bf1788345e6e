/*
 * value_aggregates.c
 *	  Aggregates whose result is not an array of their input: mode, mode_agg,
 *	  count_distinct and histogram_agg.
 *
 * NULLs are left out.  The final functions never change the values of a state.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "functions/aggregate_call.h"
#include "functions/distinct_store.h"
#include "keys/intervals.h"
#include "keys/key_forms.h"
#include "large_memory.h"

PG_FUNCTION_INFO_V1(gpusort_count_distinct_transition);
PG_FUNCTION_INFO_V1(gpusort_histogram_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_mode_final);
PG_FUNCTION_INFO_V1(gpusort_count_distinct_final);
PG_FUNCTION_INFO_V1(gpusort_histogram_agg_final);

/* count_distinct_transition(internal, value) */
Datum
gpusort_count_distinct_transition(PG_FUNCTION_ARGS)
{
	AggregateState *state;

	(void) gpusort_agg_is_first(fcinfo, SET_DISTINCT, &state);
	do
	{
		if (unlikely(state->rows_leave || state->ordered != NULL))
			gpusort_agg_append_value(fcinfo, state);
		else if (!PG_ARGISNULL(1))
			gpusort_distinct_append(fcinfo, state, PG_GETARG_DATUM(1));
	} while (gpusort_agg_goes_on(fcinfo, state));
	PG_RETURN_POINTER(state);
}

/* histogram_agg_transition(internal, value, buckets) */
Datum
gpusort_histogram_agg_transition(PG_FUNCTION_ARGS)
{
	AggregateState *state;

	if (gpusort_agg_is_first(fcinfo, SET_HISTOGRAM, &state))
		gpusort_agg_take_buckets(fcinfo, state);
	if (!PG_ARGISNULL(1))
		gpusort_agg_append(fcinfo, state, &state->values, 1);
	PG_RETURN_POINTER(state);
}

/* mode_final(internal [, value]) */
Datum
gpusort_mode_final(PG_FUNCTION_ARGS)
{
	const AggregateState *state = gpusort_agg_get_final(fcinfo, SET_VALUES);
	ValueStore	store;

	if (gpusort_agg_is_empty(state))
		PG_RETURN_NULL();
	store = gpusort_agg_values(fcinfo, state);
	gpusort_agg_check_result(fcinfo, state, store.values.element->oid);
	return gpusort_values_mode(&store);
}

/* count_distinct_final(internal, value): 0 if there are no values, as count gives. */
Datum
gpusort_count_distinct_final(PG_FUNCTION_ARGS)
{
	const AggregateState *state = gpusort_agg_get_final(fcinfo, SET_DISTINCT);

	PG_RETURN_INT64(state == NULL ? 0 : gpusort_distinct_count(fcinfo, state));
}

/* Counts keys by interval: two passes, one for the range, one to count. */
static pg_attribute_always_inline void
count_intervals(GpusortKeyForm form, const StoredValues *values, uint32 buckets, int64 *counts)
{
	const int	width = gpusort_key_width(form);
	ValueRange	range = gpusort_range_of_none(form);
	Intervals	intervals;

	range.form = form;
	for (uint32 i = 0; i < values->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		gpusort_range_widen(&range, fetch_att(values->data + (Size) i * width, true, width));
	}
	intervals = gpusort_intervals_make(&range, buckets, false);
	intervals.form = form;
	for (uint32 i = 0; i < values->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		counts[gpusort_interval_of(&intervals, fetch_att(values->data + (Size) i * width, true, width))]++;
	}
}

/* histogram_agg_final(internal, value, buckets): how many values each interval has. */
Datum
gpusort_histogram_agg_final(PG_FUNCTION_ARGS)
{
	const AggregateState *state = gpusort_agg_get_final(fcinfo, SET_HISTOGRAM);
	StoredValues values;
	ArrayType  *result;
	Size		bytes;

	if (gpusort_agg_is_empty(state))
		PG_RETURN_NULL();
	values = gpusort_agg_values(fcinfo, state).values;
	bytes = (Size) state->order.buckets * sizeof(int64);
	result = gpusort_array_allocate(INT8OID, state->order.buckets, false, bytes, 1);
	memset(ARR_DATA_PTR(result), 0, bytes);
	GPUSORT_WITH_CONSTANT_FORM(values.element->form, count_intervals, &values, state->order.buckets,
							   (int64 *) ARR_DATA_PTR(result));
	PG_RETURN_ARRAYTYPE_P(result);
}
