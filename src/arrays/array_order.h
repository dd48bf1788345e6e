/*
 * array_order.h
 *	  Puts the items of an array in order, wherever that is done: keys on the
 *	  engines, everything else by its btree comparator.
 */
#ifndef GPUSORT_ARRAY_ORDER_H
#define GPUSORT_ARRAY_ORDER_H

#include "arrays/array_items.h"
#include "stats/sort_stats.h"

/* The order wanted, and how much of it. */
typedef struct ArrayOrder
{
	bool		descending;
	bool		nulls_first;
	Oid			collation;
	uint32		limit;			/* first items wanted; UINT32_MAX: all */
	uint32		buckets;		/* 0: exact; else see GpusortSpec */
	uint32		nruns;			/* runs of keys, NULLs aside, that are in order
								 * already; 0: not known */
	const uint32 *run_ends;		/* where each ends */
	SortUse		use;			/* for whom it is counted */
} ArrayOrder;

extern uint32 gpusort_order_keys(ArrayType *array, const ElementType *element,
								 const ArrayOrder *order);
extern uint32 gpusort_order_positions(ArrayItems *items, const ArrayOrder *order,
									  uint32 *positions);
extern bool gpusort_order_holds(ArrayItems *items, const ArrayOrder *order);
extern void gpusort_order_classes(ArrayItems *items, const ArrayOrder *order,
								  const uint32 *positions, bool *begins);

#endif							/* GPUSORT_ARRAY_ORDER_H */
