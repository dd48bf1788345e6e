/*
 * array_items.c
 *	  Takes items out of arrays and builds arrays of them.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "miscadmin.h"

#include "toast/array_detoast.h"
#include "arrays/array_items.h"
#include "large_memory.h"

/*
 * Opens the items of the first argument, a one-dimensional array.  With own, it is a copy
 * that may be overwritten.  For a toasted argument the copy is what detoasting makes.
 */
void
gpusort_items_open(ArrayItems *items, FunctionCallInfo fcinfo, bool own)
{
	Datum		value = PG_GETARG_DATUM(0);

	gpusort_items_open_array(items, fcinfo, FIRST_ARRAY,
							 own ? gpusort_array_detoast_copy(value) : gpusort_array_detoast(value), own);
}

/* Opens the items of a one-dimensional array.  With own, the array may be overwritten. */
void
gpusort_items_open_array(ArrayItems *items, FunctionCallInfo fcinfo, CachedArgument argument,
						 ArrayType *array, bool own)
{
	items->array = array;
	items->element = gpusort_element_type(fcinfo, argument, ARR_ELEMTYPE(items->array));
	items->type = items->element;
	items->count = gpusort_array_length(items->array);
	items->owned = own;
	items->values = NULL;
	items->nulls = NULL;
}

/* Opens the items of an array of any number of dimensions.  With more than one dimension the items are slices. */
void
gpusort_items_open_slices(ArrayItems *items, FunctionCallInfo fcinfo, ArrayType *array)
{
	gpusort_items_open_array(items, fcinfo, FIRST_ARRAY, array, false);
	if (ARR_NDIM(array) > 1)
		items->type = gpusort_element_slices(fcinfo, items->element);
}

/* Takes the elements of a one-dimensional array out as Datums. */
static void
take_out_elements(ArrayItems *items)
{
	const ElementType *element = items->element;
	const uint8 *bitmap = ARR_NULLBITMAP(items->array);
	const char *next = ARR_DATA_PTR(items->array);

	for (uint32 i = 0; i < items->count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		items->nulls[i] = bitmap != NULL && !(bitmap[i / 8] & (1 << i % 8));
		items->values[i] = items->nulls[i] ? (Datum) 0 : gpusort_element_read(element, &next);
	}
}

/* Takes the slices of the first dimension out as arrays. */
static void
take_out_slices(ArrayItems *items)
{
	ArrayIterator iterator = array_create_iterator(items->array, ARR_NDIM(items->array) - 1, NULL);

	for (uint32 i = 0; i < items->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		array_iterate(iterator, &items->values[i], &items->nulls[i]);
	}
	array_free_iterator(iterator);
}

/* Takes all items out as Datums. */
void
gpusort_items_take_out(ArrayItems *items)
{
	if (items->values != NULL || items->count == 0)
		return;
	items->values = gpusort_alloc_large(CurrentMemoryContext, items->count * sizeof(Datum));
	items->nulls = gpusort_alloc_large(CurrentMemoryContext, items->count * sizeof(bool));
	if (ARR_NDIM(items->array) == 1)
		take_out_elements(items);
	else
		take_out_slices(items);
}

/*
 * Copies elements of a fixed length: target[i] becomes source[positions[i]].  Elements of
 * 8 bytes need not be aligned to 8; macaddr8 is aligned to 4.
 */
static inline void
gather_block(char *target, const char *source, uint16 stride,
			 const uint32 *positions, uint32 count)
{
#define GATHER(size) \
	for (uint32 i = 0; i < count; i++) \
		memcpy(target + (Size) i * (size), source + (Size) positions[i] * (size), size)

	/* A copy of constant size is a load and a store. */
	switch (stride)
	{
		case 1:
			GATHER(1);
			break;
		case 2:
			GATHER(2);
			break;
		case 4:
			GATHER(4);
			break;
		case 8:
			GATHER(8);
			break;
		default:
			GATHER(stride);
			break;
	}
#undef GATHER
}

/* Copies elements of a fixed length, stride bytes each: target[i] becomes source[positions[i]]. */
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

static inline bool
is_null_item(const ArrayItems *items, uint32 position)
{
	return position == GPUSORT_NULL_ITEM || items->nulls[position];
}

/* Writes the elements at the given positions, already taken out, as the data of an array. */
static void
fill_elements(ArrayType *array, const ArrayItems *items, const uint32 *positions, uint32 count)
{
	const ElementType *element = items->element;
	uint8	   *bitmap = ARR_NULLBITMAP(array);
	char	   *next = ARR_DATA_PTR(array);

	for (uint32 i = 0; i < count; i++)
	{
		Datum		value;
		Size		bytes;

		CHECK_FOR_INTERRUPTS();
		if (is_null_item(items, positions[i]))
			continue;
		if (bitmap != NULL)
			bitmap[i / 8] |= 1 << i % 8;
		value = items->values[positions[i]];
		bytes = att_addlength_datum(0, element->length, value);
		if (element->by_value)
			store_att_byval(next, value, element->length);
		else
			memcpy(next, DatumGetPointer(value), bytes);
		for (next += bytes; (uintptr_t) next != att_align_nominal(next, element->alignment); next++)
			*next = 0;
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
	bool		has_nulls = false;
	Size		bytes = 0;
	ArrayType  *result;

	gpusort_items_take_out(items);
	for (uint32 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_null_item(items, positions[i]))
		{
			has_nulls = true;
			continue;
		}
		bytes = att_addlength_datum(bytes, element->length, items->values[positions[i]]);
		bytes = att_align_nominal(bytes, element->alignment);
	}
	result = gpusort_array_allocate(element->oid, count, has_nulls, bytes, lower_bound);
	fill_elements(result, items, positions, count);
	return result;
}

/* Bytes of the elements of a slice. */
static inline Size
slice_bytes(const ArrayType *slice)
{
	return VARSIZE(slice) - ARR_DATA_OFFSET(slice);
}

/* Builds an array of all slices, already taken out, in the order of positions. */
static ArrayType *
gather_slices(const ArrayItems *items, const uint32 *positions)
{
	const ArrayType *array = items->array;
	uint32		elements = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) / items->count;
	Size		size = ARR_DATA_OFFSET(array);
	ArrayType  *result;
	char	   *next;

	for (uint32 i = 0; i < items->count; i++)
		size += slice_bytes(DatumGetArrayTypeP(items->values[i]));
	result = gpusort_alloc_large(CurrentMemoryContext, size);
	memcpy(result, array, ARR_DATA_OFFSET(array));
	SET_VARSIZE(result, size);
	next = ARR_DATA_PTR(result);
	for (uint32 i = 0; i < items->count; i++)
	{
		const ArrayType *slice = DatumGetArrayTypeP(items->values[positions[i]]);

		CHECK_FOR_INTERRUPTS();
		memcpy(next, ARR_DATA_PTR(slice), slice_bytes(slice));
		next += slice_bytes(slice);
		if (ARR_HASNULL(array))
			array_bitmap_copy(ARR_NULLBITMAP(result), i * elements, ARR_NULLBITMAP(slice), 0, elements);
	}
	return result;
}

/*
 * Builds an array of the items at the given positions, none of which may be
 * GPUSORT_NULL_ITEM.  For a multidimensional array they must name every slice once, and
 * the slices must have been taken out.
 */
ArrayType *
gpusort_items_gather(ArrayItems *items, const uint32 *positions, uint32 count, int lower_bound)
{
	const ElementType *element = items->element;
	ArrayType  *result;

	if (ARR_NDIM(items->array) > 1)
		return gather_slices(items, positions);
	if (element->stride == 0 || ARR_HASNULL(items->array))
		return gpusort_items_gather_nullable(items, positions, count, lower_bound);

	result = gpusort_array_allocate(element->oid, count, false, (Size) count * element->stride, lower_bound);
	gpusort_elements_gather(ARR_DATA_PTR(result), ARR_DATA_PTR(items->array), element->stride,
							positions, count);
	return result;
}
