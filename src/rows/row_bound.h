/*
 * row_bound.h
 *	  A row sort of which only the first rows are wanted.
 *
 * The store is cut to its best rows whenever it holds so many others that it
 * pays.  The last of the best becomes the threshold, kept apart: a row read later
 * that does not come before it is not stored at all.  Kept rows stay in the
 * input's order, so the sort stays stable.
 */
#ifndef GPUSORT_ROW_BOUND_H
#define GPUSORT_ROW_BOUND_H

#include "rows/row_keys.h"
#include "rows/row_store.h"

#define GPUSORT_BOUND_SURPLUS 128	/* rows beyond the bound that a cut needs at least */

typedef struct RowBound
{
	uint32		rows;			/* that are wanted */
	uint32		cut_at;			/* rows of the store at which it is cut */
	const RowKeys *keys;
	RowStore   *threshold;		/* one row, or none yet */
	Datum	   *values;			/* of that row, by key */
	bool	   *nulls;
	uint64		dropped;		/* rows that were read and are not kept */
} RowBound;

/* Returns an attribute of a row, wherever it is before it is stored. */
typedef Datum (*RowValueGetter) (void *row, int attribute, bool *is_null);

extern RowBound *gpusort_rows_bound_create(RowMemory *memory, const RowLayout *layout, const RowKeys *keys,
										   uint64 rows);
extern bool gpusort_rows_bound_rejects(RowBound *bound, RowValueGetter get, void *row);
extern void gpusort_rows_bound_cut(RowBound *bound, RowStore *store, uint32 *order);

#endif							/* GPUSORT_ROW_BOUND_H */
