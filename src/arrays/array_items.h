/*
 * array_items.h
 *	  The items of an array: what a sort puts in order.
 *
 * An item is an element of a one-dimensional array, or a slice of the first dimension
 * of a multidimensional one.  Only array_sort and array_is_sorted take multidimensional
 * arrays.  Items of a key type stay where they are stored; all others are taken out as
 * Datums when they are first needed.
 *
 * Positions are 0-based; GPUSORT_NULL_ITEM stands for no item.  PostgreSQL allows at
 * most MaxArraySize elements (134217727), so 8 bytes for each of them are always a size
 * that PostgreSQL can allocate.
 */
#ifndef GPUSORT_ARRAY_ITEMS_H
#define GPUSORT_ARRAY_ITEMS_H

#include "arrays/array_shape.h"

#define GPUSORT_NULL_ITEM UINT32_MAX

typedef struct ArrayItems
{
	ArrayType  *array;			/* flat, detoasted */
	ElementType *element;		/* the array's element type */
	ElementType *type;			/* an item's type: the element type or, of slices, its array type */
	uint32		count;
	bool		owned;			/* the array is a copy of our own */
	Datum	   *values;			/* count entries; NULL until the items are taken out */
	bool	   *nulls;
} ArrayItems;

extern void gpusort_items_open(ArrayItems *items, FunctionCallInfo fcinfo, bool own);
extern void gpusort_items_open_array(ArrayItems *items, FunctionCallInfo fcinfo, CachedArgument argument,
									 ArrayType *array, bool own);
extern void gpusort_items_open_slices(ArrayItems *items, FunctionCallInfo fcinfo, ArrayType *array);
extern void gpusort_items_take_out(ArrayItems *items);
extern void gpusort_elements_gather(char *target, const char *source, uint16 stride,
									const uint32 *positions, uint32 count);
extern ArrayType *gpusort_items_gather_nullable(ArrayItems *items, const uint32 *positions,
												uint32 count, int lower_bound);
extern ArrayType *gpusort_items_gather(ArrayItems *items, const uint32 *positions,
									   uint32 count, int lower_bound);

/* Whether the items can be handed to an engine as they are stored. */
static inline bool
gpusort_items_are_keys(const ArrayItems *items)
{
	return items->type->is_key;
}

#endif							/* GPUSORT_ARRAY_ITEMS_H */
