/*
 * row_file.h
 *	  Rows in the input's order in temporary files: what a device sorts, in case it fails.
 *
 *	  create --> append ... --> rewind, next ... (as often as wanted) --> close
 *
 * Each append writes the rows of a store as one block, and each next reads one back.  Blocks
 * are spread over files of limited size, so that the space of rows that have been read can be
 * given up while others are still needed.
 */
#ifndef GPUSORT_ROW_FILE_H
#define GPUSORT_ROW_FILE_H

#include "nodes/pg_list.h"

#include "rows/row_store.h"

typedef struct RowFile
{
	List	   *parts;			/* FilePart structs, in the order in which they were written */
	int			part;			/* the next block to read: the number of its part, and its own in the part */
	int			block;
	uint64		nrows;
	uint32		most_rows;		/* the most rows of a block */
	Size		most_record_bytes;	/* the most bytes of records of a block */
	int64		bytes;			/* bytes written */
} RowFile;

extern RowFile *gpusort_rows_file_create(void);
extern void gpusort_rows_file_append(RowFile *file, const RowStore *store);

/* Has the next read begin with the first block. */
extern void gpusort_rows_file_rewind(RowFile *file);

/* Reads the next block into the store, whose rows it replaces.  Returns false behind the last one. */
extern bool gpusort_rows_file_next(RowFile *file, RowStore *store);

/* Closes the parts all of whose blocks have been read. */
extern void gpusort_rows_file_drop_read(RowFile *file);

extern void gpusort_rows_file_close(RowFile *file);

#endif							/* GPUSORT_ROW_FILE_H */
