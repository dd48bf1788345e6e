/*
 * sorted_arrays.c
 *	  Functions over arrays in ascending order: array_search_sorted, array_nearest,
 *	  array_between, array_merge and array_merge_by.
 *
 * The arrays are as array_sort leaves them: ascending, with NULLs at one end.  The order of
 * the values is not checked, for that would cost more than the search; of an array in
 * another order the result is unspecified.  Positions count from 1 whatever the lower bound.
 *
 * The array is never converted, whatever the type of the value is, so a search looks at few
 * elements and what is returned has the array's type.  The value becomes one of the elements' type
 * where PostgreSQL would make it that by itself.  Else the elements that are looked at become ones
 * of the value's type.  Only beside float4 a value is rounded, because clients send every
 * number with a fraction as float8.  An untyped literal comes as text.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "access/tupmacs.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "functions/arguments.h"
#include "functions/array_functions.h"
#include "functions/collector.h"
#include "keys/key_compare.h"
#include "large_memory.h"
#include "toast/array_detoast.h"

PG_FUNCTION_INFO_V1(gpusort_array_search_sorted);
PG_FUNCTION_INFO_V1(gpusort_array_nearest);
PG_FUNCTION_INFO_V1(gpusort_array_between);
PG_FUNCTION_INFO_V1(gpusort_array_merge);
PG_FUNCTION_INFO_V1(gpusort_array_merge_by);

/* How a value of another type is compared with elements, in the order in which the ways are considered. */
typedef enum ConversionWay
{
	CONVERT_VALUE,				/* the value becomes one of the elements' type */
	CONVERT_TO_FLOAT4,			/* the value becomes a float8, and is rounded to float4 */
	CONVERT_TEXT,				/* the value is read as the elements' type reads its literals */
	CONVERT_ELEMENTS			/* the elements that it is compared with become ones of its type */
} ConversionWay;

/* The conversion of the last call. */
typedef struct Conversion
{
	Oid			element;		/* InvalidOid before the first call */
	Oid			value;
	ConversionWay way;
	FmgrInfo	function;		/* fn_oid is InvalidOid if both types have the same values */
	Oid			parameter;		/* type argument of an input function */
	Datum		constants[2];	/* what arguments 1 and 2 became */
	bool		kept[2];		/* those that are constants and became what is there */
} Conversion;

/* A sorted array that is searched. */
typedef struct SortedArray
{
	ArrayItems	items;
	Conversion *conversion;		/* NULL if the value has the elements' type */
	ElementType *compared;		/* the type that is compared */
	ComparatorSort *comparator; /* NULL for keys */
	uint32		before;			/* NULLs before the values */
	uint32		count;			/* values */
} SortedArray;

/* True if PostgreSQL makes values of the target type of these without being asked to, whatever is set; and by which function. */
static bool
is_implicit(Oid target, Oid source, Oid *function)
{
	CoercionPathType path = find_coercion_pathway(target, source, COERCION_IMPLICIT, function);

	/* The rights to call a user's function are not checked here. */
	return path == COERCION_PATH_RELABELTYPE ||
		(path == COERCION_PATH_FUNC && *function < FirstNormalObjectId && func_volatile(*function) == PROVOLATILE_IMMUTABLE);
}

/* Sets how a value is converted.  Raises an error for types that have no order in common. */
static void
find_conversion(Conversion *conversion, MemoryContext context)
{
	Oid			element = getBaseType(conversion->element);
	Oid			value = getBaseType(conversion->value);
	Oid			function = InvalidOid;
	Oid			input;

	getTypeInputInfo(element, &input, &conversion->parameter);
	if (element != FLOAT4OID && is_implicit(element, value, &function))
		conversion->way = CONVERT_VALUE;
	else if (element == FLOAT4OID && is_implicit(FLOAT8OID, value, &function))
		conversion->way = CONVERT_TO_FLOAT4;
	else if (value == TEXTOID && (func_volatile(input) == PROVOLATILE_IMMUTABLE || type_is_enum(element)))
	{
		conversion->way = CONVERT_TEXT;
		function = input;
	}
	else if (is_implicit(value, element, &function))
		conversion->way = CONVERT_ELEMENTS;
	else
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a value of type %s cannot be compared with elements of type %s",
						format_type_be(conversion->value), format_type_be(conversion->element)),
				 errhint("Cast the value to the type of the elements.")));
	conversion->function.fn_oid = InvalidOid;
	if (OidIsValid(function))
		fmgr_info_cxt(function, &conversion->function, context);
}

/* The conversion for argument 1, a value that is searched for; NULL if it has the elements' type. */
static Conversion *
conversion_of(FunctionCallInfo fcinfo, Oid element)
{
	Oid			value = gpusort_argument_type(fcinfo, 1);
	CallCache  *cache = gpusort_call_cache(fcinfo);
	Conversion *conversion = cache->of_function;

	if (value == element)
		return NULL;
	if (conversion == NULL)
		cache->of_function = conversion = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Conversion));
	if (conversion->element != element || conversion->value != value)
	{
		Conversion	found = {.element = element,.value = value};

		find_conversion(&found, fcinfo->flinfo->fn_mcxt);
		*conversion = found;
	}
	return conversion;
}

static Datum
call_conversion(Conversion *conversion, Datum value)
{
	LOCAL_FCINFO(call, 3);
	Datum		result;

	if (!OidIsValid(conversion->function.fn_oid))
		return value;
	/* Casts may also take a type modifier, of which there is none, and whether they are explicit. */
	InitFunctionCallInfoData(*call, &conversion->function, conversion->function.fn_nargs, InvalidOid, NULL, NULL);
	call->args[0] = (NullableDatum) {value, false};
	call->args[1] = (NullableDatum) {Int32GetDatum(-1), false};
	call->args[2] = (NullableDatum) {BoolGetDatum(false), false};
	result = FunctionCallInvoke(call);
	if (call->isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("cast function %u returned NULL", conversion->function.fn_oid)));
	return result;
}

/* True if the argument is a constant in the query. */
static bool
is_constant(FunctionCallInfo fcinfo, int number)
{
	const Node *call = fcinfo->flinfo->fn_expr;

	return call != NULL && IsA(call, FuncExpr) && IsA(list_nth(((const FuncExpr *) call)->args, number), Const);
}

/* An argument that is searched for, 1 or 2, in the type that is compared. */
static Datum
value_argument(FunctionCallInfo fcinfo, SortedArray *sorted, int number)
{
	Conversion *conversion = sorted->conversion;
	const ElementType *type = sorted->compared;
	Datum		value = PG_GETARG_DATUM(number);
	MemoryContext caller;

	if (conversion == NULL || conversion->way == CONVERT_ELEMENTS)
		return value;
	if (conversion->kept[number - 1])
		return conversion->constants[number - 1];
	if (conversion->way == CONVERT_TEXT)
		value = InputFunctionCall(&conversion->function, TextDatumGetCString(value), conversion->parameter, -1);
	else
		value = call_conversion(conversion, value);
	if (conversion->way == CONVERT_TO_FLOAT4)
		value = Float4GetDatum((float4) DatumGetFloat8(value));
	if (is_constant(fcinfo, number))
	{
		caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		conversion->constants[number - 1] = datumCopy(value, type->by_value, type->length);
		MemoryContextSwitchTo(caller);
		conversion->kept[number - 1] = true;
	}
	return value;
}

/* Raises an error for NULLs between values, which would be taken for values. */
static void
check_nulls(const SortedArray *sorted, uint32 nulls)
{
	const uint8 *bitmap = ARR_NULLBITMAP(sorted->items.array);
	uint32		first = sorted->before > 0 ? 0 : sorted->count;

	for (uint32 i = first; i < first + nulls; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (bitmap[i / 8] & (1 << i % 8))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("NULLs in a sorted array must be at one end"),
					 errhint("Sort the array with array_sort.")));
	}
}

static void
open_sorted(FunctionCallInfo fcinfo, SortedArray *sorted, ArrayType *array)
{
	ArrayItems *items = &sorted->items;
	const uint8 *bitmap;
	uint32		nulls;

	gpusort_items_open_array(items, fcinfo, FIRST_ARRAY, array, false);
	gpusort_array_require_one_dimension(items->array);
	nulls = gpusort_array_count_nulls(items->array, items->count);
	bitmap = ARR_NULLBITMAP(items->array);
	sorted->count = items->count - nulls;
	sorted->before = nulls > 0 && !(bitmap[0] & 1) ? nulls : 0;
	if (nulls > 0)
		check_nulls(sorted, nulls);
	sorted->conversion = conversion_of(fcinfo, items->element->oid);
	sorted->compared = items->element;
	if (sorted->conversion != NULL && sorted->conversion->way == CONVERT_ELEMENTS)
		sorted->compared = gpusort_element_type(fcinfo, SECOND_ARRAY, sorted->conversion->value);
	sorted->comparator = NULL;
	if (!sorted->compared->is_key || sorted->compared != items->element)
		sorted->comparator = gpusort_element_comparator(sorted->compared, PG_GET_COLLATION(), false);
	if (!gpusort_items_are_keys(items))
		gpusort_items_take_out(items);
}

/* The value of this number, in the type that is compared. */
static Datum
value_at(const SortedArray *sorted, uint32 number)
{
	const ArrayItems *items = &sorted->items;
	const ElementType *element = items->element;
	Datum		value;

	if (items->values != NULL)
		value = items->values[sorted->before + number];
	else
		value = fetch_att(ARR_DATA_PTR(items->array) + (Size) number * element->stride, element->by_value, element->length);
	return sorted->compared == element ? value : call_conversion(sorted->conversion, value);
}

/*
 * Less than, equal to or greater than 0 as the value of this number comes before, is equal
 * to or comes after the given one.  If that is a key, code is its code.
 */
static int
compare_at(const SortedArray *sorted, uint32 number, Datum value, const uint64 *code)
{
	GpusortKeyForm form = sorted->items.element->form;
	uint64		here;

	if (sorted->comparator != NULL)
		return gpusort_comparator_compare(sorted->comparator, value_at(sorted, number), value);
	here = gpusort_key_code(form, ARR_DATA_PTR(sorted->items.array), number);
	return (here > *code) - (here < *code);
}

/* How many values come before the converted value or, with after, how many do or are equal to it. */
static uint32
count_before(const SortedArray *sorted, Datum value, bool after)
{
	const ElementType *element = sorted->items.element;
	uint32		low = 0;
	uint32		high = sorted->count;
	uint64		code = 0;

	if (sorted->comparator == NULL)
	{
		uint64		stored = 0;

		if (element->by_value)
			store_att_byval(&stored, value, element->length);
		code = gpusort_key_code(element->form, element->by_value ? (void *) &stored : DatumGetPointer(value), 0);
	}
	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		int			order = compare_at(sorted, middle, value, &code);

		if (order < 0 || (after && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* array_search_sorted(a, v [, after]): where v would be inserted, before its equals or after them. */
Datum
gpusort_array_search_sorted(PG_FUNCTION_ARGS)
{
	bool		after = gpusort_argument_bool(fcinfo, 2, "after", false);
	SortedArray sorted;

	open_sorted(fcinfo, &sorted, gpusort_array_detoast(PG_GETARG_DATUM(0)));
	PG_RETURN_INT32(sorted.before + count_before(&sorted, value_argument(fcinfo, &sorted, 1), after) + 1);
}

/* array_between(a, low, high): the elements from low to high, both included. */
Datum
gpusort_array_between(PG_FUNCTION_ARGS)
{
	SortedArray sorted;
	uint32		first;
	uint32		end;
	uint32		count;
	uint32	   *positions;
	ArrayType  *result;

	open_sorted(fcinfo, &sorted, gpusort_array_detoast(PG_GETARG_DATUM(0)));
	first = count_before(&sorted, value_argument(fcinfo, &sorted, 1), false);
	end = count_before(&sorted, value_argument(fcinfo, &sorted, 2), true);
	count = end > first ? end - first : 0;
	positions = gpusort_alloc_large(CurrentMemoryContext, Max(count, 1) * sizeof(uint32));
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		positions[i] = sorted.before + first + i;
	}
	result = gpusort_items_gather(&sorted.items, positions, count, 1);
	pfree(positions);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* A number as a float8. */
static double
as_float8(Oid type, Datum number)
{
	switch (type)
	{
		case FLOAT4OID:
			return DatumGetFloat4(number);
		case FLOAT8OID:
			return DatumGetFloat8(number);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8, number));
		default:
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("values of type %s have no distance", format_type_be(type))));
	}
}

/* The distance of two numbers of a type.  That of integers is rounded beyond 2^53, and *whole is the exact one. */
static double
distance(Oid type, Datum a, Datum b, uint64 *whole)
{
	double		x;
	double		y;

	*whole = 0;
	if (type == INT2OID || type == INT4OID || type == INT8OID)
	{
		int64		here = type == INT2OID ? DatumGetInt16(a) : type == INT4OID ? DatumGetInt32(a) : DatumGetInt64(a);
		int64		there = type == INT2OID ? DatumGetInt16(b) : type == INT4OID ? DatumGetInt32(b) : DatumGetInt64(b);

		*whole = here > there ? (uint64) here - (uint64) there : (uint64) there - (uint64) here;
		return (double) *whole;
	}
	x = as_float8(type, a);
	y = as_float8(type, b);
	return x == y ? 0 : fabs(x - y);
}

/*
 * array_nearest(a, v [, tolerance]): the position of the number nearest to v, or NULL if
 * there is none within the tolerance.  Of two that are equally near it is the lesser, and
 * of equal ones the first.  NaN is near nothing.
 */
Datum
gpusort_array_nearest(PG_FUNCTION_ARGS)
{
	double		tolerance = PG_NARGS() > 2 ? PG_GETARG_FLOAT8(2) : INFINITY;
	SortedArray sorted;
	Datum		value;
	Oid			type;
	uint32		nearest;
	double		least = NAN;
	uint64		whole = 0;

	if (!(tolerance >= 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tolerance must be at least 0, not %g", tolerance)));
	open_sorted(fcinfo, &sorted, gpusort_array_of_numbers(gpusort_array_detoast(PG_GETARG_DATUM(0))));
	type = getBaseType(sorted.compared->oid);
	value = value_argument(fcinfo, &sorted, 1);
	nearest = count_before(&sorted, value, false);
	if (nearest < sorted.count)
		least = distance(type, value_at(&sorted, nearest), value, &whole);
	if (nearest > 0)
	{
		Datum		before = value_at(&sorted, nearest - 1);
		uint64		whole_before;
		double		least_before = distance(type, before, value, &whole_before);

		if (isnan(least) || least_before < least || (least_before == least && whole_before <= whole))
		{
			least = least_before;
			whole = whole_before;
			nearest = count_before(&sorted, before, false);
		}
	}
	/* An exact distance may be greater than the tolerance that it is rounded to. */
	if (!(least <= tolerance) || (least == tolerance && whole > 0 && whole - 1 >= (uint64) tolerance))
		PG_RETURN_NULL();
	PG_RETURN_INT32(sorted.before + nearest + 1);
}

/* The elements of two arrays, those of the second behind those of the first. */
static ArrayType *
concatenate(FunctionCallInfo fcinfo, CachedArgument slot, ArrayType *first, ArrayType *second, uint32 *run_ends)
{
	ArrayType  *arrays[2] = {first, second};
	Collector	all;
	uint32		values = 0;

	gpusort_collector_check_size((int64) gpusort_array_length(first) + gpusort_array_length(second),
								 (Size) ARR_SIZE(first) + ARR_SIZE(second) - ARR_DATA_OFFSET(second));
	gpusort_collector_init(&all, gpusort_element_type(fcinfo, slot, ARR_ELEMTYPE(arrays[0])));
	for (int i = 0; i < 2; i++)
	{
		uint32		length = gpusort_array_length(arrays[i]);
		Collector	part = all;

		gpusort_array_require_one_dimension(arrays[i]);
		gpusort_collector_clear(&part);
		gpusort_collector_view(&part, arrays[i]);
		gpusort_collector_concat(&all, CurrentMemoryContext, &part);
		values += length - gpusort_array_count_nulls(arrays[i], length);
		run_ends[i] = values;
	}
	return gpusort_collector_array(&all);
}

/* The order of two runs, NULLs last. */
static ArrayOrder
order_of_runs(FunctionCallInfo fcinfo, const uint32 *run_ends)
{
	return (ArrayOrder)
	{
		.collation = PG_GET_COLLATION(),
		.limit = PG_UINT32_MAX,
		.nruns = 2,
		.run_ends = run_ends
	};
}

/* array_merge(a, b): the elements of both in order. */
Datum
gpusort_array_merge(PG_FUNCTION_ARGS)
{
	uint32		run_ends[2];
	ArrayType  *both = concatenate(fcinfo, FIRST_ARRAY, gpusort_array_detoast(PG_GETARG_DATUM(0)),
								   gpusort_array_detoast(PG_GETARG_DATUM(1)), run_ends);
	ArrayOrder	order = order_of_runs(fcinfo, run_ends);

	PG_RETURN_ARRAYTYPE_P(gpusort_array_in_order(fcinfo, both, &order));
}

/* array_merge_by(vals_a, keys_a, vals_b, keys_b): values and keys of both in the order of the keys. */
Datum
gpusort_array_merge_by(PG_FUNCTION_ARGS)
{
	uint32		run_ends[2];
	ArrayType  *arrays[4];
	ArrayType  *values;
	ArrayType  *keys;
	ArrayOrder	order;
	Datum		results[2];
	bool		nulls[2] = {false, false};

	for (int i = 0; i < 4; i++)
		arrays[i] = gpusort_array_detoast(PG_GETARG_DATUM(i));
	values = concatenate(fcinfo, FIRST_ARRAY, arrays[0], arrays[2], run_ends);
	gpusort_array_require_same_length(arrays[0], arrays[1]);
	gpusort_array_require_same_length(arrays[2], arrays[3]);
	keys = concatenate(fcinfo, SECOND_ARRAY, arrays[1], arrays[3], run_ends);
	order = order_of_runs(fcinfo, run_ends);
	gpusort_arrays_in_order(fcinfo, values, keys, &order, &values, &keys);
	results[0] = PointerGetDatum(values);
	results[1] = PointerGetDatum(keys);
	return gpusort_return_record(fcinfo, results, nulls);
}
