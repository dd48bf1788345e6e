/*
 * percentile_aggregates.c
 *	  percentile_cont and percentile_disc as ordered-set aggregates, and median,
 *	  percentile_cont_agg and percentile_disc_agg, which can run in parallel.
 *
 * The transition functions collect values without NULLs.  The final functions find those
 * at the ranks asked for and never change the values, so several percentiles of one set
 * share it, and the plain aggregates work over window frames.  Parallel workers send what
 * they have collected without sorting it, for the leader does not need it sorted.
 *
 * An ordered-set aggregate has its fraction when it ends.  The plain ones take it from the
 * first row and keep it in the state.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "utils/fmgrprotos.h"

#include "functions/aggregate_call.h"
#include "functions/arguments.h"
#include "functions/percentile.h"
#include "keys/numeric_key.h"

PG_FUNCTION_INFO_V1(gpusort_numeric_float8);
PG_FUNCTION_INFO_V1(gpusort_values_transition);
PG_FUNCTION_INFO_V1(gpusort_percentile_transition);
PG_FUNCTION_INFO_V1(gpusort_window_remove);
PG_FUNCTION_INFO_V1(gpusort_percentile_cont_final);
PG_FUNCTION_INFO_V1(gpusort_percentile_disc_final);
PG_FUNCTION_INFO_V1(gpusort_percentile_cont_agg_final);
PG_FUNCTION_INFO_V1(gpusort_percentile_disc_agg_final);

/* numeric_float8(numeric): PostgreSQL's, which converts by way of a text. */
Datum
gpusort_numeric_float8(PG_FUNCTION_ARGS)
{
	const struct varlena *number = PG_GETARG_VARLENA_PP(0);
	float8		value;

	if (gpusort_numeric_to_float8((const uint8 *) VARDATA_ANY(number), VARSIZE_ANY_EXHDR(number), &value))
		PG_RETURN_FLOAT8(value);
	return numeric_float8(fcinfo);
}

/* values_transition(internal, value) */
Datum
gpusort_values_transition(PG_FUNCTION_ARGS)
{
	AggregateState *state;

	(void) gpusort_agg_is_first(fcinfo, SET_VALUES, &state);
	do
		gpusort_agg_append_value(fcinfo, state);
	while (gpusort_agg_goes_on(fcinfo, state));
	PG_RETURN_POINTER(state);
}

/* percentile_transition(internal, value, fraction or fractions) */
Datum
gpusort_percentile_transition(PG_FUNCTION_ARGS)
{
	AggregateState *state;

	if (gpusort_agg_is_first(fcinfo, SET_PERCENTILE, &state))
	{
		gpusort_agg_collect(fcinfo, &state->keys, SECOND_ARRAY, 2);
		gpusort_agg_append(fcinfo, state, &state->keys, 2);
	}
	else if (unlikely(state->rows_leave))
		gpusort_window_check_fraction(fcinfo, state);
	do
		gpusort_agg_append_value(fcinfo, state);
	while (gpusort_agg_goes_on(fcinfo, state));
	PG_RETURN_POINTER(state);
}

/*
 * window_remove(internal, value [, fraction or fractions]): takes the oldest row out of the state of an aggregate of
 * window_values.h.  Returns NULL where the frame has to be collected anew: where the fraction is not the same in all
 * rows, for that of its first row counts.
 */
Datum
gpusort_window_remove(PG_FUNCTION_ARGS)
{
	AggregateState *state = gpusort_agg_get(fcinfo, 0);

	(void) gpusort_agg_context(fcinfo);
	if (state == NULL || state->fractions_differ)
		PG_RETURN_NULL();
	if (!state->rows_leave)
		gpusort_agg_refuse();
	if (!PG_ARGISNULL(1) && !gpusort_window_take_out(fcinfo, state, PG_GETARG_DATUM(1)))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

/* The type of a percentile, or of an array of them.  Raises an error for values of a type without it. */
static Oid
percentile_type(const ElementType *element, PercentileKind kind, bool is_array)
{
	if (kind == PERCENTILE_DISCRETE)
		return is_array ? element->array_type : element->oid;
	if (element->oid == FLOAT8OID)
		return is_array ? FLOAT8ARRAYOID : FLOAT8OID;
	if (element->oid == NUMERICOID && !is_array)
		return NUMERICOID;
	if (element->oid == INTERVALOID)
		return is_array ? INTERVALARRAYOID : INTERVALOID;
	gpusort_agg_refuse();
}

/* Returns the percentiles of a state.  A state without values gives NULL. */
static Datum
percentiles_of_values(FunctionCallInfo fcinfo, const AggregateState *state, PercentileKind kind, const Fractions *fractions)
{
	ValueStore	store;

	if (gpusort_agg_is_empty(state))
		PG_RETURN_NULL();
	store = gpusort_agg_values(fcinfo, state);
	gpusort_agg_check_result(fcinfo, state, percentile_type(store.values.element, kind, fractions->array != NULL));
	return gpusort_return_percentiles(fcinfo, &store, kind, fractions);
}

/*
 * The final function of an ordered-set aggregate, whose fraction is argument 1, or of median, which has none.  As in
 * PostgreSQL, one fraction is checked even of an empty set, an array of them is not.
 */
static Datum
percentile_within_group(FunctionCallInfo fcinfo, PercentileKind kind)
{
	const AggregateState *state = gpusort_agg_get_final(fcinfo, SET_VALUES);
	bool		has_fraction = PG_NARGS() > 2;
	Fractions	fractions;

	if (has_fraction && (PG_ARGISNULL(1) ||
						 (gpusort_argument_type(fcinfo, 1) == FLOAT8ARRAYOID && gpusort_agg_is_empty(state))))
		PG_RETURN_NULL();
	gpusort_percentile_fractions(fcinfo, has_fraction, &fractions);
	return percentiles_of_values(fcinfo, state, kind, &fractions);
}

/* percentile_cont_final(internal [, fraction or fractions], value) */
Datum
gpusort_percentile_cont_final(PG_FUNCTION_ARGS)
{
	return percentile_within_group(fcinfo, PERCENTILE_CONTINUOUS);
}

/* percentile_disc_final(internal, fraction or fractions, value) */
Datum
gpusort_percentile_disc_final(PG_FUNCTION_ARGS)
{
	return percentile_within_group(fcinfo, PERCENTILE_DISCRETE);
}

/* The final function of a plain aggregate, whose fraction is in the state. */
static Datum
percentile_of_state(FunctionCallInfo fcinfo, PercentileKind kind)
{
	const AggregateState *state = gpusort_agg_get_final(fcinfo, SET_PERCENTILE);
	Fractions	fractions;
	bool		is_array;

	if (state == NULL || state->keys.bitmap != NULL)
		PG_RETURN_NULL();
	is_array = state->keys.type == FLOAT8ARRAYOID;
	gpusort_fractions_read(&fractions, fetch_att(state->keys.data, state->keys.by_value, state->keys.length), is_array);
	gpusort_fractions_check(&fractions, "The value comes first, then the fraction.");
	return percentiles_of_values(fcinfo, state, kind, &fractions);
}

/* percentile_cont_agg_final(internal, value, fraction or fractions) */
Datum
gpusort_percentile_cont_agg_final(PG_FUNCTION_ARGS)
{
	return percentile_of_state(fcinfo, PERCENTILE_CONTINUOUS);
}

/* percentile_disc_agg_final(internal, value, fraction or fractions) */
Datum
gpusort_percentile_disc_agg_final(PG_FUNCTION_ARGS)
{
	return percentile_of_state(fcinfo, PERCENTILE_DISCRETE);
}
