/*
 * array_shape.c
 *	  Checks, makes and changes dimensions, NULL bitmaps and sizes of arrays.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "arrays/array_shape.h"
#include "large_memory.h"

/* Raises an error for an array of two dimensions or more. */
void
gpusort_array_require_one_dimension(const ArrayType *array)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array must have one dimension, not %d", ARR_NDIM(array)),
				 errhint("Use ARRAY(SELECT unnest(...)) to get one dimension.")));
}

/* Raises an error unless values and keys are one-dimensional and equally long. */
void
gpusort_array_require_same_length(const ArrayType *values, const ArrayType *keys)
{
	gpusort_array_require_one_dimension(values);
	gpusort_array_require_one_dimension(keys);
	if (gpusort_array_length(values) != gpusort_array_length(keys))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays of values and keys must have the same length, not %u and %u",
						gpusort_array_length(values), gpusort_array_length(keys))));
}

/* How many of the first `length` values a bitmap says are NULL; none without a bitmap. */
uint32
gpusort_bitmap_count_nulls(const uint8 *bitmap, uint32 length)
{
	uint32		values;

	if (bitmap == NULL)
		return 0;
	values = pg_popcount((const char *) bitmap, length / 8);
	if (length % 8 != 0)
		values += pg_number_of_ones[bitmap[length / 8] & ((1 << length % 8) - 1)];
	return length - values;
}

/* How many of an array's elements are NULL. */
uint32
gpusort_array_count_nulls(const ArrayType *array, uint32 length)
{
	return gpusort_bitmap_count_nulls(ARR_NULLBITMAP(array), length);
}

/* Writes the 0-based positions of the elements that are not NULL, and those of the NULLs.  There must be a bitmap. */
void
gpusort_array_find_nulls(const ArrayType *array, uint32 length, uint32 *values, uint32 *nulls)
{
	const uint8 *bitmap = ARR_NULLBITMAP(array);

	for (uint32 i = 0; i < length; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (bitmap[i / 8] & (1 << i % 8))
			*values++ = i;
		else
			*nulls++ = i;
	}
}

/*
 * Allocates a one-dimensional array whose elements take `bytes` bytes and are not yet set.
 * With has_nulls it has a bitmap in which all are NULL.
 */
ArrayType *
gpusort_array_allocate(Oid element_type, uint32 length, bool has_nulls, Size bytes, int lower_bound)
{
	Size		offset = has_nulls ? ARR_OVERHEAD_WITHNULLS(1, length) : ARR_OVERHEAD_NONULLS(1);
	ArrayType  *array;

	if (length == 0)
		return construct_empty_array(element_type);
	if (!AllocSizeIsValid(offset + bytes))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%zu)", MaxAllocSize),
				 errdetail("An array of these %u elements would take %zu bytes.", length, offset + bytes)));
	array = gpusort_alloc_large(CurrentMemoryContext, offset + bytes);
	memset(array, 0, offset);
	SET_VARSIZE(array, offset + bytes);
	array->ndim = 1;
	array->dataoffset = has_nulls ? offset : 0;
	array->elemtype = element_type;
	ARR_DIMS(array)[0] = length;
	ARR_LBOUND(array)[0] = lower_bound;
	return array;
}

/* An array of type integer[] without NULLs.  Its elements are left to the caller. */
ArrayType *
gpusort_array_allocate_integers(uint32 length)
{
	return gpusort_array_allocate(INT4OID, length, false, (Size) length * sizeof(int32), 1);
}

/* Sets the bits from .. to - 1 of a bitmap.  A set bit stands for a value that is not NULL. */
static void
set_bits(uint8 *bitmap, uint32 from, uint32 to)
{
	while (from < to && from % 8 != 0)
	{
		bitmap[from / 8] |= 1 << from % 8;
		from++;
	}
	memset(bitmap + from / 8, 0xff, (to - from) / 8);
	for (from += (to - from) / 8 * 8; from < to; from++)
		bitmap[from / 8] |= 1 << from % 8;
}

/*
 * Gives a one-dimensional array of keys its final shape: the first nvalues of its stored
 * elements, and nnulls NULLs before or after them.  The array must have had at least as
 * many of both.  Returns it, or a new array if the result is empty.
 */
ArrayType *
gpusort_array_reshape(ArrayType *array, const ElementType *element,
					  uint32 nvalues, uint32 nnulls, bool nulls_first)
{
	uint32		length = nvalues + nnulls;
	Size		bytes = (Size) nvalues * element->stride;
	Size		offset = nnulls > 0 ? ARR_OVERHEAD_WITHNULLS(1, length) : ARR_OVERHEAD_NONULLS(1);

	if (length == 0)
		return construct_empty_array(element->oid);
	if (offset != ARR_DATA_OFFSET(array))
		gpusort_copy_bytes((char *) array + offset, ARR_DATA_PTR(array), bytes);
	array->dataoffset = nnulls > 0 ? offset : 0;
	ARR_DIMS(array)[0] = length;
	SET_VARSIZE(array, offset + bytes);
	if (nnulls > 0)
	{
		uint32		first = nulls_first ? nnulls : 0;
		uint8	   *bitmap = (uint8 *) (ARR_LBOUND(array) + 1);

		memset(bitmap, 0, GPUSORT_BITMAP_BYTES(length));
		set_bits(bitmap, first, first + nvalues);
	}
	return array;
}
