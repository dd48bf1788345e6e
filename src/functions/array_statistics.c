/*
 * array_statistics.c
 *	  array_median, array_percentile_cont, array_percentile_disc, array_mode and
 *	  array_rank.
 *
 * The first four are the aggregates of those names over the elements of one array: NULLs
 * are left out, and an array without values gives NULL.  array_rank is the window
 * function rank over the elements.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "functions/arguments.h"
#include "functions/percentile.h"
#include "large_memory.h"
#include "toast/array_detoast.h"

PG_FUNCTION_INFO_V1(gpusort_array_median);
PG_FUNCTION_INFO_V1(gpusort_array_percentile_cont);
PG_FUNCTION_INFO_V1(gpusort_array_percentile_disc);
PG_FUNCTION_INFO_V1(gpusort_array_mode);
PG_FUNCTION_INFO_V1(gpusort_array_rank);

/*
 * An array whose elements are integers or floats, or of domains over them: the array itself or,
 * of numeric, a copy as float8.  Raises an error for other types.
 */
static ArrayType *
array_of_numbers(ArrayType *array)
{
	Oid			type = getBaseType(ARR_ELEMTYPE(array));
	Datum	   *values;
	bool	   *nulls;
	int			count;

	if (type != NUMERICOID)
	{
		gpusort_percentile_require_number(type);
		return array;
	}
	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_INT, &values, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			values[i] = DirectFunctionCall1(numeric_float8, values[i]);
	}
	return construct_md_array(values, nulls, ARR_NDIM(array), ARR_DIMS(array), ARR_LBOUND(array), FLOAT8OID,
							  sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

/* The percentiles of the first argument.  Fractions are checked even if there are no values. */
static Datum
percentiles_of_array(FunctionCallInfo fcinfo, PercentileKind kind)
{
	ArrayType  *array = gpusort_array_detoast(PG_GETARG_DATUM(0));
	Oid			result = get_fn_expr_rettype(fcinfo->flinfo);
	Fractions	fractions;
	ValueStore	store;

	gpusort_percentile_fractions(fcinfo, PG_NARGS() > 1, &fractions);
	if (kind == PERCENTILE_CONTINUOUS && (result == FLOAT8OID || result == FLOAT8ARRAYOID))
		array = array_of_numbers(array);
	store = gpusort_array_values(fcinfo, array, PG_GET_COLLATION());
	return gpusort_return_percentiles(fcinfo, &store, kind, &fractions);
}

/* array_median(a) */
Datum
gpusort_array_median(PG_FUNCTION_ARGS)
{
	return percentiles_of_array(fcinfo, PERCENTILE_CONTINUOUS);
}

/* array_percentile_cont(a, fraction or fractions) */
Datum
gpusort_array_percentile_cont(PG_FUNCTION_ARGS)
{
	return percentiles_of_array(fcinfo, PERCENTILE_CONTINUOUS);
}

/* array_percentile_disc(a, fraction or fractions) */
Datum
gpusort_array_percentile_disc(PG_FUNCTION_ARGS)
{
	return percentiles_of_array(fcinfo, PERCENTILE_DISCRETE);
}

/* array_mode(a): the most frequent element, and of several the least. */
Datum
gpusort_array_mode(PG_FUNCTION_ARGS)
{
	ValueStore	store = gpusort_array_values(fcinfo, gpusort_array_detoast(PG_GETARG_DATUM(0)), PG_GET_COLLATION());

	if (store.values.count == 0)
		PG_RETURN_NULL();
	return gpusort_values_mode(&store);
}

/* array_rank(a [, descending [, nulls_first]]): for each element how many others come before it, plus 1. */
Datum
gpusort_array_rank(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 1);
	ArrayItems	items;
	ArrayType  *result;
	uint32	   *positions;
	bool	   *begins;
	int32	   *ranks;
	int32		rank = 0;

	/* The classes are found in the array itself, so the sort must not overwrite it. */
	gpusort_items_open(&items, fcinfo, false);
	gpusort_array_require_one_dimension(items.array);
	result = gpusort_array_allocate_integers(items.count);
	if (items.count == 0)
		PG_RETURN_ARRAYTYPE_P(result);
	gpusort_element_require_order(items.type);
	positions = gpusort_alloc_large(CurrentMemoryContext, items.count * sizeof(uint32));
	begins = gpusort_alloc_large(CurrentMemoryContext, items.count * sizeof(bool));
	gpusort_order_positions(&items, &order, positions);
	gpusort_order_classes(&items, &order, positions, begins);
	ranks = (int32 *) ARR_DATA_PTR(result);
	for (uint32 i = 0; i < items.count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (begins[i])
			rank = i + 1;
		ranks[positions[i]] = rank;
	}
	pfree(begins);
	pfree(positions);
	PG_RETURN_ARRAYTYPE_P(result);
}
