/*
 * key_ranges.h
 *	  What is noted of the keys of rows that pass by, and the code made of that.
 *
 * For each leading key that is passed by value this is whether it is NULL in some rows or in
 * all, and the range of its codes.  Ranges are noted only if the keys fit a word no other way.
 */
#ifndef GPUSORT_KEY_RANGES_H
#define GPUSORT_KEY_RANGES_H

#include "rows/row_code.h"

typedef struct KeyRanges KeyRanges;

extern KeyRanges *gpusort_rows_ranges_create(const RowKeys *keys, const RowLayout *layout);

/* Notes the rows of a store. */
extern void gpusort_rows_ranges_note(KeyRanges *ranges, const RowStore *store);

/*
 * The code of all rows that were noted.  Its first 64 bits order them, except for rows in
 * which these bits are equal; those are surely equal in its nexact leading keys.
 */
extern KeyCode *gpusort_rows_code_of_ranges(const KeyRanges *ranges);

#endif							/* GPUSORT_KEY_RANGES_H */
