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

#include "rows/row_code.h"
#include "rows/row_store.h"

/* Which words of codes belong to one part.  A word has the first ROWS_WORD_BITS bits of a code, or all of them. */
typedef enum PartRule
{
	PARTS_EVEN,					/* those with the same leading bits */
	PARTS_DENSE_LOW,			/* by the word's bit length and the 8 bits behind its first one, so small words get finer parts */
	PARTS_DENSE_HIGH,			/* the same from a great word downwards */
	PART_RULES
} PartRule;

typedef struct PartMap
{
	PartRule	rule;
	int			shift;			/* PARTS_EVEN: how many bits of a word are behind those */
	uint64		great;			/* PARTS_DENSE_HIGH: greater words are in the last part */
} PartMap;

typedef struct StoreParts
{
	uint32		count;			/* how many parts, some of which may be empty */
	uint32	   *ends;			/* number of the row behind the last of each part; before they are found, how many rows it has */
} StoreParts;

/* The number of a part's first row. */
static inline uint32
gpusort_rows_store_part_start(const StoreParts *parts, uint32 part)
{
	return part == 0 ? 0 : parts->ends[part - 1];
}

/* Replaces words by the numbers of their parts, which are in the order of the words. */
extern void gpusort_rows_find_parts(const PartMap *map, uint64 *words, uint32 n);

/* Finds the parts of all rows by their codes: writes the number of each row's part, and counts the rows of each. */
extern StoreParts gpusort_rows_number_parts(const RowStore *store, const KeyCode *code, const PartMap *map, uint32 *numbers);

/* Replaces the number of rows of each of n parts by the place of its first one among all rows. */
extern void gpusort_rows_sum_up(uint32 *counts, uint32 n);

/* Moves all rows to their parts.  `numbers`, of each row's part, are overwritten. */
extern void gpusort_rows_scatter(RowStore *store, StoreParts *parts, uint32 *numbers);

#endif							/* GPUSORT_ROW_SCATTER_H */
