/*
 * row_list.h
 *	  Some rows of a store, by their numbers.
 */
#ifndef GPUSORT_ROW_LIST_H
#define GPUSORT_ROW_LIST_H

#include "rows/row_keys.h"

#define ROWS_LOOKED_AT 1024		/* rows read for a first look at a key */

/* The numbers of the rows are packed[i] & row_mask or, if packed is NULL, 0 to count - 1. */
typedef struct RowList
{
	const uint64 *packed;
	uint64		row_mask;
	uint32		count;
	bool		spent;			/* the bytes of the first key in which they may differ are the same */
} RowList;

/* The number of row i of a list. */
static inline uint32
gpusort_rows_listed(const RowList *list, uint32 i)
{
	return list->packed != NULL ? list->packed[i] & list->row_mask : i;
}

/*
 * Prefetches the record of a row of the list that will soon be read, and the place of a later record.  GCC 12 takes a
 * function that only prefetches for one without effect, and drops calls that it has not inlined.
 */
static pg_attribute_always_inline void
gpusort_rows_prefetch(const RowStore *store, const RowList *list, uint32 i, uint32 step)
{
	if (list->packed == NULL || step > 1 || store->layout->nrecord == 0)
		return;
	if (i + 2 * ROWS_PREFETCH < list->count)
		__builtin_prefetch((const uint32 *) store->row_starts.data + (list->packed[i + 2 * ROWS_PREFETCH] & list->row_mask));
	if (i + ROWS_PREFETCH < list->count)
		__builtin_prefetch(gpusort_rows_record(store, list->packed[i + ROWS_PREFETCH] & list->row_mask));
}

#endif							/* GPUSORT_ROW_LIST_H */
