/*
 * array_items.c
 *	  Takes items out of arrays and builds arrays of them.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "arrays/array_items.h"

/*
 * Opens the items of a one-dimensional array argument.  With own, the array is a
 * copy that may be overwritten: the very one that detoasting makes, if it is
 * toasted.
 */
void
gpusort_items_open(ArrayItems *items, FunctionCallInfo fcinfo, CachedArgument argument,
				   Datum value, bool own)
{
	items->array = own ? DatumGetArrayTypePCopy(value) : DatumGetArrayTypeP(value);
	items->element = gpusort_element_type(fcinfo, argument, ARR_ELEMTYPE(items->array));
	items->type = items->element;
	items->count = gpusort_array_length(items->array);
	items->owned = own;
	items->values = NULL;
	items->nulls = NULL;
}

/* Opens the items of an array of any number of dimensions: slices, if more than one. */
void
gpusort_items_open_slices(ArrayItems *items, FunctionCallInfo fcinfo,
						  ElementType *element, ArrayType *array)
{
	items->array = array;
	items->element = element;
	items->type = ARR_NDIM(array) > 1 ? gpusort_element_slices(fcinfo, element) : element;
	items->count = gpusort_array_length(array);
	items->owned = false;
	items->values = NULL;
	items->nulls = NULL;
}

/* Takes all items out as Datums. */
void
gpusort_items_take_out(ArrayItems *items)
{
	const ElementType *element = items->element;

	if (items->values != NULL || items->count == 0)
		return;
	if (ARR_NDIM(items->array) == 1)
	{
		int			count;

		deconstruct_array(items->array, element->oid,
						  element->length, element->by_value, element->alignment,
						  &items->values, &items->nulls, &count);
	}
	else
	{
		int			slice_dimensions = ARR_NDIM(items->array) - 1;
		ArrayIterator iterator = array_create_iterator(items->array, slice_dimensions, NULL);

		items->values = palloc_array(Datum, items->count);
		items->nulls = palloc_array(bool, items->count);
		for (uint32 i = 0; i < items->count; i++)
		{
			CHECK_FOR_INTERRUPTS();
			array_iterate(iterator, &items->values[i], &items->nulls[i]);
		}
		array_free_iterator(iterator);
	}
}

/* Copies some elements of a fixed length to the places that positions give them. */
static inline void
gather_block(char *target, const char *source, uint16 stride,
			 const uint32 *positions, uint32 count)
{
#define GATHER(type) \
	for (uint32 i = 0; i < count; i++) \
		((type *) target)[i] = ((const type *) source)[positions[i]]

	switch (stride)
	{
		case 1:
			GATHER(uint8);
			break;
		case 2:
			GATHER(uint16);
			break;
		case 4:
			GATHER(uint32);
			break;
		case 8:
			GATHER(uint64);
			break;
		default:
			for (uint32 i = 0; i < count; i++)
				memcpy(target + (Size) i * stride, source + (Size) positions[i] * stride, stride);
			break;
	}
#undef GATHER
}

/* Copies elements of a fixed length to the places that positions give them. */
void
gpusort_elements_gather(char *target, const char *source, uint16 stride,
						const uint32 *positions, uint32 count)
{
	for (uint32 start = 0; start < count; start += GPUSORT_INTERRUPT_INTERVAL)
	{
		CHECK_FOR_INTERRUPTS();
		gather_block(target + (Size) start * stride, source, stride, positions + start,
					 Min(count - start, GPUSORT_INTERRUPT_INTERVAL));
	}
}

/*
 * Builds a one-dimensional array of the elements at the given positions, NULL
 * where a position is GPUSORT_NULL_ITEM.
 */
ArrayType *
gpusort_items_gather_nullable(ArrayItems *items, const uint32 *positions,
							  uint32 count, int lower_bound)
{
	const ElementType *element = items->element;
	Datum	   *values;
	bool	   *nulls;
	int			length = count;
	ArrayType  *result;

	gpusort_items_take_out(items);
	if (count == 0)
		return construct_empty_array(element->oid);
	values = palloc_array(Datum, count);
	nulls = palloc_array(bool, count);
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		nulls[i] = positions[i] == GPUSORT_NULL_ITEM || items->nulls[positions[i]];
		values[i] = nulls[i] ? (Datum) 0 : items->values[positions[i]];
	}
	result = construct_md_array(values, nulls, 1, &length, &lower_bound, element->oid,
								element->length, element->by_value, element->alignment);
	pfree(values);
	pfree(nulls);
	return result;
}

/* Builds an array of slices that have been taken out. */
static ArrayType *
gather_slices(ArrayItems *items, const uint32 *positions, uint32 count, int lower_bound)
{
	Oid			type = items->type->oid;
	ArrayBuildStateArr *state;
	ArrayType  *result;

	state = initArrayResultArr(type, items->element->oid, CurrentMemoryContext, false);
	gpusort_items_take_out(items);
	for (uint32 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		state = accumArrayResultArr(state, items->values[positions[i]], false,
									type, CurrentMemoryContext);
	}
	result = DatumGetArrayTypeP(makeArrayResultArr(state, CurrentMemoryContext, false));
	ARR_LBOUND(result)[0] = lower_bound;
	return result;
}

/* Builds an array of the items at the given positions, all of which exist. */
ArrayType *
gpusort_items_gather(ArrayItems *items, const uint32 *positions, uint32 count, int lower_bound)
{
	const ElementType *element = items->element;
	ArrayType  *result;

	if (count == 0)
		return construct_empty_array(element->oid);
	if (ARR_NDIM(items->array) > 1)
		return gather_slices(items, positions, count, lower_bound);
	if (element->stride == 0 || ARR_HASNULL(items->array))
		return gpusort_items_gather_nullable(items, positions, count, lower_bound);

	result = gpusort_array_allocate(element, count, lower_bound);
	gpusort_elements_gather(ARR_DATA_PTR(result), ARR_DATA_PTR(items->array), element->stride,
							positions, count);
	return result;
}
