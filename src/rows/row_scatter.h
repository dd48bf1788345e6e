/*
 * row_scatter.h
 *	  Scatters the rows of a store into parts by the leading bits of their code, as one pass
 *	  of a radix sort does.
 *
 * Rows of a part stay in the input's order, and the parts lie one behind the other.  Each
 * column is read once in sequence.  While the parts are few, the lines that are written
 * lie in the caches.  So this takes a fraction of what reading the columns by row number
 * takes.  Records stay where they are; the rows know their places.
 */
#ifndef GPUSORT_ROW_SCATTER_H
#define GPUSORT_ROW_SCATTER_H

#include "rows/row_code.h"
#include "rows/row_store.h"

typedef struct RowParts
{
	uint32		count;			/* how many parts, some of which may be empty */
	uint32	   *ends;			/* number of the row behind the last of each part */
} RowParts;

/* The number of a part's first row. */
static inline uint32
gpusort_rows_part_start(const RowParts *parts, uint32 part)
{
	return part == 0 ? 0 : parts->ends[part - 1];
}

extern RowParts gpusort_rows_scatter(RowStore *store, const KeyCode *code, int part_bits, uint32 *places);

#endif							/* GPUSORT_ROW_SCATTER_H */
