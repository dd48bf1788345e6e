/*
 * index_build.h
 *	  Builds btree indexes through the row sort: the same files as PostgreSQL's, in less time.
 *
 *	  hook.c --> build.c --> index_pages.h (pages) --> index_file.h (file, WAL)
 *				   |
 *				   +--> parallel.c (workers) --> scan.c (table, sort)
 *
 * The order of an index is total: by the comparators of its operator classes, then by TID.  So its
 * pages depend on nothing but its rows, and an index built here is, byte for byte, the one
 * that PostgreSQL would have built.  What is not proven to be so is left to PostgreSQL's btbuild.
 */
#ifndef GPUSORT_INDEX_BUILD_H
#define GPUSORT_INDEX_BUILD_H

#include "access/genam.h"
#include "access/relscan.h"
#include "nodes/execnodes.h"

#include "rows/row_sort.h"

/* hook.c: puts gpusort_index_build in the place of btbuild. */
extern void gpusort_index_init(void);

/* scan.c: the keys of an index and, last, the TID as a sort's, or NULL.  Says why PostgreSQL is to build the index then. */
extern Sort *gpusort_index_keys(Relation index, const IndexInfo *info, const char **why_not);

/* Estimates how many rows the index gets, and the bytes of one.  Rows come as they come if there is a predicate. */
extern double gpusort_index_expected_rows(Relation heap, const IndexInfo *info);
extern int	gpusort_index_row_width(Relation index);

/* Starts a sort of about so many rows by the keys. */
extern RowSort *gpusort_index_begin_sort(Relation index, const Sort *keys, double rows, Size memory_limit);

/* Appends the rows of the table, or those of its share of a parallel scan, to a sort.  Returns how many the table has. */
extern double gpusort_index_scan(Relation heap, Relation index, IndexInfo *info, RowSort *sort, TableScanDesc parallel_scan);

/* parallel.c: the workers of a build. */
typedef struct IndexWorkers IndexWorkers;

/* Starts workers.  Returns NULL if there are none. */
extern IndexWorkers *gpusort_index_workers_start(Relation heap, Relation index, const IndexInfo *info);

/* Scans the table with them.  Returns the sort that has the rows, and tells how many there are. */
extern RowSort *gpusort_index_workers_scan(IndexWorkers *workers, Relation heap, Relation index, IndexInfo *info, const Sort *keys,
										   IndexBuildResult *result);

/* Has the sort return the next rows in order.  Returns false behind the last ones. */
extern bool gpusort_index_workers_next(IndexWorkers *workers);

/* Ends the workers.  What the sort has returned cannot be read any more. */
extern void gpusort_index_workers_end(IndexWorkers *workers);

/* build.c: builds an index as btbuild does, or by btbuild. */
extern IndexBuildResult *gpusort_index_build(Relation heap, Relation index, IndexInfo *info);

#endif							/* GPUSORT_INDEX_BUILD_H */
