/*
 * array_sort.c
 *	  array_sort, array_sort_distinct, array_top_n, array_is_sorted.
 *
 * In the common case of one dimension and a key type the argument is copied once, and the
 * copy is sorted in place and returned.  For a toasted argument the copy is what
 * detoasting makes.
 */
#include "postgres.h"

#include "toast/array_detoast.h"
#include "arrays/array_order.h"
#include "keys/key_compare.h"
#include "functions/arguments.h"
#include "functions/array_functions.h"
#include "large_memory.h"

PG_FUNCTION_INFO_V1(gpusort_array_sort);
PG_FUNCTION_INFO_V1(gpusort_array_sort_distinct);
PG_FUNCTION_INFO_V1(gpusort_array_top_n);
PG_FUNCTION_INFO_V1(gpusort_array_is_sorted);

/* A new array of the items in order up to the limit, for slices and for items that are not keys. */
static ArrayType *
sort_items(ArrayItems *items, const ArrayOrder *order)
{
	uint32	   *positions = gpusort_alloc_large(CurrentMemoryContext, items->count * sizeof(uint32));
	uint32		wanted = gpusort_order_positions(items, order, positions);
	ArrayType  *result = gpusort_items_gather(items, positions, wanted, ARR_LBOUND(items->array)[0]);

	pfree(positions);
	return result;
}

/* An array of keys in order up to the limit.  Works in place. */
static ArrayType *
sort_keys(ArrayType *array, const ElementType *element, ArrayOrder order)
{
	const GpusortKeyForm form = element->form;
	void	   *keys = ARR_DATA_PTR(array);
	uint32		length = gpusort_array_length(array);
	uint32		nulls = gpusort_array_count_nulls(array, length);
	uint32		present = length - nulls;
	uint32		wanted = Min(order.limit, length);
	uint32		values = order.nulls_first ? wanted - Min(wanted, nulls) : Min(wanted, present);
	uint32		nulls_wanted = wanted - values;

	order.limit = order.with_ties ? present : values;
	if (values > 0)
		gpusort_order_keys(keys, present, form, &order);
	if (order.with_ties && nulls_wanted > 0)
		nulls_wanted = nulls;
	if (order.with_ties && values > 0)
		for (; values < present && gpusort_key_code(form, keys, values) == gpusort_key_code(form, keys, values - 1); values++)
			GPUSORT_CHECK_EVERY(values);
	return gpusort_array_reshape(array, element, values, nulls_wanted, order.nulls_first);
}

ArrayType *
gpusort_array_in_order(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order)
{
	uint32		length = gpusort_array_length(array);
	const ElementType *element;
	ArrayItems	items;

	if (length == 0)
		return array;
	element = gpusort_element_type(fcinfo, FIRST_ARRAY, ARR_ELEMTYPE(array));
	if (element->is_key && ARR_NDIM(array) == 1)
		return sort_keys(array, element, *order);
	if (length == 1 && order->limit > 0)
		return array;
	gpusort_items_open_slices(&items, fcinfo, array);
	return sort_items(&items, order);
}

/*
 * array_sort(a [, descending [, nulls_first]]): the same as PostgreSQL 18's function of
 * this name, on every version.
 */
Datum
gpusort_array_sort(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 1);

	PG_RETURN_ARRAYTYPE_P(gpusort_array_in_order(fcinfo, gpusort_array_detoast_copy(PG_GETARG_DATUM(0)), &order));
}

/* The distinct items of an array of keys, in order.  Works in place. */
static ArrayType *
distinct_keys(ArrayItems *items, const ArrayOrder *order)
{
	uint32		count = gpusort_order_in_place(items->array, items->element, order);
	uint32		kept = count;

	if (count > 1)
		kept = gpusort_keys_distinct(items->element->form, ARR_DATA_PTR(items->array), count);
	return gpusort_array_reshape(items->array, items->element,
								 kept, Min(items->count - count, 1), order->nulls_first);
}

/* The distinct items of any array, in order.  Of equal items the first is kept. */
static ArrayType *
distinct_items(ArrayItems *items, const ArrayOrder *order)
{
	uint32	   *positions = gpusort_alloc_large(CurrentMemoryContext, items->count * sizeof(uint32));
	bool	   *begins = gpusort_alloc_large(CurrentMemoryContext, items->count * sizeof(bool));
	uint32		kept = 0;
	ArrayType  *result;

	gpusort_order_positions(items, order, positions);
	gpusort_order_classes(items, order, positions, begins);
	for (uint32 i = 0; i < items->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (begins[i])
			positions[kept++] = positions[i];
	}
	result = gpusort_items_gather(items, positions, kept, gpusort_array_lower_bound(items->array));
	pfree(begins);
	pfree(positions);
	return result;
}

ArrayType *
gpusort_distinct_of_array(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order)
{
	ArrayItems	items;

	gpusort_array_require_one_dimension(array);
	gpusort_items_open_array(&items, fcinfo, FIRST_ARRAY, array, true);
	if (items.count == 0)
		return array;
	if (gpusort_items_are_keys(&items))
		return distinct_keys(&items, order);
	return items.count == 1 ? array : distinct_items(&items, order);
}

/* array_sort_distinct(a [, descending [, nulls_first]]): sorted, each value once. */
Datum
gpusort_array_sort_distinct(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 1);

	PG_RETURN_ARRAYTYPE_P(gpusort_distinct_of_array(fcinfo, gpusort_array_detoast_copy(PG_GETARG_DATUM(0)), &order));
}

/* array_top_n(a, n, descending, nulls_first, with_ties): the n greatest, or least, elements in order. */
Datum
gpusort_array_top_n(PG_FUNCTION_ARGS)
{
	ArrayType  *array = gpusort_array_detoast_copy(PG_GETARG_DATUM(0));
	ArrayOrder	order = {.collation = PG_GET_COLLATION()};

	gpusort_argument_top(fcinfo, 1, &order);
	gpusort_array_require_one_dimension(array);
	if (ARR_NDIM(array) > 0)
		ARR_LBOUND(array)[0] = 1;
	PG_RETURN_ARRAYTYPE_P(gpusort_array_in_order(fcinfo, array, &order));
}

/* array_is_sorted(a [, descending [, nulls_first]]): true if array_sort would not change it. */
Datum
gpusort_array_is_sorted(PG_FUNCTION_ARGS)
{
	ArrayType  *array = gpusort_array_detoast(PG_GETARG_DATUM(0));
	ArrayOrder	order = gpusort_argument_order(fcinfo, 1);
	ArrayItems	items;

	if (gpusort_array_length(array) < 2)
		PG_RETURN_BOOL(true);
	gpusort_items_open_slices(&items, fcinfo, array);
	PG_RETURN_BOOL(gpusort_order_holds(&items, &order));
}
