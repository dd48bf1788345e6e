/*
 * array_sort_by.c
 *	  array_argsort, array_take, array_sort_by, array_sort_pair, array_top_n_by:
 *	  functions that return an order as positions, or move elements by positions or keys.
 *
 * All are stable.  In SQL positions count from 1, whatever the lower bound of the array,
 * so array_take(a, array_argsort(a)) has the elements of a in order.
 */
#include "postgres.h"

#include "toast/array_detoast.h"
#include "arrays/array_order.h"
#include "functions/arguments.h"
#include "functions/array_functions.h"
#include "large_memory.h"

PG_FUNCTION_INFO_V1(gpusort_array_argsort);
PG_FUNCTION_INFO_V1(gpusort_array_take);
PG_FUNCTION_INFO_V1(gpusort_array_sort_by);
PG_FUNCTION_INFO_V1(gpusort_array_sort_pair);
PG_FUNCTION_INFO_V1(gpusort_array_top_n_by);

/*
 * array_argsort(a [, descending [, nulls_first]]): the positions of the elements in
 * order.
 */
Datum
gpusort_array_argsort(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 1);
	ArrayItems	items;
	ArrayType  *result;
	uint32	   *positions;

	gpusort_items_open(&items, fcinfo, true);
	gpusort_array_require_one_dimension(items.array);
	result = gpusort_array_allocate_integers(items.count);
	if (items.count == 0)
		PG_RETURN_ARRAYTYPE_P(result);

	positions = (uint32 *) ARR_DATA_PTR(result);
	gpusort_order_positions(&items, &order, positions);
	for (uint32 i = 0; i < items.count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		positions[i]++;
	}
	pfree(items.array);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* Turns a position that counts from 1 into one that counts from 0, or raises an error if it is out of range. */
static inline uint32
position_from_0(int32 number, uint32 count)
{
	uint32		position = (uint32) number - 1;

	if (unlikely(position >= count))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("position %d is out of range", number),
				 count == 0 ? errdetail("The array is empty.") :
				 errdetail("Positions count from 1 to %u, the length of the array.", count)));
	return position;
}

/* array_take(a, positions): the elements at the given positions, NULL for a NULL. */
Datum
gpusort_array_take(PG_FUNCTION_ARGS)
{
	ArrayType  *wanted = gpusort_array_detoast(PG_GETARG_DATUM(1));
	uint32		count = gpusort_array_length(wanted);
	const int32 *next = (const int32 *) ARR_DATA_PTR(wanted);
	const uint8 *bitmap = ARR_NULLBITMAP(wanted);
	ArrayItems	items;
	uint32	   *positions;
	ArrayType  *result;

	gpusort_items_open(&items, fcinfo, false);
	gpusort_array_require_one_dimension(items.array);
	gpusort_array_require_one_dimension(wanted);
	positions = gpusort_alloc_large(CurrentMemoryContext, count * sizeof(uint32));
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (bitmap != NULL && !(bitmap[i / 8] & (1 << i % 8)))
			positions[i] = GPUSORT_NULL_ITEM;
		else
			positions[i] = position_from_0(*next++, items.count);
	}
	if (bitmap != NULL)
		result = gpusort_items_gather_nullable(&items, positions, count, 1);
	else
		result = gpusort_items_gather(&items, positions, count, 1);
	pfree(positions);
	PG_RETURN_ARRAYTYPE_P(result);
}

ArrayType *
gpusort_array_in_order_of(FunctionCallInfo fcinfo, ArrayType *values_array, ArrayType *keys_array,
						  const ArrayOrder *order, ArrayType **sorted_keys)
{
	ArrayItems	values;
	ArrayItems	keys;
	uint32	   *positions;
	uint32		wanted;
	ArrayType  *result;

	gpusort_array_require_same_length(values_array, keys_array);
	gpusort_items_open_array(&values, fcinfo, FIRST_ARRAY, values_array, false);
	gpusort_items_open_array(&keys, fcinfo, SECOND_ARRAY, keys_array, sorted_keys == NULL && !order->with_ties);
	positions = gpusort_alloc_large(CurrentMemoryContext, keys.count * sizeof(uint32));
	wanted = gpusort_order_positions(&keys, order, positions);
	result = gpusort_items_gather(&values, positions, wanted, gpusort_array_lower_bound(values_array));
	if (sorted_keys != NULL)
		*sorted_keys = gpusort_items_gather(&keys, positions, wanted, gpusort_array_lower_bound(keys_array));
	else
		pfree(keys_array);
	pfree(positions);
	return result;
}

/*
 * array_sort_by(vals, keys [, descending [, nulls_first]]): the values in the
 * order of their keys.
 */
Datum
gpusort_array_sort_by(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 2);
	ArrayType  *values = gpusort_array_detoast(PG_GETARG_DATUM(0));
	ArrayType  *keys = gpusort_array_detoast_copy(PG_GETARG_DATUM(1));

	PG_RETURN_ARRAYTYPE_P(gpusort_array_in_order_of(fcinfo, values, keys, &order, NULL));
}

/*
 * array_top_n_by(vals, keys, n, descending, nulls_first, with_ties): the values of the
 * n greatest, or least, keys in the order of the keys.
 */
Datum
gpusort_array_top_n_by(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = {.collation = PG_GET_COLLATION()};
	ArrayType  *values = gpusort_array_detoast(PG_GETARG_DATUM(0));
	ArrayType  *keys = gpusort_array_detoast_copy(PG_GETARG_DATUM(1));

	gpusort_argument_top(fcinfo, 2, &order);
	values = gpusort_array_in_order_of(fcinfo, values, keys, &order, NULL);
	if (ARR_NDIM(values) > 0)
		ARR_LBOUND(values)[0] = 1;
	PG_RETURN_ARRAYTYPE_P(values);
}

/*
 * array_sort_pair(vals, keys [, descending [, nulls_first]]): values and keys in
 * the order of the keys.
 */
Datum
gpusort_array_sort_pair(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 2);
	ArrayType  *values = gpusort_array_detoast(PG_GETARG_DATUM(0));
	ArrayType  *keys = gpusort_array_detoast(PG_GETARG_DATUM(1));
	Datum		results[2];

	values = gpusort_array_in_order_of(fcinfo, values, keys, &order, &keys);
	results[0] = PointerGetDatum(values);
	results[1] = PointerGetDatum(keys);
	return gpusort_return_record(fcinfo, results);
}
