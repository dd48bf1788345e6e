/*
 * array_shape.h
 *	  Dimensions, NULLs and sizes of arrays.
 *
 * PostgreSQL stores the elements of an array that are not NULL one after the other,
 * whatever its dimensions, and NULLs as zeros of a bitmap before them.  So an engine
 * can sort a one-dimensional array of keys where it lies, with or without NULLs.
 * Afterwards only the bitmap has to be written again.
 */
#ifndef GPUSORT_ARRAY_SHAPE_H
#define GPUSORT_ARRAY_SHAPE_H

#include "miscadmin.h"
#include "utils/array.h"

#include "arrays/element_type.h"

/* Bytes of a bitmap of NULLs. */
#define GPUSORT_BITMAP_BYTES(length) (((length) + 7) / 8)

/* Size of an array's first dimension: its length, if it has one dimension. */
static inline uint32
gpusort_array_length(const ArrayType *array)
{
	return ARR_NDIM(array) < 1 ? 0 : ARR_DIMS(array)[0];
}

/* Lower bound of an array's first dimension; 1 for an empty array. */
static inline int
gpusort_array_lower_bound(const ArrayType *array)
{
	return ARR_NDIM(array) < 1 ? 1 : ARR_LBOUND(array)[0];
}

extern void gpusort_array_require_one_dimension(const ArrayType *array);
extern void gpusort_array_require_same_length(const ArrayType *values, const ArrayType *keys);
extern uint32 gpusort_bitmap_count_nulls(const uint8 *bitmap, uint32 length);
extern uint32 gpusort_array_count_nulls(const ArrayType *array, uint32 length);
extern void gpusort_array_find_nulls(const ArrayType *array, uint32 length,
									 uint32 *values, uint32 *nulls);
extern ArrayType *gpusort_array_allocate(Oid element_type, uint32 length, bool has_nulls, Size bytes, int lower_bound);
extern ArrayType *gpusort_array_allocate_integers(uint32 length);
extern ArrayType *gpusort_array_reshape(ArrayType *array, const ElementType *element,
										uint32 nvalues, uint32 nnulls, bool nulls_first);

#endif							/* GPUSORT_ARRAY_SHAPE_H */
