/*
 * interval_parts.h
 *	  Rows beyond work_mem that are ordered by intervals of their key: divided into parts
 *	  instead of sorted into runs.
 *
 *	  begin --> take ... --> load ... --> free
 *	                    \-> give_back ...
 *
 * Each store full of rows is divided among parts in a temporary file, by bins of neighbouring
 * values that the first store suggests.  When all rows are read, part after part is loaded and
 * ordered by its intervals, which are known then.  So no row is compared with another, and
 * each is written and read once.
 *
 * A part must fit work_mem.  If one does not, or so it seems, all rows are given back, and the
 * caller makes runs of them.
 */
#ifndef GPUSORT_INTERVAL_PARTS_H
#define GPUSORT_INTERVAL_PARTS_H

#include "rows/row_sort.h"

/* Begins to divide the rows of a sort, by those of its full store.  Returns NULL if they are better sorted otherwise. */
extern IntervalParts *gpusort_rows_interval_parts_begin(RowSort *sort);

/*
 * Takes all rows of the store, which stay there.  Returns false if all rows are better sorted into
 * runs: because a part does not fit memory, or because these rows are not spread as the first ones
 * were, as in input that comes in some order.
 */
extern bool gpusort_rows_interval_parts_take(IntervalParts *parts);

/*
 * Replaces the rows of the store by the next ones in order, and sets sort->order.  The range of
 * the intervals must be that of all rows, and some rows be left.
 */
extern void gpusort_rows_interval_parts_load(IntervalParts *parts);

/* The number of the first row that is loaded, and of the one behind the last. */
extern uint64 gpusort_rows_interval_parts_loaded(const IntervalParts *parts);
extern uint64 gpusort_rows_interval_parts_end(const IntervalParts *parts);

/* Fills the empty store with rows that were taken, which are given up.  Returns false if none are left. */
extern bool gpusort_rows_interval_parts_give_back(IntervalParts *parts);

/* Bytes of a full store after the first: fewer than fit work_mem, where that is larger than the caches. */
extern Size gpusort_rows_interval_parts_store_bytes(const RowSort *sort);

/* Bytes written to the file, and how many parts there are. */
extern int64 gpusort_rows_interval_parts_disk_bytes(const IntervalParts *parts);
extern int	gpusort_rows_interval_parts_count(const IntervalParts *parts);

/* Closes the file. */
extern void gpusort_rows_interval_parts_free(IntervalParts *parts);

#endif							/* GPUSORT_INTERVAL_PARTS_H */
