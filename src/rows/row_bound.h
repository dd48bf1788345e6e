/*
 * row_bound.h
 *	  A row sort of which only the first rows are wanted.
 *
 * Whenever the store holds enough surplus rows it is cut to the wanted ones.  A copy of
 * the last wanted row becomes the threshold: a row read later that does not come before
 * it is not stored at all.  Kept rows stay in the input's order, so the sort stays
 * stable.
 */
#ifndef GPUSORT_ROW_BOUND_H
#define GPUSORT_ROW_BOUND_H

#include "rows/row_keys.h"
#include "rows/row_store.h"

#define GPUSORT_BOUND_SURPLUS 128	/* the least number of surplus rows for a cut */

typedef struct RowBound
{
	uint32		rows;			/* how many rows are wanted */
	uint32		cut_at;			/* the store is cut when it holds this many rows */
	const RowKeys *keys;
	RowStore   *threshold;		/* one row; empty before the first cut */
	Datum	   *values;			/* of the threshold, by key */
	bool	   *nulls;
	uint64		dropped;		/* rows that were read and are not kept */
} RowBound;

/* Returns an attribute of a row that is not stored yet. */
typedef Datum (*RowValueGetter) (void *row, int attribute, bool *is_null);

extern RowBound *gpusort_rows_bound_create(RowMemory *memory, const RowLayout *layout, const RowKeys *keys,
										   uint64 rows);
extern bool gpusort_rows_bound_rejects(RowBound *bound, RowValueGetter get, void *row);
extern void gpusort_rows_bound_cut(RowBound *bound, RowStore *store, uint32 *order);

#endif							/* GPUSORT_ROW_BOUND_H */
