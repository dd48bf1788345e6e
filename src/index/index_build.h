/*
 * index_build.h
 *	  Builds btree indexes through the row sort: the same files as PostgreSQL's, in less time.
 *
 *	  hook.c --> build.c (scan, sort) --> index_pages.h (pages) --> index_file.h (file, WAL)
 *				 price.c (or PostgreSQL)
 *
 * The order of an index is total: by the comparators of its operator classes, then by TID.  So its
 * pages depend on nothing but its rows, and an index built here is, byte for byte, the one
 * that PostgreSQL would have built.  What is not proven to be so is left to PostgreSQL's btbuild.
 */
#ifndef GPUSORT_INDEX_BUILD_H
#define GPUSORT_INDEX_BUILD_H

#include "access/genam.h"
#include "nodes/execnodes.h"

#include "rows/row_keys.h"

/* hook.c: puts gpusort_index_build in the place of btbuild. */
extern void gpusort_index_init(void);

/* price.c: true if a build by this process alone is cheaper than PostgreSQL's by the workers that it would use. */
extern bool gpusort_index_beats_workers(Relation heap, Relation index, const IndexInfo *info, const RowKey *first_key);

/* build.c: builds an index as btbuild does, or by btbuild. */
extern IndexBuildResult *gpusort_index_build(Relation heap, Relation index, IndexInfo *info);

#endif							/* GPUSORT_INDEX_BUILD_H */
