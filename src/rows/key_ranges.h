/*
 * key_ranges.h
 *	  What is noted of the keys of rows that pass by, and the code made of that.
 *
 * Of each leading key that is passed by value, and of one of bytes behind these, it is noted
 * whether some rows, or all, have NULL.  The range of a value's codes is noted only if all
 * values at full width would not fit 64 bits.  A sample of the rows says how bytes are encoded.
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
 * which these bits are equal; those are surely equal in its nexact leading keys.  nrows is how
 * many rows there are.
 */
extern KeyCode *gpusort_rows_code_of_ranges(const KeyRanges *ranges, const RowStore *sample, double nrows);

#endif							/* GPUSORT_KEY_RANGES_H */
