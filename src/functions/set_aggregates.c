/*
 * set_aggregates.c
 *	  Aggregates that return a sorted array of their input: sorted_agg,
 *	  sorted_agg_by, top_n_agg and approx_sorted_agg.
 *
 * The transition function collects values as an array stores them.  The final function
 * makes an array of them and calls the array function of the same meaning.  It never
 * changes the state, so the aggregates work over window frames too.
 *
 * Under parallel aggregation each parallel worker sorts what it has collected, cut to
 * the first n for top_n_agg.  The leader merges these runs, or sorts everything where
 * that is faster.  approx_sorted_agg needs the range of all values first, so the leader
 * does all of its sorting.
 *
 * Arguments after the values (descending, n, ...) are taken from the first row.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "functions/array_functions.h"
#include "functions/set_state.h"

/* top_n_agg cuts its values to the first n when it has gathered this many values, or this many bytes. */
#define TOP_N_VALUES(n) Min(Max(4 * (int64) (n), 4096), ((int64) (n) + MaxArraySize) / 2)
#define TOP_N_BYTES ((Size) 16 * 1024 * 1024)

PG_FUNCTION_INFO_V1(gpusort_sorted_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_sorted_agg_by_transition);
PG_FUNCTION_INFO_V1(gpusort_top_n_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_approx_sorted_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_set_agg_combine);
PG_FUNCTION_INFO_V1(gpusort_set_agg_serialize);
PG_FUNCTION_INFO_V1(gpusort_set_agg_deserialize);
PG_FUNCTION_INFO_V1(gpusort_set_agg_final);

/* The aggregate's memory context.  Raises an error outside of an aggregate. */
static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set aggregate functions cannot be called on their own")));
	return context;
}

/*
 * The type of an argument.  The parser resolves polymorphic types.  A caller without an
 * expression must call a function that is declared with the type.
 */
static Oid
argument_type(FunctionCallInfo fcinfo, int argument)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, argument);

	if (!OidIsValid(type) && OidIsValid(fcinfo->flinfo->fn_oid))
	{
		Oid		   *types;
		int			count;

		get_func_signature(fcinfo->flinfo->fn_oid, &types, &count);
		if (argument < count && !IsPolymorphicType(types[argument]))
			type = types[argument];
		pfree(types);
	}
	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("could not determine input data type")));
	return type;
}

/* Raises an error if the caller expects an array of another type than the state's values have. */
static void
check_result_type(FunctionCallInfo fcinfo, const SetState *state)
{
	Oid			expected = get_fn_expr_rettype(fcinfo->flinfo);

	if (!OidIsValid(expected) && OidIsValid(fcinfo->flinfo->fn_oid))
		expected = get_func_rettype(fcinfo->flinfo->fn_oid);
	if (!OidIsValid(expected) || IsPolymorphicType(expected) ||
		expected == gpusort_element_type(fcinfo, FIRST_ARRAY, state->values.type)->array_type)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("state of a set aggregate holds values of type %s, which do not make a %s",
					format_type_be(state->values.type), format_type_be(expected))));
}

/*
 * Raises an error for an ORDER BY inside the call: the rows would come in that
 * order, and the result would have another.  DISTINCT alone does not count as ORDER BY.
 */
static void
check_no_order_by(FunctionCallInfo fcinfo, SetKind kind)
{
	static const struct
	{
		SetKind		kind;
		const char *name;
		const char *arguments;
	}			calls[] = {
		{SET_SORTED, "sorted_agg", "x, descending"},
		{SET_SORTED_BY, "sorted_agg_by", "x, key, descending, nulls_first"},
		{SET_TOP_N, "top_n_agg", "x, n, descending"},
		{SET_APPROXIMATE, "approx_sorted_agg", "x, buckets, descending"}
	};
	int			i = 0;
	const Aggref *call = AggGetAggref(fcinfo);

	if (call == NULL || call->aggorder == NIL)
		return;
	while (calls[i].kind != kind)
		i++;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("aggregate %s does not take ORDER BY", calls[i].name),
			 errdetail("The order of its result is that of its arguments alone."),
			 errhint("Write %s(%s), or array_agg(x ORDER BY ...) for an order by anything else.",
					 calls[i].name, calls[i].arguments)));
}

static void
check_option_not_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be NULL", name)));
}

/* A boolean option, read at the first row, or its default if the call has none. */
static bool
boolean_option(FunctionCallInfo fcinfo, int argument, const char *name, bool otherwise)
{
	if (PG_NARGS() <= argument)
		return otherwise;
	check_option_not_null(fcinfo, argument, name);
	return PG_GETARG_BOOL(argument);
}

/* A number option, read at the first row.  It must be at least `least`. */
static int32
number_option(FunctionCallInfo fcinfo, int argument, const char *name, int32 least)
{
	int32		number;

	check_option_not_null(fcinfo, argument, name);
	number = PG_GETARG_INT32(argument);
	if (number < least)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be at least %d, not %d", name, least, number)));
	return number;
}

/* Starts to collect an argument's values. */
static void
collect_argument(FunctionCallInfo fcinfo, Collector *collector, CachedArgument slot, int argument)
{
	gpusort_collector_init(collector, gpusort_element_type(fcinfo, slot, argument_type(fcinfo, argument)));
}

/* The state that an argument points to, or NULL.  Raises an error if it is not a state of a set aggregate. */
static SetState *
get_state(FunctionCallInfo fcinfo, int argument)
{
	SetState   *state = PG_ARGISNULL(argument) ? NULL : (SetState *) PG_GETARG_POINTER(argument);

	if (unlikely(state != NULL && state->magic != GPUSORT_SET_STATE_MAGIC))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("argument is not the state of a set aggregate")));
	return state;
}

/* The state of a transition's first argument, or NULL for the first row. */
static SetState *
get_state_of_kind(FunctionCallInfo fcinfo, SetKind kind)
{
	SetState   *state = get_state(fcinfo, 0);

	if (unlikely(state != NULL && state->kind != kind))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("argument is the state of another set aggregate")));
	return state;
}

static SetState *
create_state(FunctionCallInfo fcinfo, SetKind kind)
{
	MemoryContext context = aggregate_context(fcinfo);
	SetState   *state = MemoryContextAllocZero(context, sizeof(SetState));

	check_no_order_by(fcinfo, kind);
	state->magic = GPUSORT_SET_STATE_MAGIC;
	state->kind = kind;
	state->context = context;
	state->cut_bytes = TOP_N_BYTES;
	state->order.collation = PG_GET_COLLATION();
	state->order.limit = PG_UINT32_MAX;
	state->order.use = USED_FOR_AGGREGATES;
	collect_argument(fcinfo, &state->values, FIRST_ARRAY, 1);
	return state;
}

static void
append_argument(FunctionCallInfo fcinfo, SetState *state, Collector *collector, int argument)
{
	gpusort_collector_append(collector, state->context, PG_GETARG_DATUM(argument), PG_ARGISNULL(argument));
}

/* sorted_agg_transition(internal, value [, descending]) */
Datum
gpusort_sorted_agg_transition(PG_FUNCTION_ARGS)
{
	SetState   *state = get_state_of_kind(fcinfo, SET_SORTED);

	if (state == NULL)
	{
		state = create_state(fcinfo, SET_SORTED);
		state->order.descending = boolean_option(fcinfo, 2, "descending", false);
		state->order.nulls_first = state->order.descending;
	}
	append_argument(fcinfo, state, &state->values, 1);
	PG_RETURN_POINTER(state);
}

/* sorted_agg_by_transition(internal, value, key [, descending [, nulls_first]]) */
Datum
gpusort_sorted_agg_by_transition(PG_FUNCTION_ARGS)
{
	SetState   *state = get_state_of_kind(fcinfo, SET_SORTED_BY);

	if (state == NULL)
	{
		state = create_state(fcinfo, SET_SORTED_BY);
		collect_argument(fcinfo, &state->keys, SECOND_ARRAY, 2);
		state->order.descending = boolean_option(fcinfo, 3, "descending", false);
		state->order.nulls_first = boolean_option(fcinfo, 4, "nulls_first", state->order.descending);
	}
	append_argument(fcinfo, state, &state->values, 1);
	append_argument(fcinfo, state, &state->keys, 2);
	PG_RETURN_POINTER(state);
}

/* Keeps only the first n of the values collected so far. */
static void
keep_top_n(FunctionCallInfo fcinfo, SetState *state)
{
	ArrayType  *top = gpusort_top_of_array(fcinfo, gpusort_collector_array(&state->values), &state->order);

	gpusort_collector_refill(&state->values, state->context, top);
}

/* Keeps only the first n values once many, or large ones, have been gathered. */
static void
cut_to_top_n(FunctionCallInfo fcinfo, SetState *state)
{
	const Collector *values = &state->values;

	if (values->count < TOP_N_VALUES(state->order.limit) &&
		(values->bytes < state->cut_bytes || values->count <= state->order.limit))
		return;
	keep_top_n(fcinfo, state);
	state->cut_bytes = Max(TOP_N_BYTES, Min(2 * values->bytes, (values->bytes + MaxAllocSize) / 2));
}

/* top_n_agg_transition(internal, value, n [, descending]) */
Datum
gpusort_top_n_agg_transition(PG_FUNCTION_ARGS)
{
	SetState   *state = get_state_of_kind(fcinfo, SET_TOP_N);

	if (state == NULL)
	{
		state = create_state(fcinfo, SET_TOP_N);
		state->order.limit = number_option(fcinfo, 2, "n", 0);
		state->order.descending = boolean_option(fcinfo, 3, "descending", true);
	}
	append_argument(fcinfo, state, &state->values, 1);
	cut_to_top_n(fcinfo, state);
	PG_RETURN_POINTER(state);
}

/* approx_sorted_agg_transition(internal, value, buckets [, descending]) */
Datum
gpusort_approx_sorted_agg_transition(PG_FUNCTION_ARGS)
{
	SetState   *state = get_state_of_kind(fcinfo, SET_APPROXIMATE);

	if (state == NULL)
	{
		state = create_state(fcinfo, SET_APPROXIMATE);
		state->order.buckets = number_option(fcinfo, 2, "buckets", 1);
		state->order.descending = boolean_option(fcinfo, 3, "descending", false);
		state->order.nulls_first = state->order.descending;
	}
	append_argument(fcinfo, state, &state->values, 1);
	PG_RETURN_POINTER(state);
}

/* A copy of a state without its values, in the context. */
static SetState *
copy_empty(const SetState *state, MemoryContext context)
{
	SetState   *copy = MemoryContextAlloc(context, sizeof(SetState));

	*copy = *state;
	copy->context = context;
	copy->cut_bytes = TOP_N_BYTES;
	copy->nruns = 0;
	copy->run_ends = NULL;
	gpusort_collector_clear(&copy->values);
	gpusort_collector_clear(&copy->keys);
	return copy;
}

/* The values that decide the order: the keys if there are some, else the values themselves. */
static const Collector *
deciding(const SetState *state)
{
	return state->kind == SET_SORTED_BY ? &state->keys : &state->values;
}

/* Notes that the sorted run of a parallel worker ends here.  Only runs of values of a fixed length are merged. */
static void
end_run(SetState *state)
{
	const Collector *collector = deciding(state);
	Size		bytes = (state->nruns + 1) * sizeof(uint32);

	if (collector->length < 0 || state->no_runs)
		return;
	if (state->run_ends == NULL)
		state->run_ends = MemoryContextAlloc(state->context, bytes);
	else
		state->run_ends = repalloc(state->run_ends, bytes);
	state->run_ends[state->nruns++] = collector->bytes / att_align_nominal(collector->length, collector->alignment);
}

/*
 * Raises an error if two states cannot come from the same aggregate.  Their options may
 * differ if they vary from row to row; then the runs do not all have the same order.
 */
static void
check_alike(SetState *state, const SetState *more)
{
	if (state->kind != more->kind || state->values.type != more->values.type ||
		state->keys.type != more->keys.type || state->order.collation != more->order.collation)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("states of set aggregates of different kinds or types cannot be combined")));
	if (state->order.descending != more->order.descending)
		state->no_runs = true;
}

/* Adds the values of the second state to the first. */
Datum
gpusort_set_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	SetState   *state = get_state(fcinfo, 0);
	const SetState *more = get_state(fcinfo, 1);

	if (state == NULL && more == NULL)
		PG_RETURN_NULL();
	if (more == NULL)
		PG_RETURN_POINTER(state);
	if (state == NULL)
		state = copy_empty(more, context);
	check_alike(state, more);
	gpusort_collector_concat(&state->values, context, &more->values);
	if (state->kind == SET_SORTED_BY)
		gpusort_collector_concat(&state->keys, context, &more->keys);
	if (state->kind == SET_TOP_N)
		cut_to_top_n(fcinfo, state);
	if (state->kind == SET_SORTED || state->kind == SET_SORTED_BY)
		end_run(state);
	PG_RETURN_POINTER(state);
}

/* True if sorted values save the leader comparisons.  They do not where it sorts all values by abbreviated keys. */
static bool
leader_gains(FunctionCallInfo fcinfo, const SetState *state)
{
	const Collector *collector = deciding(state);
	ElementType *element = gpusort_element_type(fcinfo, state->kind == SET_SORTED_BY ? SECOND_ARRAY : FIRST_ARRAY,
												collector->type);
	ComparatorSort *sort;

	if (element->is_key || state->kind == SET_TOP_N || collector->count < 2)
		return true;
	sort = gpusort_element_comparator(element, state->order.collation, state->order.descending);
	return !sort->has_abbreviation;
}

/* Sorts the values of a parallel worker. */
static void
sort_for_leader(FunctionCallInfo fcinfo, SetState *state)
{
	ArrayType  *values;
	ArrayType  *keys;

	if (!leader_gains(fcinfo, state))
		return;
	switch (state->kind)
	{
		case SET_SORTED:
			values = gpusort_array_in_order(fcinfo, gpusort_collector_array(&state->values), &state->order);
			gpusort_collector_refill(&state->values, state->context, values);
			break;
		case SET_SORTED_BY:
			gpusort_arrays_in_order(fcinfo, gpusort_collector_array(&state->values), gpusort_collector_array(&state->keys),
									&state->order, &values, &keys);
			gpusort_collector_refill(&state->values, state->context, values);
			gpusort_collector_refill(&state->keys, state->context, keys);
			break;
		case SET_TOP_N:
			keep_top_n(fcinfo, state);
			break;
		case SET_APPROXIMATE:
			break;
	}
}

/* The state of a parallel worker, sorted, as bytes. */
Datum
gpusort_set_agg_serialize(PG_FUNCTION_ARGS)
{
	SetState   *state = get_state(fcinfo, 0);

	aggregate_context(fcinfo);
	sort_for_leader(fcinfo, state);
	PG_RETURN_BYTEA_P(gpusort_set_state_write(fcinfo, state));
}

/* The state that a parallel worker sent.  It points into the bytes; combining copies them. */
Datum
gpusort_set_agg_deserialize(PG_FUNCTION_ARGS)
{
	aggregate_context(fcinfo);
	PG_RETURN_POINTER(gpusort_set_state_read(fcinfo, PG_GETARG_BYTEA_PP(0)));
}

/* The array of all values in the aggregate's order. */
Datum
gpusort_set_agg_final(PG_FUNCTION_ARGS)
{
	const SetState *state = get_state(fcinfo, 0);
	ArrayOrder	order;
	ArrayType  *values;

	aggregate_context(fcinfo);
	if (state == NULL)
		PG_RETURN_NULL();
	check_result_type(fcinfo, state);
	order = state->order;
	order.nruns = state->no_runs ? 0 : state->nruns;
	order.run_ends = state->run_ends;
	values = gpusort_collector_array(&state->values);
	switch (state->kind)
	{
		case SET_SORTED:
			values = gpusort_array_in_order(fcinfo, values, &order);
			break;
		case SET_SORTED_BY:
			values = gpusort_array_in_order_of(fcinfo, values, gpusort_collector_array(&state->keys), &order, 1);
			break;
		case SET_TOP_N:
			values = gpusort_top_of_array(fcinfo, values, &order);
			break;
		case SET_APPROXIMATE:
			values = gpusort_array_in_intervals(fcinfo, values, &order);
			break;
	}
	PG_RETURN_ARRAYTYPE_P(values);
}
