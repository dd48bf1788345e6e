/*
 * row_block.h
 *	  The rows of a store as a block of a temporary file.
 */
#ifndef GPUSORT_ROW_BLOCK_H
#define GPUSORT_ROW_BLOCK_H

#include "rows/row_store.h"
#include "rows/spill_file.h"

typedef struct BlockHead
{
	Size		nrows;
	Size		record_bytes;
	Size		bytes;			/* of the block in the file, with this head */
} BlockHead;

/* Writes all rows of a store to the end of the file.  Returns the bytes written. */
extern Size gpusort_rows_block_write(SpillFile *file, const RowStore *store);

/* Reads the head of the block where the file stands. */
extern BlockHead gpusort_rows_block_head(SpillFile *file);

/*
 * Reads what is behind the head into the store's rows from number `at` on, and its records
 * behind the first *record_bytes bytes of records.  The store must have space for them and,
 * if it has records, for a row more.  Returns the number of rows, and adds to *record_bytes.
 * The store's own counts stay as they are.
 */
extern uint32 gpusort_rows_block_read(SpillFile *file, const BlockHead *head, RowStore *store, uint32 at, Size *record_bytes);

#endif							/* GPUSORT_ROW_BLOCK_H */
