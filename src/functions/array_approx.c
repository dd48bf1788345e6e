/*
 * array_approx.c
 *	  array_sort_approx, array_sort_approx_within.
 *
 * An approximate sort cuts the range of the keys into intervals of equal width
 * and puts each key into its interval's part of the result, in the array's order.
 * So a key lies at most the size of its interval, less one, from its sorted place.
 *
 * A bound on that distance is kept by exact order as well, which costs less than
 * intervals that suit the keys: these are made only if gpusort.method says so.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "arrays/array_detoast.h"
#include "arrays/array_order.h"
#include "arrays/key_intervals.h"
#include "functions/arguments.h"
#include "functions/array_functions.h"
#include "guc.h"
#include "sort/sort.h"

PG_FUNCTION_INFO_V1(gpusort_array_sort_approx);
PG_FUNCTION_INFO_V1(gpusort_array_sort_approx_within);

/* Intervals for each group of keys that may share one: skewed keys need more than one. */
#define INTERVALS_PER_ALLOWED 4

/* Opens an array of our own to be put in approximate order: one dimension, keys. */
static void
open_keys(FunctionCallInfo fcinfo, ArrayType *array, ArrayItems *items)
{
	gpusort_items_open_array(items, fcinfo, FIRST_ARRAY, array, true);
	gpusort_array_require_one_dimension(array);
	if (!gpusort_items_are_keys(items))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("approximate order is not possible for type %s", format_type_be(items->type->oid)),
				 errhint("Its values do not lie on a line of numbers; use array_sort.")));
}

ArrayType *
gpusort_sort_array_approx(FunctionCallInfo fcinfo, ArrayType *array, const ArrayOrder *order)
{
	ArrayItems	items;
	uint32		count;

	open_keys(fcinfo, array, &items);
	if (items.count < 2)
		return array;
	count = gpusort_order_keys(array, items.element, order);
	return gpusort_array_reshape(array, items.element, count, items.count - count, order->nulls_first);
}

/*
 * array_sort_approx(a, buckets [, descending]): in order between so many
 * intervals, as it was within each.
 */
Datum
gpusort_array_sort_approx(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 2);
	int32		buckets = PG_GETARG_INT32(1);

	if (buckets < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of buckets must be at least 1: %d", buckets)));
	order.buckets = buckets;
	PG_RETURN_ARRAYTYPE_P(gpusort_sort_array_approx(fcinfo, gpusort_array_detoast_copy(PG_GETARG_DATUM(0)), &order));
}

/* Intervals for some keys, and what must be sorted of them to keep a bound. */
typedef struct IntervalPlan
{
	uint32		buckets;		/* intervals */
	uint32		largest;		/* keys in the fullest */
	uint32		too_large;		/* keys in intervals that hold too many */
	uint32		nsegments;		/* intervals that hold too many */
	GpusortSegment *segments;	/* and where they lie in approximate order */
} IntervalPlan;

/* Counts keys by interval and finds the intervals that hold more than allowed. */
static void
plan_intervals(const ArrayItems *items, uint32 count, bool descending, uint32 allowed,
			   IntervalPlan *plan)
{
	uint64		wanted = (uint64) INTERVALS_PER_ALLOWED * count / allowed + 1;
	void	   *keys = ARR_DATA_PTR(items->array);
	GpusortProjection projection;
	uint32	   *counts;
	uint32		start = 0;

	plan->buckets = Min(wanted, count);
	plan->largest = 0;
	plan->too_large = 0;
	plan->nsegments = 0;
	counts = palloc_array(uint32, plan->buckets);
	gpusort_keys_project(items->element->form, keys, count, plan->buckets, descending, &projection);
	gpusort_keys_count_intervals(items->element->form, keys, count, &projection, counts);
	for (uint32 i = 0; i < plan->buckets; i++)
	{
		plan->largest = Max(plan->largest, counts[i]);
		plan->nsegments += counts[i] > allowed;
	}
	plan->segments = palloc_array(GpusortSegment, plan->nsegments);
	plan->nsegments = 0;
	for (uint32 i = 0; i < plan->buckets; i++)
	{
		if (counts[i] > allowed)
		{
			GpusortSegment *segment = &plan->segments[plan->nsegments++];

			segment->start = start;
			segment->count = counts[i];
			plan->too_large += counts[i];
		}
		start += counts[i];
	}
	pfree(counts);
}

/* Sorts the keys of the plan's overfull intervals, which are in approximate order already. */
static void
sort_overfull(const ArrayItems *items, uint32 count, bool descending, const IntervalPlan *plan)
{
	SortRequest request = {
		.spec = {
			.form = items->element->form,
			.payload = GPUSORT_PAYLOAD_NONE,
			.method = GPUSORT_METHOD_RADIX,
			.descending = descending
		},
		.keys = ARR_DATA_PTR(items->array),
		.segments = plan->segments,
		.nsegments = plan->nsegments,
		.nslots = count
	};

	gpusort_sort(&request);
}

/*
 * Puts an array's keys in an order in which none lies more than displacement from
 * its sorted place, by intervals of which those that hold too many keys are sorted.
 * Returns how many keys there are.
 */
static uint32
sort_by_intervals(const ArrayItems *items, ArrayOrder order, uint32 displacement)
{
	uint32		count = items->count - gpusort_array_count_nulls(items->array, items->count);
	IntervalPlan plan;

	if (count < 2)
		return count;
	plan_intervals(items, count, order.descending, displacement + 1, &plan);
	ereport(DEBUG1,
			(errmsg_internal("array_sort_approx_within: %u keys in %u intervals, at most %u in one; %u keys need exact order",
							 count, plan.buckets, plan.largest, plan.too_large)));
	order.buckets = plan.buckets;
	gpusort_order_keys(items->array, items->element, &order);
	if (plan.nsegments > 0)
		sort_overfull(items, count, order.descending, &plan);
	pfree(plan.segments);
	return count;
}

/*
 * array_sort_approx_within(a, max_displacement [, descending]): no element lies
 * more than max_displacement from its sorted place.
 */
Datum
gpusort_array_sort_approx_within(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 2);
	int32		displacement = PG_GETARG_INT32(1);
	ArrayItems	items;
	uint32		count;

	if (displacement < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("maximum displacement must not be negative: %d", displacement)));
	open_keys(fcinfo, gpusort_array_detoast_copy(PG_GETARG_DATUM(0)), &items);
	if (items.count < 2)
		PG_RETURN_ARRAYTYPE_P(items.array);
	if (gpusort_method == GPUSORT_METHOD_APPROXIMATE)
		count = sort_by_intervals(&items, order, displacement);
	else
		count = gpusort_order_keys(items.array, items.element, &order);
	PG_RETURN_ARRAYTYPE_P(gpusort_array_reshape(items.array, items.element, count,
												items.count - count, order.nulls_first));
}
