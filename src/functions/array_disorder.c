/*
 * array_disorder.c
 *	  array_disorder: how far an array is from being sorted.
 *
 * All numbers are derived from the stable order of the elements and from the classes of
 * equal elements in it.  Equal elements could take each other's places.  They are given
 * their sorted places in the array's order, which makes both the greatest displacement
 * and the sum of all as small as possible.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "arrays/array_order.h"
#include "functions/arguments.h"
#include "large_memory.h"

PG_FUNCTION_INFO_V1(gpusort_array_disorder);

/* Runs of this length are sorted by insertion before merging begins. */
#define INSERTION_RUN 8

typedef struct Disorder
{
	uint32		max_displacement;
	uint32		out_of_place;
	uint64		displacement;	/* sum over all elements */
	uint64		inversions;
	uint32		runs;
} Disorder;

/* Measures how far elements lie from their sorted places.  The element at positions[place] belongs at place. */
static void
measure_displacement(const uint32 *positions, uint32 count, Disorder *disorder)
{
	for (uint32 place = 0; place < count; place++)
	{
		uint32		position = positions[place];
		uint32		displacement = position > place ? position - place : place - position;

		GPUSORT_CHECK_EVERY(place);
		disorder->max_displacement = Max(disorder->max_displacement, displacement);
		disorder->displacement += displacement;
	}
}

/*
 * Writes the class of each element.  Counts the places where the array and the sorted array
 * have elements of different classes, and counts runs.
 */
static void
measure_classes(const uint32 *positions, const bool *begins, uint32 count,
				uint32 *classes, Disorder *disorder)
{
	uint32		class = 0;

	for (uint32 place = 0; place < count; place++)
	{
		GPUSORT_CHECK_EVERY(place);
		class += begins[place];
		classes[positions[place]] = class;
	}
	class = 0;
	for (uint32 place = 0; place < count; place++)
	{
		GPUSORT_CHECK_EVERY(place);
		class += begins[place];
		disorder->out_of_place += classes[place] != class;
		disorder->runs += place == 0 || classes[place - 1] > classes[place];
	}
}

/*
 * Merges two sorted halves into target and returns how many pairs were in the wrong
 * order.  Has no branches on the data: no processor could predict them.
 */
static uint64
merge_counting(const uint32 *source, uint32 middle, uint32 end, uint32 *target)
{
	uint32		left = 0;
	uint32		right = middle;
	uint64		inversions = 0;

	while (left < middle && right < end)
	{
		uint32		a = source[left];
		uint32		b = source[right];
		uint32		take_right = b < a;

		GPUSORT_CHECK_EVERY(left + right);
		target[left + right - middle] = take_right ? b : a;
		inversions += (uint64) (middle - left) & -(uint64) take_right;
		right += take_right;
		left += 1 - take_right;
	}
	gpusort_copy_bytes(target + left + right - middle, source + left, (middle - left) * sizeof(uint32));
	gpusort_copy_bytes(target + right, source + right, (end - right) * sizeof(uint32));
	return inversions;
}

/* Sorts a short run by insertion and returns how many pairs were in the wrong order. */
static uint64
insert_counting(uint32 *run, uint32 length)
{
	uint64		inversions = 0;

	for (uint32 i = 1; i < length; i++)
	{
		uint32		entry = run[i];
		uint32		place = i;

		for (; place > 0 && run[place - 1] > entry; place--)
			run[place] = run[place - 1];
		run[place] = entry;
		inversions += i - place;
	}
	return inversions;
}

/* Counts pairs in the wrong order while sorting.  Both buffers are overwritten. */
static uint64
count_inversions(uint32 *source, uint32 *target, uint32 count)
{
	uint64		inversions = 0;

	for (uint32 start = 0; start < count; start += INSERTION_RUN)
	{
		GPUSORT_CHECK_EVERY(start);
		inversions += insert_counting(source + start, Min(INSERTION_RUN, count - start));
	}
	for (uint64 width = INSERTION_RUN; width < count; width *= 2)
	{
		uint32	   *merged = target;

		for (uint64 start = 0; start < count; start += 2 * width)
		{
			/* The merge of short runs may not reach a check of its own. */
			GPUSORT_CHECK_EVERY(start);
			inversions += merge_counting(source + start, Min(width, count - start),
										 Min(2 * width, count - start), target + start);
		}
		target = source;
		source = merged;
	}
	return inversions;
}

/*
 * array_disorder(a [, descending [, nulls_first]]): distance to the order that array_sort gives,
 * NULLs included.
 */
Datum
gpusort_array_disorder(PG_FUNCTION_ARGS)
{
	ArrayOrder	order = gpusort_argument_order(fcinfo, 1);
	Disorder	disorder = {0};
	ArrayItems	items;
	Datum		values[5];
	bool		nulls[5] = {false, false, false, false, false};

	gpusort_items_open(&items, fcinfo, false);
	gpusort_array_require_one_dimension(items.array);
	disorder.runs = items.count == 1;
	if (items.count > 1)
	{
		uint32	   *positions = gpusort_alloc_large(CurrentMemoryContext, items.count * sizeof(uint32));
		uint32	   *classes = gpusort_alloc_large(CurrentMemoryContext, items.count * sizeof(uint32));
		bool	   *begins = gpusort_alloc_large(CurrentMemoryContext, items.count * sizeof(bool));

		gpusort_touch_huge_pages(classes, items.count * sizeof(uint32));
		gpusort_order_positions(&items, &order, positions);
		gpusort_order_classes(&items, &order, positions, begins);
		measure_displacement(positions, items.count, &disorder);
		measure_classes(positions, begins, items.count, classes, &disorder);
		disorder.inversions = count_inversions(classes, positions, items.count);
		pfree(begins);
		pfree(classes);
		pfree(positions);
	}
	values[0] = Int32GetDatum(disorder.max_displacement);
	values[1] = Int32GetDatum(disorder.out_of_place);
	values[2] = Float8GetDatum(items.count == 0 ? 0 : (double) disorder.displacement / items.count);
	values[3] = Int64GetDatum(disorder.inversions);
	values[4] = Int32GetDatum(disorder.runs);
	return gpusort_return_record(fcinfo, values, nulls);
}
