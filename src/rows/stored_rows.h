/*
 * stored_rows.h
 *	  Rows in their order where other processes read them: in dynamic shared memory or in
 *	  a temporary file.
 *
 * Columns lie one behind the other, as in a RowStore, then the places of the records, then
 * these.  So any stretch of rows is read without the others.
 */
#ifndef GPUSORT_STORED_ROWS_H
#define GPUSORT_STORED_ROWS_H

#include "utils/dsa.h"

#include "rows/row_store.h"
#include "rows/spill_file.h"

typedef struct StoredRows
{
	uint32		nrows;
	int			participant;	/* whose file it is; -1: in memory */
	dsa_pointer memory;
	int64		place;			/* in the file */
	Size		bytes;
	Size		record_bytes;
	bool		has_nulls[FLEXIBLE_ARRAY_MEMBER];	/* by attribute */
} StoredRows;

/*
 * Writes rows of a store, all if there is no list, to shared memory or, with a file, to its end.  Returns
 * InvalidDsaPointer if there is not so much memory.
 */
extern dsa_pointer gpusort_stored_rows_write(dsa_area *area, SpillFile *file, int participant, const RowStore *store,
											 const uint32 *rows, uint32 nrows);

/* Appends rows first .. first + n - 1 to a store.  The file is not read if they are in memory. */
extern void gpusort_stored_rows_read(dsa_area *area, SpillFile *file, const StoredRows *stored, uint32 first, uint32 n,
									 RowStore *store);

/* A store that has these rows, which are in memory, without a copy of them.  It must not be changed. */
extern RowStore *gpusort_stored_rows_view(dsa_area *area, const StoredRows *stored, const RowLayout *layout);

extern void gpusort_stored_rows_free(dsa_area *area, dsa_pointer stored);

#endif							/* GPUSORT_STORED_ROWS_H */
