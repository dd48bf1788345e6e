/*
 * index_file.h
 *	  Writes the pages of a new index to its file, around the buffer pool, and to the WAL.
 */
#ifndef GPUSORT_INDEX_FILE_H
#define GPUSORT_INDEX_FILE_H

#include "storage/bufpage.h"
#include "utils/rel.h"

typedef struct IndexFile IndexFile;

extern IndexFile *gpusort_index_file_open(Relation index);

/* Returns memory for a page, which is given back when the page is written. */
extern Page gpusort_index_file_page(IndexFile *file);

/* Writes a page.  Pages may come in any order, each once. */
extern void gpusort_index_file_write(IndexFile *file, BlockNumber block, Page page);

/* Makes sure that the pages survive a crash as far as the index does. */
extern void gpusort_index_file_close(IndexFile *file);

#endif							/* GPUSORT_INDEX_FILE_H */
