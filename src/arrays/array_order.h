/*
 * array_order.h
 *	  Puts the items of an array in order: keys on an engine, all other items by
 *	  their btree comparator.
 */
#ifndef GPUSORT_ARRAY_ORDER_H
#define GPUSORT_ARRAY_ORDER_H

#include "nodes/nodes.h"

#include "arrays/array_items.h"
#include "stats/sort_stats.h"

/* The order wanted, and how much of it. */
typedef struct ArrayOrder
{
	bool		descending;
	bool		nulls_first;
	Oid			collation;
	uint32		limit;			/* how many of the first items are wanted; UINT32_MAX for all */
	bool		with_ties;		/* with those that are equal to the last of them */
	uint32		buckets;		/* 0 for exact order, else intervals as in GpusortSpec */
	bool		is_sorted;		/* an engine has put all keys in this order, but for the bits of NaNs */
	uint32		second_run;		/* keys are in order before this one, and from it on; 0 if that is not known */
	SortUse		use;			/* what the sort is counted for */
} ArrayOrder;

/* The context of a function's call by the arrays node if an engine has sorted the array, ascending. */
extern Node *const gpusort_order_sorted;

extern void gpusort_order_keys(void *keys, uint32 count, GpusortKeyForm form, const ArrayOrder *order);
extern void gpusort_order_values(ElementType *type, const ArrayOrder *order, const Datum *values, uint32 count,
								 uint32 *positions);
extern uint32 gpusort_order_in_place(ArrayType *array, const ElementType *element,
								 const ArrayOrder *order);
extern uint32 gpusort_order_positions(ArrayItems *items, const ArrayOrder *order,
									  uint32 *positions);
extern bool gpusort_order_holds(ArrayItems *items, const ArrayOrder *order);
extern void gpusort_order_classes(ArrayItems *items, const ArrayOrder *order,
								  const uint32 *positions, bool *begins);

#endif							/* GPUSORT_ARRAY_ORDER_H */
