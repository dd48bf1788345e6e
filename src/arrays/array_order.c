/*
 * array_order.c
 *	  Orders the items of an array.
 *
 * NULLs never reach an engine.  The items that are not NULL are ordered, and the NULLs go
 * before or after them, in the array's order.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/value.h"
#include "utils/builtins.h"

#include "arrays/array_order.h"
#include "keys/key_compare.h"
#include "keys/key_merge.h"
#include "guc.h"
#include "large_memory.h"
#include "sort/sort.h"

static Boolean sorted = {.type = T_Boolean,.boolval = true};

Node	   *const gpusort_order_sorted = (Node *) &sorted;

/*
 * True if the keys are known to lie in two sorted runs and merging these is better than
 * sorting.  It is not if only the first keys are wanted, if a method is asked for by name,
 * or if a GPU sorts.  Nor is it if the codes span a range smaller than the number of keys:
 * counting is faster there.
 */
static bool
merging_pays(SortRequest *request, const ArrayOrder *order)
{
	uint32		last = request->nslots - 1;
	uint32		ends[] = {0, order->second_run - 1, Min(order->second_run, last), last};
	uint64		least = PG_UINT64_MAX;
	uint64		greatest = 0;

	if (order->second_run == 0 || request->spec.limit != 0 || request->spec.method != GPUSORT_METHOD_AUTO ||
		gpusort_sort_decide(request) == ENGINE_GPU)
		return false;
	for (int i = 0; i < lengthof(ends); i++)
	{
		uint64		code = gpusort_key_code(request->spec.form, request->keys, ends[i]);

		least = Min(least, code);
		greatest = Max(greatest, code);
	}
	return greatest - least >= request->nslots;
}

/* Sorts count keys as one segment.  If payload is not NULL, it receives their positions in order. */
static void
sort_keys(void *keys, uint32 count, uint32 *payload, GpusortKeyForm form,
		  const ArrayOrder *order, uint32 limit)
{
	GpusortSegment segment = {.start = 0,.count = count};
	SortRequest request = {
		.spec = {
			.form = form,
			.payload = payload == NULL ? GPUSORT_PAYLOAD_NONE : GPUSORT_PAYLOAD_INDEX,
			.method = gpusort_method,
			.descending = order->descending,
			.limit = limit < count ? limit : 0,
			.buckets = order->buckets
		},
		.keys = keys,
		.payload = payload,
		.segments = &segment,
		.nsegments = 1,
		.nslots = count,
		.use = order->use
	};

	if (merging_pays(&request, order))
		gpusort_keys_merge(form, keys, payload, order->second_run, count, order->descending);
	else
		gpusort_sort_run(&request);
}

/*
 * Sorts keys in place.  With a limit, only that many of the first keys are defined.  In
 * exact order every NaN gets the bits of 'NaN', even if it is the only key; approximate
 * order moves keys unchanged.
 */
void
gpusort_order_keys(void *keys, uint32 count, GpusortKeyForm form, const ArrayOrder *order)
{
	if (count > 1 && order->limit > 0)
		sort_keys(keys, count, NULL, form, order, order->limit);
	if (order->buckets == 0)
		gpusort_keys_one_nan(form, keys, Min(count, order->limit), order->descending);
}

/*
 * Sorts the keys of a one-dimensional array where they are stored, as gpusort_order_keys
 * does, and returns how many there are, NULLs not counted.  NULL bitmap and length of the
 * array are left to gpusort_array_reshape.
 */
uint32
gpusort_order_in_place(ArrayType *array, const ElementType *element, const ArrayOrder *order)
{
	uint32		length = gpusort_array_length(array);
	uint32		count = length - gpusort_array_count_nulls(array, length);

	gpusort_order_keys(ARR_DATA_PTR(array), count, element->form, order);
	return count;
}

/* Writes the positions of an array's keys in order.  NULLs are not counted in these positions. */
static void
key_positions(ArrayItems *items, const ArrayOrder *order, uint32 count, uint32 limit,
			  uint32 *positions)
{
	void	   *keys = ARR_DATA_PTR(items->array);
	void	   *copy = NULL;

	if (!items->owned)
	{
		Size		bytes = (Size) count * items->element->stride;

		copy = gpusort_alloc_large(CurrentMemoryContext, bytes);
		gpusort_copy_bytes(copy, keys, bytes);
		keys = copy;
	}
	sort_keys(keys, count, positions, items->element->form, order, limit);
	if (copy != NULL)
		pfree(copy);
}

/* The comparator of the items for this order. */
static ComparatorSort *
comparator_of(const ArrayItems *items, const ArrayOrder *order)
{
	return gpusort_element_comparator(items->type, order->collation, order->descending);
}

/* Raises an error if the settings ask for an engine or a method that sorts keys only. */
static void
require_comparator_allowed(const ElementType *type)
{
	if (gpusort_engine == GPUSORT_ENGINE_GPU)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("engine \"gpu\" cannot sort values of type %s", format_type_be(type->oid)),
				 errhint("Set \"gpusort.engine\" to \"auto\".")));
	if (gpusort_method != GPUSORT_METHOD_AUTO)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" cannot sort values of type %s",
						gpusort_method_name(gpusort_method), format_type_be(type->oid)),
				 errhint("Set \"gpusort.method\" to \"auto\".")));
}

/* Writes the positions of values, none of them NULL, in order by their comparator, stably. */
void
gpusort_order_values(ElementType *type, const ArrayOrder *order, const Datum *values, uint32 count, uint32 *positions)
{
	ComparatorSort *comparator = gpusort_element_comparator(type, order->collation, order->descending);

	require_comparator_allowed(type);
	gpusort_comparator_sort(comparator, order->use, values, positions, count);
}

/* Writes the positions of the items in order by their comparator.  NULLs are not counted in these positions. */
static void
value_positions(ArrayItems *items, const ArrayOrder *order, uint32 count, uint32 *positions)
{
	Datum	   *present = NULL;

	gpusort_items_take_out(items);
	if (count < items->count)
	{
		uint32		next = 0;

		present = gpusort_alloc_large(CurrentMemoryContext, count * sizeof(Datum));
		for (uint32 i = 0; i < items->count; i++)
		{
			GPUSORT_CHECK_EVERY(i);
			if (!items->nulls[i])
				present[next++] = items->values[i];
		}
	}
	gpusort_order_values(items->type, order, present ? present : items->values, count, positions);
	if (present)
		pfree(present);
}

/* How many of the items in order are the first ones of this number, and those that are equal to the last of them. */
static uint32
count_with_ties(ArrayItems *items, const ArrayOrder *order, const uint32 *positions, uint32 first)
{
	bool	   *begins;

	if (first == 0 || first == items->count)
		return first;
	begins = gpusort_alloc_large(CurrentMemoryContext, items->count * sizeof(bool));
	gpusort_order_classes(items, order, positions, begins);
	for (; first < items->count && !begins[first]; first++)
		GPUSORT_CHECK_EVERY(first);
	pfree(begins);
	return first;
}

/*
 * Writes the positions of the items in order, stably, and returns how many are wanted: the
 * limit, with ties if these are wanted, or all.  positions needs an entry for every item.  The
 * keys of an owned array are undefined afterwards, so with ties the array must not be owned.
 */
uint32
gpusort_order_positions(ArrayItems *items, const ArrayOrder *order, uint32 *positions)
{
	uint32		wanted = order->with_ties ? items->count : Min(order->limit, items->count);
	bool		slices = ARR_NDIM(items->array) > 1;
	uint32		nnulls = slices ? 0 : gpusort_array_count_nulls(items->array, items->count);
	uint32		nvalues = items->count - nnulls;
	uint32		nulls_before = order->nulls_first ? nnulls : 0;
	uint32		values_wanted = wanted <= nulls_before ? 0 : Min(wanted - nulls_before, nvalues);
	uint32	   *value_places = positions + nulls_before;

	if (nvalues < 2)
	{
		if (nvalues == 1)
			*value_places = 0;
	}
	else if (values_wanted > 0)
	{
		if (gpusort_items_are_keys(items))
			key_positions(items, order, nvalues, values_wanted, value_places);
		else
			value_positions(items, order, nvalues, value_places);
	}

	if (nnulls > 0)
	{
		uint32	   *places = gpusort_alloc_large(CurrentMemoryContext, items->count * sizeof(uint32));

		gpusort_array_find_nulls(items->array, items->count, places, places + nvalues);
		for (uint32 i = 0; i < values_wanted; i++)
		{
			GPUSORT_CHECK_EVERY(i);
			value_places[i] = places[value_places[i]];
		}
		gpusort_copy_bytes(order->nulls_first ? positions : positions + nvalues, places + nvalues,
						   (Size) nnulls * sizeof(uint32));
		pfree(places);
	}
	if (order->with_ties)
		return count_with_ties(items, order, positions, Min(order->limit, items->count));
	return wanted;
}

/* Compares two items, already taken out, in this order. */
static int
compare_items(const ArrayItems *items, ComparatorSort *comparator, const ArrayOrder *order,
			  uint32 a, uint32 b)
{
	int			result;

	if (!items->nulls[a] && !items->nulls[b])
		return gpusort_comparator_compare(comparator, items->values[a], items->values[b]);
	result = (int) items->nulls[a] - (int) items->nulls[b];
	return order->nulls_first ? -result : result;
}

/* True if the items are in order already. */
bool
gpusort_order_holds(ArrayItems *items, const ArrayOrder *order)
{
	ComparatorSort *comparator;

	if (items->count < 2)
		return true;
	if (gpusort_items_are_keys(items) && !ARR_HASNULL(items->array))
		return gpusort_keys_in_order(items->type->form, ARR_DATA_PTR(items->array), items->count,
									 order->descending);

	comparator = comparator_of(items, order);
	gpusort_items_take_out(items);
	for (uint32 i = 1; i < items->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (compare_items(items, comparator, order, i - 1, i) > 0)
			return false;
	}
	return true;
}

/*
 * Writes begins[i] for every place i of the order that positions gives.  It is true at the
 * first place, and where the item differs from the one before.
 */
void
gpusort_order_classes(ArrayItems *items, const ArrayOrder *order, const uint32 *positions,
					  bool *begins)
{
	ComparatorSort *comparator;

	if (gpusort_items_are_keys(items) && !ARR_HASNULL(items->array))
	{
		gpusort_keys_classes(items->type->form, ARR_DATA_PTR(items->array), positions,
							 items->count, begins);
		return;
	}
	comparator = comparator_of(items, order);
	gpusort_items_take_out(items);
	for (uint32 i = 0; i < items->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		begins[i] = i == 0 ||
			compare_items(items, comparator, order, positions[i - 1], positions[i]) != 0;
	}
}
