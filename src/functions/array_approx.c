/*
 * array_approx.c
 *	  array_sort_approx.
 *
 * An approximate sort cuts the range of the keys into intervals of equal width
 * and puts each key into its interval's part of the result, in the array's order.
 * A key's distance from its sorted place is less than the number of keys in its interval.
 */
#include "postgres.h"

#include "toast/array_detoast.h"
#include "arrays/array_order.h"
#include "functions/arguments.h"
#include "functions/array_functions.h"

PG_FUNCTION_INFO_V1(gpusort_array_sort_approx);

ArrayType *
gpusort_array_in_intervals(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order)
{
	ArrayItems	items;
	uint32		count;

	gpusort_items_open_array(&items, fcinfo, FIRST_ARRAY, array, true);
	gpusort_array_require_one_dimension(array);
	if (!gpusort_items_are_keys(&items))
		gpusort_refuse_intervals(items.type->oid);
	if (items.count == 0)
		return array;
	count = gpusort_order_in_place(array, items.element, order);
	return gpusort_array_reshape(array, items.element, count, items.count - count, order->nulls_first);
}

/*
 * array_sort_approx(a, buckets [, descending [, nulls_first]]): `buckets` intervals in order, the array's
 * order within each.
 */
Datum
gpusort_array_sort_approx(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 2);

	order.buckets = gpusort_argument_buckets(fcinfo, 1);
	PG_RETURN_ARRAYTYPE_P(gpusort_array_in_intervals(fcinfo, gpusort_array_detoast_copy(PG_GETARG_DATUM(0)), &order));
}
