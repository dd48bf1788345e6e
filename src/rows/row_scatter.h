/*
 * row_scatter.h
 *	  Scatters the rows of a store into numbered parts, as one pass of a radix sort does.
 *
 * Rows of a part stay in the input's order, and the parts lie one behind the other.  Each
 * column is read once in sequence.  While the parts are few, the lines that are written
 * lie in the caches.  So this takes a fraction of what reading the columns by row number
 * takes.  Records stay where they are; the rows know where they begin, but no longer where
 * they end, so the store's rows can only be read.
 */
#ifndef GPUSORT_ROW_SCATTER_H
#define GPUSORT_ROW_SCATTER_H

#include "rows/row_store.h"

/* Replaces the number of rows of each of n parts by the place of its first one among all rows. */
extern void gpusort_rows_sum_up(uint32 *counts, uint32 n);

/*
 * Moves all rows to their parts, and replaces the number of rows of each part by the place behind its last one.
 * `numbers`, of each row's part, are overwritten.
 */
extern void gpusort_rows_scatter(RowStore *store, uint32 *ends, uint32 nparts, uint32 *numbers);

#endif							/* GPUSORT_ROW_SCATTER_H */
