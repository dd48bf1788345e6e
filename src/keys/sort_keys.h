/*
 * sort_keys.h
 *	  The keys of a sort, as a Sort plan node holds them.
 */
#ifndef GPUSORT_SORT_KEYS_H
#define GPUSORT_SORT_KEYS_H

#include "nodes/plannodes.h"

/* Adds a key to a Sort, unless it is ordered by the same already.  Columns are counted from 1. */
extern void gpusort_add_sort_key(Sort *sort, AttrNumber column, Oid operator, Oid collation, bool nulls_first);

#endif							/* GPUSORT_SORT_KEYS_H */
