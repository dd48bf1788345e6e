/*
 * stored_values.c
 *	  Values at ranks of the order of a set, the most frequent one, and how many differ.
 */
#include "postgres.h"

#include "access/tupmacs.h"

#include "arrays/distinct_values.h"
#include "arrays/stored_values.h"
#include "guc.h"
#include "keys/distinct_keys.h"
#include "keys/key_compare.h"
#include "large_memory.h"
#include "sort/select.h"

/* From this many ranks on a sort costs less than selection. */
#define MANY_RANKS 64

/* False if a setting asks for the GPU or for a method by name: then the values are sorted. */
static bool
selection_allowed(void)
{
	return gpusort_engine != GPUSORT_ENGINE_GPU && gpusort_method == GPUSORT_METHOD_AUTO;
}

/* The values as Datums, which point to where they stand. */
static Datum *
take_out(const StoredValues *values)
{
	const ElementType *element = values->element;
	Datum	   *datums = gpusort_alloc_large(CurrentMemoryContext, (Size) values->count * sizeof(Datum));
	const char *next = values->data;

	for (uint32 i = 0; i < values->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		datums[i] = fetch_att(next, element->by_value, element->length);
		next = att_addlength_pointer(next, element->length, next);
		next = (const char *) att_align_nominal(next, element->alignment);
	}
	return datums;
}

/* True if the keys need no sort.  What a setting asks for by name is asked of keys in order, too. */
static bool
are_in_order(const StoredValues *values, const ArrayOrder *order, const char *keys)
{
	return order->is_sorted ||
		(selection_allowed() && !order->descending &&
		 gpusort_select_in_order(values->element->form, keys, values->count));
}

/* A copy of the values, which are keys, in order. */
static char *
sorted_keys(const StoredValues *values, const ArrayOrder *order)
{
	Size		bytes = (Size) values->count * values->element->stride;
	char	   *keys = gpusort_alloc_large(CurrentMemoryContext, bytes);

	gpusort_copy_bytes(keys, values->data, bytes);
	if (are_in_order(values, order, keys))
		gpusort_keys_one_nan(values->element->form, keys, values->count, order->descending);
	else
		gpusort_order_keys(keys, values->count, values->element->form, order);
	return keys;
}

/* Turns ascending ranks of an order into ascending ranks of the ascending order. */
static void
ascending_ranks(const uint64 *ranks, uint32 nranks, uint32 count, bool descending, uint32 *ascending)
{
	for (uint32 i = 0; i < nranks; i++)
		ascending[i] = descending ? count - 1 - ranks[nranks - 1 - i] : ranks[i];
}

/* Finds keys at fewer than MANY_RANKS ranks without sorting all of them. */
static void
select_keys(const StoredValues *values, const ArrayOrder *order, const uint64 *ranks, uint32 nranks, Datum *found)
{
	const ElementType *element = values->element;
	uint32		ascending[MANY_RANKS];
	uint64		local[MANY_RANKS];
	/* Results that are passed by reference point to the keys, so these must outlive this call. */
	char	   *keys = element->by_value ? (char *) local : palloc(nranks * element->stride);

	ascending_ranks(ranks, nranks, values->count, order->descending, ascending);
	gpusort_select(element->form, values->data, values->count, ascending, nranks, keys);
	for (uint32 i = 0; i < nranks; i++)
		found[i] = fetch_att(keys + (order->descending ? nranks - 1 - i : i) * element->stride, element->by_value, element->length);
}

/* Finds keys in a sorted copy. */
static void
sort_and_find_keys(const StoredValues *values, const ArrayOrder *order, const uint64 *ranks, uint32 nranks, Datum *found)
{
	const ElementType *element = values->element;
	char	   *keys = sorted_keys(values, order);

	for (uint32 i = 0; i < nranks; i++)
		found[i] = fetch_att(keys + ranks[i] * element->stride, element->by_value, element->length);
	if (element->by_value)
		pfree(keys);
}

/* Values that are not keys, in order, with what compares them. */
typedef struct SortedValues
{
	Datum	   *datums;
	uint32	   *positions;		/* of the values in order */
	ComparatorSort *comparator;
} SortedValues;

static void
sort_values(const StoredValues *values, const ArrayOrder *order, SortedValues *sorted)
{
	sorted->datums = take_out(values);
	sorted->positions = gpusort_alloc_large(CurrentMemoryContext, (Size) values->count * sizeof(uint32));
	gpusort_order_values(values->element, order, sorted->datums, values->count, sorted->positions);
	sorted->comparator = gpusort_element_comparator(values->element, order->collation, order->descending);
}

static void
free_sorted(SortedValues *sorted)
{
	pfree(sorted->positions);
	pfree(sorted->datums);
}

/* Finds values that are not keys. */
static void
sort_and_find_values(const StoredValues *values, const ArrayOrder *order, const uint64 *ranks, uint32 nranks, Datum *found)
{
	SortedValues sorted;

	sort_values(values, order, &sorted);
	for (uint32 i = 0; i < nranks; i++)
		found[i] = sorted.datums[sorted.positions[ranks[i]]];
	free_sorted(&sorted);
}

void
gpusort_values_at_ranks(const StoredValues *values, const ArrayOrder *order,
						const uint64 *ranks, uint32 nranks, Datum *found)
{
	if (!values->element->is_key)
		sort_and_find_values(values, order, ranks, nranks, found);
	else if (nranks < MANY_RANKS && selection_allowed())
		select_keys(values, order, ranks, nranks, found);
	else
		sort_and_find_keys(values, order, ranks, nranks, found);
}

/* True if the value at a place of the order is equal to the one before. */
static bool
equals_previous(const SortedValues *sorted, uint32 place)
{
	return gpusort_comparator_compare(sorted->comparator, sorted->datums[sorted->positions[place - 1]],
									  sorted->datums[sorted->positions[place]]) == 0;
}

static Datum
mode_of_values(const StoredValues *values, const ArrayOrder *order)
{
	SortedValues sorted;
	uint32		start = 0;
	uint32		best = 0;
	uint32		best_length = 0;
	Datum		mode;

	sort_values(values, order, &sorted);
	for (uint32 i = 1; i <= values->count; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		if (i < values->count && equals_previous(&sorted, i))
			continue;
		if (i - start > best_length)
		{
			best = start;
			best_length = i - start;
		}
		start = i;
	}
	mode = sorted.datums[sorted.positions[best]];
	free_sorted(&sorted);
	return mode;
}

Datum
gpusort_values_mode(const StoredValues *values, const ArrayOrder *order)
{
	const ElementType *element = values->element;
	char	   *keys;
	Datum		mode;

	if (!element->is_key)
		return mode_of_values(values, order);
	keys = sorted_keys(values, order);
	mode = fetch_att(keys + (Size) gpusort_keys_longest_run(element->form, keys, values->count) * element->stride,
					 element->by_value, element->length);
	if (element->by_value)
		pfree(keys);
	return mode;
}

/* How many different keys there are, each of which is written to kept once, unless that is NULL.  0 if they are to be sorted. */
static uint32
distinct_keys(const StoredValues *values, void *kept)
{
	return selection_allowed() ? gpusort_distinct_keys(values->element->form, values->data, values->count, kept) : 0;
}

uint32
gpusort_values_make_distinct(const StoredValues *values, char *data, Size *bytes)
{
	const ElementType *element = values->element;
	ArrayOrder	order = {.limit = PG_UINT32_MAX,.use = USED_FOR_AGGREGATES};
	uint32		distinct;

	if (!element->is_key)
		return gpusort_distinct_values(values, data, bytes);
	distinct = distinct_keys(values, data);
	if (distinct == 0)
	{
		gpusort_order_keys(data, values->count, element->form, &order);
		distinct = gpusort_keys_distinct(element->form, data, values->count);
	}
	*bytes = (Size) distinct * element->stride;
	return distinct;
}

uint32
gpusort_values_count_distinct(const StoredValues *values, const ArrayOrder *order)
{
	SortedValues sorted;
	uint32		distinct = 1;

	if (values->count == 0)
		return 0;
	if (values->element->is_key)
	{
		char	   *keys;

		distinct = distinct_keys(values, NULL);
		if (distinct > 0)
			return distinct;
		keys = sorted_keys(values, order);
		distinct = gpusort_keys_distinct(values->element->form, keys, values->count);
		pfree(keys);
		return distinct;
	}
	if (gpusort_keys_can_hash(values->element->oid, order->collation))
		return gpusort_distinct_values(values, NULL, NULL);
	sort_values(values, order, &sorted);
	for (uint32 i = 1; i < values->count; i++)
	{
		GPUSORT_CHECK_VALUES(i);
		distinct += !equals_previous(&sorted, i);
	}
	free_sorted(&sorted);
	return distinct;
}
