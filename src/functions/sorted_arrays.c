/*
 * sorted_arrays.c
 *	  Functions over arrays in ascending order: array_search_sorted, array_nearest,
 *	  array_between, array_between_by, array_merge and array_merge_by.
 *
 * The arrays are as array_sort leaves them: ascending, with NULLs at one end.  A search checks
 * the order of what it looks at, for to check all would cost more than the search.  Merging
 * sorts what is not in order.  Positions count from 1 whatever the lower bound.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/tupmacs.h"
#include "catalog/pg_type.h"

#include "functions/arguments.h"
#include "functions/array_functions.h"
#include "functions/collector.h"
#include "keys/intervals.h"
#include "keys/key_compare.h"
#include "large_memory.h"
#include "sort/select.h"
#include "toast/array_detoast.h"

PG_FUNCTION_INFO_V1(gpusort_typed_array);
PG_FUNCTION_INFO_V1(gpusort_typed_array_in);
PG_FUNCTION_INFO_V1(gpusort_array_search_sorted);
PG_FUNCTION_INFO_V1(gpusort_array_nearest);
PG_FUNCTION_INFO_V1(gpusort_array_nearest_targets);
PG_FUNCTION_INFO_V1(gpusort_array_between);
PG_FUNCTION_INFO_V1(gpusort_array_between_by);
PG_FUNCTION_INFO_V1(gpusort_array_merge);
PG_FUNCTION_INFO_V1(gpusort_array_merge_by);

/* A sorted array that is searched. */
typedef struct SortedArray
{
	ArrayItems	items;
	ComparatorSort *comparator; /* NULL for keys */
	uint32		before;			/* NULLs before the values */
	uint32		count;			/* values */
} SortedArray;

static void
open_sorted(FunctionCallInfo fcinfo, CachedArgument argument, SortedArray *sorted)
{
	ArrayItems *items = &sorted->items;
	ArrayOrder	order = {.collation = PG_GET_COLLATION()};
	const uint8 *bitmap;
	uint32		nulls;

	gpusort_items_open_array(items, fcinfo, argument, gpusort_array_detoast(PG_GETARG_DATUM(argument)), false);
	gpusort_array_require_one_dimension(items->array);
	nulls = gpusort_array_count_nulls(items->array, items->count);
	bitmap = ARR_NULLBITMAP(items->array);
	sorted->count = items->count - nulls;
	/* Where there are only NULLs they are last, as array_sort has them. */
	order.nulls_first = nulls > 0 && sorted->count > 0 && !(bitmap[0] & 1);
	sorted->before = order.nulls_first ? nulls : 0;
	/* NULLs between values would be taken for values. */
	if (gpusort_bitmap_count_nulls(bitmap, order.nulls_first ? nulls : sorted->count) != sorted->before)
		gpusort_refuse_unsorted(0);
	sorted->comparator = NULL;
	if (!gpusort_items_are_keys(items))
	{
		sorted->comparator = gpusort_element_comparator(items->type, order.collation, false);
		gpusort_items_take_out(items);
	}
}

/*
 * How many values come before the value or, with after, how many do or are equal to it.  Raises an error
 * if the first value comes after the last, or if the search comes across keys that are not in order.
 */
static uint32
count_before(const SortedArray *sorted, Datum value, bool after)
{
	const GpusortKeyForm form = sorted->items.element->form;
	const void *keys = ARR_DATA_PTR(sorted->items.array);
	const Datum *values = sorted->comparator == NULL ? NULL : sorted->items.values + sorted->before;
	uint32		low = 0;
	uint32		high = sorted->count;
	uint64		code = 0;
	uint64		here = 0;
	uint64		least = 0;
	uint64		greatest = 0;

	if (high == 0)
		return 0;
	if (values == NULL)
	{
		code = gpusort_element_code(sorted->items.element, value);
		least = gpusort_key_code(form, keys, 0);
		greatest = gpusort_key_code(form, keys, high - 1);
		if (least > greatest)
			gpusort_refuse_unsorted(0);
	}
	else if (gpusort_comparator_compare(sorted->comparator, values[0], values[high - 1]) > 0)
		gpusort_refuse_unsorted(0);
	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		int			order;

		if (values != NULL)
			order = gpusort_comparator_compare(sorted->comparator, values[middle], value);
		else
		{
			here = gpusort_key_code(form, keys, middle);
			if (here < least || here > greatest)
				gpusort_refuse_unsorted(0);
			order = (here > code) - (here < code);
		}
		if (order < 0 || (after && order == 0))
		{
			low = middle + 1;
			least = here;
		}
		else
		{
			high = middle;
			greatest = here;
		}
	}
	return low;
}

/* The casts from float4[] to float4_array and from numeric[] to numeric_array. */
Datum
gpusort_typed_array(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* An untyped array is neither: nothing tells what its elements are. */
Datum
gpusort_typed_array_in(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDETERMINATE_DATATYPE),
			 errmsg("could not determine the type of the array"),
			 errhint("Cast the array, for example to float8[].")));
}

/* Whether the argument of this number is a float8 that is looked for among float4 elements. */
static bool
is_rounded(FunctionCallInfo fcinfo, const SortedArray *sorted, int number)
{
	return sorted->items.element->oid == FLOAT4OID && gpusort_argument_type(fcinfo, number) == FLOAT8OID;
}

/*
 * The float4 that a float8 stands for.  Of what is beyond all float4 but infinity, after
 * says whether elements that are equal come before it: then it is no infinity upwards, else
 * none downwards, so that infinities are on the right side of it.
 */
static Datum
round_to_float4(double value, bool after)
{
	float4		rounded = (float4) value;

	if (isinf(rounded) && !isinf(value) && (value > 0) == after)
		rounded = value > 0 ? FLT_MAX : -FLT_MAX;
	return Float4GetDatum(rounded);
}

/* How many values come before that of an argument or, with after, how many do or are equal to it. */
static uint32
count_before_argument(FunctionCallInfo fcinfo, const SortedArray *sorted, int number, bool after)
{
	Datum		value = PG_GETARG_DATUM(number);

	if (is_rounded(fcinfo, sorted, number))
		value = round_to_float4(DatumGetFloat8(value), after);
	return count_before(sorted, value, after);
}

/* array_search_sorted(a, value, after): where v would be inserted, before its equals or after them. */
Datum
gpusort_array_search_sorted(PG_FUNCTION_ARGS)
{
	SortedArray sorted;

	open_sorted(fcinfo, FIRST_ARRAY, &sorted);
	PG_RETURN_INT32(sorted.before + count_before_argument(fcinfo, &sorted, 1, PG_GETARG_BOOL(2)) + 1);
}

/* The items that belong to the sorted elements from the argument of this number to the next one, both included. */
static ArrayType *
gather_between(FunctionCallInfo fcinfo, const SortedArray *sorted, ArrayItems *items, int low)
{
	uint32		first = count_before_argument(fcinfo, sorted, low, false);
	uint32		end = count_before_argument(fcinfo, sorted, low + 1, true);
	uint32		count = end > first ? end - first : 0;
	uint32	   *positions = gpusort_alloc_large(CurrentMemoryContext, Max(count, 1) * sizeof(uint32));
	ArrayType  *result;

	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		positions[i] = sorted->before + first + i;
	}
	result = gpusort_items_gather(items, positions, count, 1);
	pfree(positions);
	return result;
}

/* array_between(a, low, high): the elements from low to high, both included. */
Datum
gpusort_array_between(PG_FUNCTION_ARGS)
{
	SortedArray sorted;

	open_sorted(fcinfo, FIRST_ARRAY, &sorted);
	PG_RETURN_ARRAYTYPE_P(gather_between(fcinfo, &sorted, &sorted.items, 1));
}

/* array_between_by(vals, keys, low, high): the values whose keys are from low to high. */
Datum
gpusort_array_between_by(PG_FUNCTION_ARGS)
{
	SortedArray keys;
	ArrayItems	values;

	gpusort_items_open(&values, fcinfo, false);
	open_sorted(fcinfo, SECOND_ARRAY, &keys);
	gpusort_array_require_same_length(values.array, keys.items.array);
	PG_RETURN_ARRAYTYPE_P(gather_between(fcinfo, &keys, &values, 2));
}

/* The value of this number of an array of keys. */
static Datum
key_at(const SortedArray *sorted, uint32 number)
{
	const ElementType *element = sorted->items.element;

	return fetch_att(ARR_DATA_PTR(sorted->items.array) + (Size) number * element->stride, element->by_value, element->length);
}

/*
 * The distance of two numbers, of which the second is y if they are floats.  That of
 * integers is rounded beyond 2^53, and *whole is the exact one.
 */
static double
distance(GpusortKeyForm form, Datum a, Datum b, double y, uint64 *whole)
{
	*whole = 0;
	if (gpusort_form_is_float(form))
	{
		double		x = gpusort_float_of(form, a);

		return x == y ? 0 : fabs(x - y);
	}
	*whole = (uint64) gpusort_integer_of(form, a) - (uint64) gpusort_integer_of(form, b);
	if (gpusort_integer_of(form, a) < gpusort_integer_of(form, b))
		*whole = -*whole;
	return (double) *whole;
}

/*
 * The position of the number nearest to the value, or 0 if there is none within the
 * tolerance.  Of two that are equally near it is the lesser, and of equal ones the first.
 * NaN is near nothing.  A value that is rounded is a float8, for float4 elements.
 */
static int32
find_nearest(const SortedArray *sorted, Datum value, bool rounded, const Tolerance *tolerance)
{
	GpusortKeyForm form = sorted->items.element->form;
	double		number;
	double		limit;
	uint32		nearest;
	double		least = NAN;
	uint64		whole = 0;

	if (rounded)
	{
		number = DatumGetFloat8(value);
		value = round_to_float4(number, false);
		if (isfinite((float4) number))
			number = (float4) number;
	}
	else
		number = gpusort_form_is_float(form) ? gpusort_float_of(form, value) : 0;
	limit = gpusort_tolerance_at(tolerance, gpusort_form_is_float(form) ? number : (double) gpusort_integer_of(form, value));
	nearest = count_before(sorted, value, false);
	if (nearest < sorted->count)
		least = distance(form, key_at(sorted, nearest), value, number, &whole);
	if (nearest > 0)
	{
		Datum		before = key_at(sorted, nearest - 1);
		uint64		whole_before;
		double		least_before = distance(form, before, value, number, &whole_before);

		if (isnan(least) || least_before < least || (least_before == least && whole_before <= whole))
		{
			least = least_before;
			whole = whole_before;
			nearest = count_before(sorted, before, false);
		}
	}
	/* An exact distance may be greater than the limit that it is rounded to. */
	if (!(least <= limit) || (least == limit && limit < 0x1p64 && whole > 0 && whole - 1 >= (uint64) limit))
		return 0;
	return sorted->before + nearest + 1;
}

/* array_nearest(a, value, tolerance, ppm): the position of the number nearest to the value, or NULL. */
Datum
gpusort_array_nearest(PG_FUNCTION_ARGS)
{
	Tolerance	tolerance = gpusort_argument_tolerance(fcinfo, 2);
	SortedArray sorted;
	int32		position;

	open_sorted(fcinfo, FIRST_ARRAY, &sorted);
	position = find_nearest(&sorted, PG_GETARG_DATUM(1), is_rounded(fcinfo, &sorted, 1), &tolerance);
	if (position == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(position);
}

/* array_nearest(a, targets, tolerance, ppm): the position nearest to each target, or NULL. */
Datum
gpusort_array_nearest_targets(PG_FUNCTION_ARGS)
{
	Tolerance	tolerance = gpusort_argument_tolerance(fcinfo, 2);
	ArrayItems	targets;
	SortedArray sorted;
	Datum	   *positions;
	int			dims[1];
	int			lower_bounds[1] = {1};

	open_sorted(fcinfo, FIRST_ARRAY, &sorted);
	(void) gpusort_number_type(sorted.items.element->oid, "Cast to float8 or bigint, or to an array of these.");
	gpusort_items_open_array(&targets, fcinfo, SECOND_ARRAY, gpusort_array_detoast(PG_GETARG_DATUM(1)), false);
	gpusort_array_require_one_dimension(targets.array);
	gpusort_items_take_out(&targets);
	positions = gpusort_alloc_large(CurrentMemoryContext, Max(targets.count, 1) * sizeof(Datum));
	for (uint32 i = 0; i < targets.count; i++)
	{
		int32		position = targets.nulls[i] ? 0 : find_nearest(&sorted, targets.values[i], false, &tolerance);

		GPUSORT_CHECK_VALUES(i);
		positions[i] = Int32GetDatum(position);
		targets.nulls[i] = position == 0;
	}
	dims[0] = targets.count;
	PG_RETURN_ARRAYTYPE_P(construct_md_array(positions, targets.nulls, targets.count > 0, dims, lower_bounds,
											 INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

/* The elements of two arrays, those of the second behind those of the first. */
static ArrayType *
concatenate(FunctionCallInfo fcinfo, CachedArgument slot, ArrayType *first, ArrayType *second)
{
	ArrayType  *arrays[2] = {first, second};
	Collector	all;

	gpusort_collector_init(&all, gpusort_element_type(fcinfo, slot, ARR_ELEMTYPE(arrays[0])));
	for (int i = 0; i < 2; i++)
	{
		Collector	part = all;

		gpusort_array_require_one_dimension(arrays[i]);
		gpusort_collector_clear(&part);
		gpusort_collector_view(&part, arrays[i]);
		gpusort_collector_concat(&all, CurrentMemoryContext, &part);
	}
	return gpusort_collector_array(&all);
}

/* How many elements of an array are not NULL. */
static uint32
count_values(const ArrayType *array)
{
	uint32		length = gpusort_array_length(array);

	return length - gpusort_array_count_nulls(array, length);
}

/* The order of the keys of `first` and others behind them, NULLs last, as two runs if each is in order, -0 before 0. */
static ArrayOrder
order_of_runs(FunctionCallInfo fcinfo, CachedArgument slot, const ArrayType *both, const ArrayType *first)
{
	const ElementType *element = gpusort_element_type(fcinfo, slot, ARR_ELEMTYPE(both));
	uint32		end = count_values(both);
	uint32		middle = count_values(first);
	const char *keys = ARR_DATA_PTR(both);
	bool		in_order = element->is_key && gpusort_select_in_order(element->form, keys, middle) &&
		gpusort_select_in_order(element->form, keys + (Size) middle * element->stride, end - middle);

	return (ArrayOrder)
	{
		.collation = PG_GET_COLLATION(),
		.limit = PG_UINT32_MAX,
		.second_run = in_order ? (middle > 0 ? middle : end) : 0
	};
}

/* array_merge(a, b): the elements of both in order. */
Datum
gpusort_array_merge(PG_FUNCTION_ARGS)
{
	ArrayType  *first = gpusort_array_detoast(PG_GETARG_DATUM(0));
	ArrayType  *both = concatenate(fcinfo, FIRST_ARRAY, first, gpusort_array_detoast(PG_GETARG_DATUM(1)));
	ArrayOrder	order = order_of_runs(fcinfo, FIRST_ARRAY, both, first);

	PG_RETURN_ARRAYTYPE_P(gpusort_array_in_order(fcinfo, both, &order));
}

/* array_merge_by(vals_a, keys_a, vals_b, keys_b): values and keys of both in the order of the keys. */
Datum
gpusort_array_merge_by(PG_FUNCTION_ARGS)
{
	ArrayType  *arrays[4];
	ArrayType  *values;
	ArrayType  *keys;
	ArrayOrder	order;
	Datum		results[2];

	for (int i = 0; i < 4; i++)
		arrays[i] = gpusort_array_detoast(PG_GETARG_DATUM(i));
	values = concatenate(fcinfo, FIRST_ARRAY, arrays[0], arrays[2]);
	gpusort_array_require_same_length(arrays[0], arrays[1]);
	gpusort_array_require_same_length(arrays[2], arrays[3]);
	keys = concatenate(fcinfo, SECOND_ARRAY, arrays[1], arrays[3]);
	order = order_of_runs(fcinfo, SECOND_ARRAY, keys, arrays[1]);
	values = gpusort_array_in_order_of(fcinfo, values, keys, &order, &keys);
	results[0] = PointerGetDatum(values);
	results[1] = PointerGetDatum(keys);
	return gpusort_return_record(fcinfo, results);
}
