/*
 * set_aggregates.c
 *	  Aggregates that return a sorted array of their input: sorted_agg,
 *	  sorted_agg_by, top_n_agg and approx_sorted_agg.
 *
 * The transition collects values compactly; the final function makes an array of
 * them and hands it to the array function of the same meaning, which sorts on
 * whichever engine is fastest. The state is never changed by the final function,
 * so the aggregates work over window frames too. Under parallel aggregation each
 * worker sends what it has collected (already cut to the first n for top_n_agg)
 * and the leader sorts the whole at once.
 *
 * Arguments after the values (descending, n, ...) are taken from the first row.
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "functions/array_functions.h"
#include "functions/collector.h"

/* How many values top_n_agg gathers before it cuts them to the first n. */
#define TOP_N_GATHER(n) Max(4 * (int64) (n), 4096)

typedef struct SetState
{
	Collector  *values;
	Collector  *keys;			/* of sorted_agg_by, else NULL */
	int32		number;			/* n of top_n_agg, buckets of approx_sorted_agg */
	bool		descending;
	bool		nulls_first;
} SetState;

PG_FUNCTION_INFO_V1(gpusort_sorted_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_sorted_agg_by_transition);
PG_FUNCTION_INFO_V1(gpusort_top_n_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_approx_sorted_agg_transition);
PG_FUNCTION_INFO_V1(gpusort_set_agg_combine);
PG_FUNCTION_INFO_V1(gpusort_top_n_agg_combine);
PG_FUNCTION_INFO_V1(gpusort_set_agg_serialize);
PG_FUNCTION_INFO_V1(gpusort_set_agg_deserialize);
PG_FUNCTION_INFO_V1(gpusort_sorted_agg_final);
PG_FUNCTION_INFO_V1(gpusort_sorted_agg_by_final);
PG_FUNCTION_INFO_V1(gpusort_top_n_agg_final);
PG_FUNCTION_INFO_V1(gpusort_approx_sorted_agg_final);

/* The aggregate's memory context; an error outside of an aggregate. */
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

/* Type of an argument; polymorphic arguments are resolved by the parser. */
static Oid
argument_type(FunctionCallInfo fcinfo, int argument)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, argument);

	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("could not determine input data type")));
	return type;
}

static void
check_option_not_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be NULL", name)));
}

/* A boolean option of the first row, or its default if the call has none. */
static bool
boolean_option(FunctionCallInfo fcinfo, int argument, const char *name, bool otherwise)
{
	if (PG_NARGS() <= argument)
		return otherwise;
	check_option_not_null(fcinfo, argument, name);
	return PG_GETARG_BOOL(argument);
}

/* A number of the first row that must be at least `least`. */
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

static SetState *
create_state(FunctionCallInfo fcinfo)
{
	MemoryContext context = aggregate_context(fcinfo);
	SetState   *state = MemoryContextAllocZero(context, sizeof(SetState));

	state->values = gpusort_collector_create(argument_type(fcinfo, 1), context);
	return state;
}

/* sorted_agg_transition(internal, value [, descending]) */
Datum
gpusort_sorted_agg_transition(PG_FUNCTION_ARGS)
{
	SetState   *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);

	if (state == NULL)
	{
		state = create_state(fcinfo);
		state->descending = boolean_option(fcinfo, 2, "descending", false);
		state->nulls_first = state->descending;
	}
	gpusort_collector_append(state->values, PG_GETARG_DATUM(1), PG_ARGISNULL(1));
	PG_RETURN_POINTER(state);
}

/* sorted_agg_by_transition(internal, value, key [, descending [, nulls_first]]) */
Datum
gpusort_sorted_agg_by_transition(PG_FUNCTION_ARGS)
{
	SetState   *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);

	if (state == NULL)
	{
		state = create_state(fcinfo);
		state->keys = gpusort_collector_create(argument_type(fcinfo, 2), state->values->context);
		state->descending = boolean_option(fcinfo, 3, "descending", false);
		state->nulls_first = boolean_option(fcinfo, 4, "nulls_first", state->descending);
	}
	gpusort_collector_append(state->values, PG_GETARG_DATUM(1), PG_ARGISNULL(1));
	gpusort_collector_append(state->keys, PG_GETARG_DATUM(2), PG_ARGISNULL(2));
	PG_RETURN_POINTER(state);
}

/* Calls an array function on an array, with the aggregate's collation. */
static Datum
call_on_array(FunctionCallInfo fcinfo, PGFunction function, int nargs, Datum *arguments)
{
	LOCAL_FCINFO(call, FUNC_MAX_ARGS);
	FmgrInfo	info;
	Datum		result;

	MemSet(&info, 0, sizeof(info));
	info.fn_addr = function;
	info.fn_nargs = nargs;
	info.fn_strict = true;
	info.fn_mcxt = CurrentMemoryContext;
	InitFunctionCallInfoData(*call, &info, nargs, PG_GET_COLLATION(), NULL, NULL);
	for (int i = 0; i < nargs; i++)
	{
		call->args[i].value = arguments[i];
		call->args[i].isnull = false;
	}
	result = function(call);
	Assert(!call->isnull);
	return result;
}

/* The first n of the values collected so far. */
static Datum
top_n(FunctionCallInfo fcinfo, const SetState *state)
{
	Datum		arguments[] = {
		PointerGetDatum(gpusort_collector_array(state->values)),
		Int32GetDatum(state->number),
		BoolGetDatum(state->descending)
	};

	return call_on_array(fcinfo, gpusort_array_top_n, lengthof(arguments), arguments);
}

/* Keeps only the first n values once many have been gathered. */
static void
cut_to_top_n(FunctionCallInfo fcinfo, SetState *state)
{
	if (state->values->count >= TOP_N_GATHER(state->number))
		gpusort_collector_refill(state->values, DatumGetArrayTypeP(top_n(fcinfo, state)));
}

/* top_n_agg_transition(internal, value, n [, descending]) */
Datum
gpusort_top_n_agg_transition(PG_FUNCTION_ARGS)
{
	SetState   *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);

	if (state == NULL)
	{
		state = create_state(fcinfo);
		state->number = number_option(fcinfo, 2, "n", 0);
		state->descending = boolean_option(fcinfo, 3, "descending", true);
	}
	gpusort_collector_append(state->values, PG_GETARG_DATUM(1), PG_ARGISNULL(1));
	cut_to_top_n(fcinfo, state);
	PG_RETURN_POINTER(state);
}

/* approx_sorted_agg_transition(internal, value, buckets [, descending]) */
Datum
gpusort_approx_sorted_agg_transition(PG_FUNCTION_ARGS)
{
	SetState   *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);

	if (state == NULL)
	{
		state = create_state(fcinfo);
		state->number = number_option(fcinfo, 2, "buckets", 1);
		state->descending = boolean_option(fcinfo, 3, "descending", false);
	}
	gpusort_collector_append(state->values, PG_GETARG_DATUM(1), PG_ARGISNULL(1));
	PG_RETURN_POINTER(state);
}

/* Adds what the second state has collected to the first. */
static SetState *
combine(FunctionCallInfo fcinfo)
{
	MemoryContext context = aggregate_context(fcinfo);
	SetState   *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);
	const SetState *more = PG_ARGISNULL(1) ? NULL : (SetState *) PG_GETARG_POINTER(1);

	if (more == NULL)
		return state;
	if (state == NULL)
	{
		state = MemoryContextAlloc(context, sizeof(SetState));
		*state = *more;
		state->values = gpusort_collector_create(more->values->type, context);
		if (more->keys)
			state->keys = gpusort_collector_create(more->keys->type, context);
	}
	gpusort_collector_concat(state->values, more->values);
	if (state->keys)
		gpusort_collector_concat(state->keys, more->keys);
	return state;
}

Datum
gpusort_set_agg_combine(PG_FUNCTION_ARGS)
{
	SetState   *state = combine(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

Datum
gpusort_top_n_agg_combine(PG_FUNCTION_ARGS)
{
	SetState   *state = combine(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	cut_to_top_n(fcinfo, state);
	PG_RETURN_POINTER(state);
}

Datum
gpusort_set_agg_serialize(PG_FUNCTION_ARGS)
{
	const SetState *state = (SetState *) PG_GETARG_POINTER(0);
	StringInfoData buf;

	aggregate_context(fcinfo);
	pq_begintypsend(&buf);
	pq_sendint32(&buf, state->number);
	pq_sendbyte(&buf, state->descending);
	pq_sendbyte(&buf, state->nulls_first);
	pq_sendbyte(&buf, state->keys != NULL);
	gpusort_collector_send(state->values, &buf);
	if (state->keys)
		gpusort_collector_send(state->keys, &buf);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

Datum
gpusort_set_agg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *sent = PG_GETARG_BYTEA_PP(0);
	SetState   *state = palloc0(sizeof(SetState));
	bool		has_keys;
	StringInfoData buf;

	aggregate_context(fcinfo);
	buf.data = VARDATA_ANY(sent);
	buf.len = buf.maxlen = VARSIZE_ANY_EXHDR(sent);
	buf.cursor = 0;
	state->number = pq_getmsgint(&buf, 4);
	state->descending = pq_getmsgbyte(&buf) != 0;
	state->nulls_first = pq_getmsgbyte(&buf) != 0;
	has_keys = pq_getmsgbyte(&buf) != 0;
	state->values = gpusort_collector_receive(&buf, CurrentMemoryContext);
	if (has_keys)
		state->keys = gpusort_collector_receive(&buf, CurrentMemoryContext);
	pq_getmsgend(&buf);
	PG_RETURN_POINTER(state);
}

/* All values, ascending or descending; NULLs last or first with them. */
Datum
gpusort_sorted_agg_final(PG_FUNCTION_ARGS)
{
	const SetState *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);
	Datum		arguments[3];

	aggregate_context(fcinfo);
	if (state == NULL)
		PG_RETURN_NULL();
	arguments[0] = PointerGetDatum(gpusort_collector_array(state->values));
	arguments[1] = BoolGetDatum(state->descending);
	arguments[2] = BoolGetDatum(state->nulls_first);
	PG_RETURN_DATUM(call_on_array(fcinfo, gpusort_array_sort, lengthof(arguments), arguments));
}

/* All values, by their keys. */
Datum
gpusort_sorted_agg_by_final(PG_FUNCTION_ARGS)
{
	const SetState *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);
	Datum		arguments[4];

	aggregate_context(fcinfo);
	if (state == NULL)
		PG_RETURN_NULL();
	arguments[0] = PointerGetDatum(gpusort_collector_array(state->values));
	arguments[1] = PointerGetDatum(gpusort_collector_array(state->keys));
	arguments[2] = BoolGetDatum(state->descending);
	arguments[3] = BoolGetDatum(state->nulls_first);
	PG_RETURN_DATUM(call_on_array(fcinfo, gpusort_array_sort_by, lengthof(arguments), arguments));
}

/* The first n values in order. */
Datum
gpusort_top_n_agg_final(PG_FUNCTION_ARGS)
{
	const SetState *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);

	aggregate_context(fcinfo);
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(top_n(fcinfo, state));
}

/* All values, in approximate order by intervals. */
Datum
gpusort_approx_sorted_agg_final(PG_FUNCTION_ARGS)
{
	const SetState *state = PG_ARGISNULL(0) ? NULL : (SetState *) PG_GETARG_POINTER(0);
	Datum		arguments[3];

	aggregate_context(fcinfo);
	if (state == NULL)
		PG_RETURN_NULL();
	arguments[0] = PointerGetDatum(gpusort_collector_array(state->values));
	arguments[1] = Int32GetDatum(state->number);
	arguments[2] = BoolGetDatum(state->descending);
	PG_RETURN_DATUM(call_on_array(fcinfo, gpusort_array_sort_approx, lengthof(arguments), arguments));
}
