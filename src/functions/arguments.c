/*
 * arguments.c
 *	  What the SQL functions share.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "functions/arguments.h"

/*
 * The type of an argument.  The parser has resolved polymorphic types.  A call without an
 * expression takes the type from the function's declaration.  Raises an error if that is
 * polymorphic.
 */
Oid
gpusort_argument_type(FunctionCallInfo fcinfo, int number)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, number);

	if (!OidIsValid(type) && OidIsValid(fcinfo->flinfo->fn_oid))
	{
		Oid		   *types;
		int			count;

		get_func_signature(fcinfo->flinfo->fn_oid, &types, &count);
		if (number < count && !IsPolymorphicType(types[number]))
			type = types[number];
		pfree(types);
	}
	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("could not determine input data type")));
	return type;
}

void
gpusort_argument_require(FunctionCallInfo fcinfo, int number, const char *name)
{
	if (PG_ARGISNULL(number))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be NULL", name)));
}

int32
gpusort_check_buckets(int64 buckets)
{
	if (buckets < 1 || buckets > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("buckets must be between 1 and %d, not " INT64_FORMAT, PG_INT32_MAX, buckets)));
	return buckets;
}

int32
gpusort_argument_buckets(FunctionCallInfo fcinfo, int number)
{
	gpusort_argument_require(fcinfo, number, "buckets");
	return gpusort_check_buckets(PG_GETARG_INT64(number));
}

void
gpusort_refuse_intervals(Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("type %s cannot be cut into intervals", format_type_be(type)),
			 errhint("Intervals of equal width exist for integers, floats, dates and times.")));
}

void
gpusort_refuse_unsorted(uint32 position)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("array must be in ascending order, with NULLs at one end"),
			 position > 0 ? errdetail("Element %u is not greater than or equal to the one before it.", position) : 0,
			 errhint("Sort the array with array_sort, or with array_sort_pair where another belongs to it.")));
}

void
gpusort_argument_top(FunctionCallInfo fcinfo, int number, ArrayOrder *order)
{
	int64		count;

	gpusort_argument_require(fcinfo, number, "n");
	count = PG_GETARG_INT64(number);
	if (count < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("n must not be negative: " INT64_FORMAT, count)));
	/* No array is longer than PG_INT32_MAX. */
	order->limit = Min(count, PG_INT32_MAX);
	order->descending = gpusort_argument_bool(fcinfo, number + 1, "descending", true);
	order->nulls_first = gpusort_argument_bool(fcinfo, number + 2, "nulls_first", false);
	order->with_ties = gpusort_argument_bool(fcinfo, number + 3, "with_ties", false);
}

Oid
gpusort_number_type(Oid type, const char *hint)
{
	Oid			base = getBaseType(type);

	if (base != INT2OID && base != INT4OID && base != INT8OID && base != FLOAT4OID && base != FLOAT8OID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("type %s is neither an integer nor a floating-point type", format_type_be(type)),
				 errhint("%s", hint)));
	return base;
}

Tolerance
gpusort_argument_tolerance(FunctionCallInfo fcinfo, int number)
{
	Tolerance	tolerance = {.amount = PG_GETARG_FLOAT8(number),.ppm = PG_GETARG_BOOL(number + 1)};

	if (!(tolerance.amount >= 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tolerance must be at least 0, not %g", tolerance.amount)));
	return tolerance;
}

/* Forms the record that the function's OUT parameters describe, without NULLs. */
Datum
gpusort_return_record(FunctionCallInfo fcinfo, Datum *values)
{
	CallCache  *cache = gpusort_call_cache(fcinfo);

	if (cache->record == NULL)
	{
		MemoryContext caller;
		TupleDesc	record;

		if (get_call_result_type(fcinfo, NULL, &record) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		cache->record = BlessTupleDesc(CreateTupleDescCopy(record));
		MemoryContextSwitchTo(caller);
	}
	return HeapTupleGetDatum(heap_form_tuple(cache->record, values, palloc0(cache->record->natts * sizeof(bool))));
}
