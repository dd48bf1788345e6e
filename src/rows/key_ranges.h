/*
 * key_ranges.h
 *	  What is noted of the keys of rows that pass by, and the code made of that.
 *
 * For each leading key that is passed by value, and for one of bytes behind these, this is
 * whether it is NULL in some rows or in all.  For values it is the range of their codes, too, if
 * they fit a word no other way.  Bytes are encoded as a sample of the rows suggests.
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
