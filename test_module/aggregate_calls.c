/*
 * aggregate_calls.c
 *	  Runs the parts of other aggregates, as extensions do that spread an aggregate
 *	  over servers: rows to a serialized state, serialized states to a result.
 *
 *	  partial(regprocedure, VARIADIC "any") -> bytea
 *	  partial(regprocedure, record) -> bytea, with the arguments as fields
 *	  combine(regprocedure, bytea, anyelement) -> anyelement
 *
 * The bytes may be anything.  Each row of combine names the aggregate that deserializes its
 * bytes; that of the first row combines the states and makes the result.  While
 * gpusort_test.bare_calls is on, functions are called without an expression that says
 * their types.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "gpusort_test.h"

/* The state of partial and combine: that of the aggregate whose parts they run. */
typedef struct CallState
{
	FormData_pg_aggregate parts;
	Datum		state;
	bool		isnull;
} CallState;

static bool bare_calls = false;

PG_FUNCTION_INFO_V1(test_partial_transition);
PG_FUNCTION_INFO_V1(test_partial_row_transition);
PG_FUNCTION_INFO_V1(test_partial_final);
PG_FUNCTION_INFO_V1(test_combine_transition);
PG_FUNCTION_INFO_V1(test_combine_final);

static void
find_parts(Oid aggregate, FormData_pg_aggregate *parts)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("function with OID %u is no aggregate", aggregate)));
	memcpy(parts, GETSTRUCT(tuple), sizeof(FormData_pg_aggregate));
	ReleaseSysCache(tuple);
	if (!OidIsValid(parts->aggserialfn))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("aggregate with OID %u has no serialized state", aggregate)));
}

/*
 * Calls a function of the other aggregate from one of ours.  Its first argument is of type
 * internal.  The types of the next are those of our own arguments from number `first` on,
 * or internal where there is none.
 */
static Datum
call_part(FunctionCallInfo fcinfo, Oid function, NullableDatum *args, int nargs, int first, bool *isnull)
{
	LOCAL_FCINFO(call, FUNC_MAX_ARGS);
	FmgrInfo	info;
	List	   *types = list_make1(makeNullConst(INTERNALOID, -1, InvalidOid));
	Datum		result;

	fmgr_info(function, &info);
	for (int i = 1; i < nargs; i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, first + i - 1);

		types = lappend(types, makeNullConst(OidIsValid(type) ? type : INTERNALOID, -1, InvalidOid));
	}
	if (!bare_calls)
		fmgr_info_set_expr((Node *) makeFuncExpr(function, get_fn_expr_rettype(fcinfo->flinfo), types, InvalidOid,
												 PG_GET_COLLATION(), COERCE_EXPLICIT_CALL), &info);
	InitFunctionCallInfoData(*call, &info, nargs, PG_GET_COLLATION(), fcinfo->context, NULL);
	*isnull = false;
	for (int i = 0; i < nargs; i++)
	{
		call->args[i] = args[i];
		*isnull |= args[i].isnull;
	}
	if (info.fn_strict && *isnull)
		return (Datum) 0;
	result = FunctionCallInvoke(call);
	*isnull = call->isnull;
	return result;
}

/* The state of our aggregate, made at the first row. */
static CallState *
get_state(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	CallState  *state;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("aggregate function called on its own")));
	if (!PG_ARGISNULL(0))
		return (CallState *) PG_GETARG_POINTER(0);
	state = MemoryContextAllocZero(context, sizeof(CallState));
	find_parts(PG_GETARG_OID(1), &state->parts);
	state->isnull = true;
	return state;
}

/* partial_transition(internal, regprocedure, VARIADIC "any") */
Datum
test_partial_transition(PG_FUNCTION_ARGS)
{
	CallState  *state = get_state(fcinfo);
	NullableDatum args[FUNC_MAX_ARGS] = {{.value = state->state,.isnull = state->isnull}};

	memcpy(args + 1, fcinfo->args + 2, (PG_NARGS() - 2) * sizeof(NullableDatum));
	state->state = call_part(fcinfo, state->parts.aggtransfn, args, PG_NARGS() - 1, 2, &state->isnull);
	PG_RETURN_POINTER(state);
}

/* partial_transition(internal, regprocedure, record) */
Datum
test_partial_row_transition(PG_FUNCTION_ARGS)
{
	CallState  *state = get_state(fcinfo);
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(2);
	TupleDesc	fields = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	NullableDatum args[FUNC_MAX_ARGS] = {{.value = state->state,.isnull = state->isnull}};

	for (int i = 1; i <= fields->natts; i++)
		args[i].value = GetAttributeByNum(row, i, &args[i].isnull);
	state->state = call_part(fcinfo, state->parts.aggtransfn, args, fields->natts + 1, 2, &state->isnull);
	ReleaseTupleDesc(fields);
	PG_RETURN_POINTER(state);
}

/* partial_final(internal) */
Datum
test_partial_final(PG_FUNCTION_ARGS)
{
	CallState  *state = PG_ARGISNULL(0) ? NULL : (CallState *) PG_GETARG_POINTER(0);
	NullableDatum arg;
	Datum		sent;
	bool		isnull;

	if (state == NULL)
		PG_RETURN_NULL();
	arg.value = state->state;
	arg.isnull = state->isnull;
	sent = call_part(fcinfo, state->parts.aggserialfn, &arg, 1, 0, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(sent);
}

/* combine_transition(internal, regprocedure, bytea, anyelement) */
Datum
test_combine_transition(PG_FUNCTION_ARGS)
{
	CallState  *state = get_state(fcinfo);
	NullableDatum args[2] = {fcinfo->args[2], {.value = 0,.isnull = false}};
	FormData_pg_aggregate row;
	NullableDatum read;

	find_parts(PG_GETARG_OID(1), &row);
	read.value = call_part(fcinfo, row.aggdeserialfn, args, 2, 0, &read.isnull);
	args[0].value = state->state;
	args[0].isnull = state->isnull;
	args[1] = read;
	state->state = call_part(fcinfo, state->parts.aggcombinefn, args, 2, 0, &state->isnull);
	PG_RETURN_POINTER(state);
}

/* combine_final(internal, regprocedure, bytea, anyelement) */
Datum
test_combine_final(PG_FUNCTION_ARGS)
{
	CallState  *state = PG_ARGISNULL(0) ? NULL : (CallState *) PG_GETARG_POINTER(0);
	NullableDatum args[FUNC_MAX_ARGS];
	Datum		result;
	bool		isnull;

	if (state == NULL)
		PG_RETURN_NULL();
	for (int i = 1; i < FUNC_MAX_ARGS; i++)
		args[i].isnull = true;
	args[0].value = state->state;
	args[0].isnull = state->isnull;
	result = call_part(fcinfo, state->parts.aggfinalfn, args, get_func_nargs(state->parts.aggfinalfn), FUNC_MAX_ARGS, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(result);
}

void
test_aggregate_calls_init(void)
{
	DefineCustomBoolVariable("gpusort_test.bare_calls", "Calls functions without an expression that says their types.", NULL,
							 &bare_calls, false, PGC_USERSET, 0, NULL, NULL, NULL);
}
