/*
 * sorted_set_functions.c
 *	  sorted_set_agg, merge and merge_agg make sets; sorted_array and the others ask
 *	  them, and sets are compared.
 *
 * A set is sorted, so two sets are put together by merging.  sorted_set_agg collects rows as
 * sorted_agg does.
 *
 * Where the result has the type of the elements, an argument declares that type: it is not
 * known before the set is read.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "functions/aggregate_call.h"
#include "functions/arguments.h"
#include "functions/percentile.h"
#include "functions/sorted_set.h"

PG_FUNCTION_INFO_V1(gpusort_merge_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_sorted_set_final);
PG_FUNCTION_INFO_V1(gpusort_merge);
PG_FUNCTION_INFO_V1(gpusort_sorted_array);
PG_FUNCTION_INFO_V1(gpusort_sorted_set_cmp);
PG_FUNCTION_INFO_V1(gpusort_sorted_set_count);
PG_FUNCTION_INFO_V1(gpusort_sorted_set_count_distinct);
PG_FUNCTION_INFO_V1(gpusort_sorted_set_percentile_cont);
PG_FUNCTION_INFO_V1(gpusort_sorted_set_percentile_disc);

/* Raises an error unless two sets hold values of one type in one order. */
static void
check_same_order(const AggregateState *a, const AggregateState *b)
{
	if (a->values.type != b->values.type)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("sorted sets of types %s and %s cannot be merged",
						format_type_be(a->values.type), format_type_be(b->values.type)),
				 errhint("Cast the values to one type before they are aggregated.")));
	if (a->order.descending != b->order.descending || a->order.nulls_first != b->order.nulls_first ||
		a->order.collation != b->order.collation)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("sorted sets in different orders cannot be merged"),
				 errhint("Make all sets with the same collation, direction and place of NULLs.")));
}

/* How many keys a collector holds; 0 if its values are of no fixed length. */
static uint32
keys_in(const Collector *values)
{
	return values->length < 0 ? 0 : values->bytes / att_align_nominal(values->length, values->alignment);
}

/* merge_agg_transition(internal, sorted_set) */
Datum
gpusort_merge_agg_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpusort_agg_context(fcinfo);
	AggregateState *state = gpusort_agg_get_kind(fcinfo, SET_SORTED);
	AggregateState *more;

	if (PG_ARGISNULL(1))
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	more = gpusort_sorted_set_read(fcinfo, 1);
	more->order.use = USED_FOR_AGGREGATES;
	if (state != NULL)
		check_same_order(state, more);
	PG_RETURN_POINTER(gpusort_agg_combine(fcinfo, context, state, more));
}

/* sorted_set_final(internal) */
Datum
gpusort_sorted_set_final(PG_FUNCTION_ARGS)
{
	const AggregateState *state = gpusort_agg_get_final(fcinfo, SET_SORTED);

	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(gpusort_sorted_set_make(fcinfo, gpusort_collector_array(&state->values), &state->order));
}

/* merge(sorted_set, sorted_set): two runs of keys are merged. */
Datum
gpusort_merge(PG_FUNCTION_ARGS)
{
	const AggregateState *a = gpusort_sorted_set_read(fcinfo, 0);
	const AggregateState *b = gpusort_sorted_set_read(fcinfo, 1);
	ArrayOrder	order = a->order;
	AggregateState *both;

	check_same_order(a, b);
	both = gpusort_agg_combine(fcinfo, CurrentMemoryContext, NULL, a);
	order.second_run = keys_in(&both->values);
	both = gpusort_agg_combine(fcinfo, CurrentMemoryContext, both, b);
	if (order.second_run == 0)
		order.second_run = keys_in(&both->values);
	PG_RETURN_BYTEA_P(gpusort_sorted_set_make(fcinfo, gpusort_collector_array(&both->values), &order));
}

/* sorted_array(sorted_set, element), and the casts to arrays: the values.  The type of the result says theirs. */
Datum
gpusort_sorted_array(PG_FUNCTION_ARGS)
{
	const AggregateState *state;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = gpusort_sorted_set_read(fcinfo, 0);
	gpusort_agg_check_result(fcinfo, state, get_array_type(state->values.type));
	PG_RETURN_ARRAYTYPE_P(gpusort_collector_array(&state->values));
}

/*
 * Compares sets by type and order, then their values as arrays.  Collations are compared by their names, for
 * pg_upgrade does not preserve their OIDs.
 */
static int
compare_states(const AggregateState *a, const AggregateState *b)
{
	if (a->values.type != b->values.type)
		return a->values.type < b->values.type ? -1 : 1;
	if (a->order.collation != b->order.collation)
	{
		int			result = strcmp(get_collation_name(a->order.collation), get_collation_name(b->order.collation));

		return result != 0 ? result : a->order.collation < b->order.collation ? -1 : 1;
	}
	if (a->order.descending != b->order.descending)
		return a->order.descending - b->order.descending;
	if (a->order.nulls_first != b->order.nulls_first)
		return a->order.nulls_first - b->order.nulls_first;
	return DatumGetInt32(OidFunctionCall2Coll(F_BTARRAYCMP, a->order.collation,
											  PointerGetDatum(gpusort_collector_array(&a->values)),
											  PointerGetDatum(gpusort_collector_array(&b->values))));
}

/* Compares the sets of the first two arguments.  An index or a sort compares many times, so all memory is freed. */
static int
compare_sets(FunctionCallInfo fcinfo)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpusort compared sets", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int			result = compare_states(gpusort_sorted_set_read(fcinfo, 0), gpusort_sorted_set_read(fcinfo, 1));

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return result;
}

/* sorted_set_cmp(sorted_set, sorted_set) */
Datum
gpusort_sorted_set_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_sets(fcinfo));
}

/* The comparison operators of sorted sets. */
#define SET_OPERATOR(name, operator) \
	PG_FUNCTION_INFO_V1(gpusort_sorted_set_##name); \
	Datum gpusort_sorted_set_##name(PG_FUNCTION_ARGS) \
	{ \
		PG_RETURN_BOOL(compare_sets(fcinfo) operator 0); \
	}

SET_OPERATOR(lt, <)
SET_OPERATOR(le, <=)
SET_OPERATOR(eq, ==)
SET_OPERATOR(ne, !=)
SET_OPERATOR(ge, >=)
SET_OPERATOR(gt, >)

/* The values of a set that are not NULL, to be asked in ascending order. */
static ValueStore
values_of(FunctionCallInfo fcinfo, const AggregateState *state)
{
	return gpusort_array_values(fcinfo, gpusort_collector_array(&state->values), state->order.collation);
}

/* sorted_set_count(sorted_set): NULLs included. */
Datum
gpusort_sorted_set_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(gpusort_sorted_set_read(fcinfo, 0)->values.count);
}

/* sorted_set_count_distinct(sorted_set): NULLs left out. */
Datum
gpusort_sorted_set_count_distinct(PG_FUNCTION_ARGS)
{
	ValueStore	store = values_of(fcinfo, gpusort_sorted_set_read(fcinfo, 0));

	PG_RETURN_INT64(gpusort_values_count_distinct(&store));
}

static Datum
percentiles_of_set(FunctionCallInfo fcinfo, PercentileKind kind)
{
	Fractions	fractions;
	const AggregateState *state;
	ValueStore	store;

	if (PG_ARGISNULL(0) || (PG_NARGS() > 1 && PG_ARGISNULL(1)))
		PG_RETURN_NULL();
	state = gpusort_sorted_set_read(fcinfo, 0);
	if (kind == PERCENTILE_CONTINUOUS)
		gpusort_percentile_require_number(state->values.type);
	store = values_of(fcinfo, state);
	gpusort_percentile_fractions(fcinfo, PG_NARGS() > 1, &fractions);
	if (kind == PERCENTILE_DISCRETE)
		gpusort_agg_check_result(fcinfo, state, fractions.array != NULL ? store.values.element->array_type : state->values.type);
	return gpusort_return_percentiles(fcinfo, &store, kind, &fractions);
}

/* sorted_set_percentile_cont(sorted_set [, fraction or fractions]): without one the median. */
Datum
gpusort_sorted_set_percentile_cont(PG_FUNCTION_ARGS)
{
	return percentiles_of_set(fcinfo, PERCENTILE_CONTINUOUS);
}

/* sorted_set_percentile_disc(sorted_set, fraction or fractions, element) */
Datum
gpusort_sorted_set_percentile_disc(PG_FUNCTION_ARGS)
{
	return percentiles_of_set(fcinfo, PERCENTILE_DISCRETE);
}
