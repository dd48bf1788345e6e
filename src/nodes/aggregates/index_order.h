/*
 * index_order.h
 *	  The order in which an index scan of a plan delivers its rows.
 */
#ifndef GPUSORT_INDEX_ORDER_H
#define GPUSORT_INDEX_ORDER_H

#include "nodes/plannodes.h"

/* The leading columns of the index that the scan returns and that are in the default order of their types. */
typedef struct IndexOrder
{
	int			count;
	AttrNumber	columns[INDEX_MAX_KEYS];	/* in the scan's target list */
	Oid			operators[INDEX_MAX_KEYS];
	Oid			collations[INDEX_MAX_KEYS];
	bool		nulls_first[INDEX_MAX_KEYS];
} IndexOrder;

/* The order of a plan that is a scan of a btree index; NULL for any other. */
extern IndexOrder *gpusort_index_order(const Plan *plan);

#endif							/* GPUSORT_INDEX_ORDER_H */
