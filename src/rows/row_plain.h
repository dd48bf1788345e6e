/*
 * row_plain.h
 *	  Which keys of rows are plain texts (keys/plain_key.h), so that they have better codes.
 *
 * Plain texts of ICU's collations have codes of their own, which are comparable among
 * themselves only.  So rows are encoded by them if the texts of all these rows are plain:
 * all rows of a store, those of a tie, or those of all stores.
 */
#ifndef GPUSORT_ROW_PLAIN_H
#define GPUSORT_ROW_PLAIN_H

#include "rows/row_list.h"

extern void gpusort_rows_find_plain(RowKeys *keys, const RowStore *store, double nrows, bool asked);
extern RowKey *gpusort_rows_key_of_list(RowKey *key, const RowStore *store, const RowList *list);

#endif							/* GPUSORT_ROW_PLAIN_H */
