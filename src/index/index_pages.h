/*
 * index_pages.h
 *	  Makes the pages of a btree index of tuples that come in order.
 */
#ifndef GPUSORT_INDEX_PAGES_H
#define GPUSORT_INDEX_PAGES_H

#include "access/itup.h"
#include "utils/rel.h"

typedef struct IndexPages IndexPages;

extern IndexPages *gpusort_index_pages_begin(Relation index);

/* Adds the next tuple, whose memory may be kept.  Returns memory, as large, for the one after it. */
extern IndexTuple gpusort_index_pages_add(IndexPages *pages, IndexTuple tuple);

/* Completes all levels and writes the metapage. */
extern void gpusort_index_pages_finish(IndexPages *pages);

/* Empties the file instead. */
extern void gpusort_index_pages_abandon(IndexPages *pages);

#endif							/* GPUSORT_INDEX_PAGES_H */
