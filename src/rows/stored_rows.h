/*
 * stored_rows.h
 *	  Rows outside a store: in dynamic shared memory, where other processes read them, or in a
 *	  temporary file.
 *
 * Words, if there are some, and columns lie one behind the other, as in a RowStore, then the places of the records, then
 * these.  So any stretch of rows is read without the others.  In the file of a part the head of the
 * rows lies before them.
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
	Size		bytes;			/* in a part's file with this head */
	Size		record_bytes;
	uint32		word_kind;
	bool		has_nulls[FLEXIBLE_ARRAY_MEMBER];	/* by attribute */
} StoredRows;

/*
 * Writes rows of a store, all if there is no list, to shared memory or, with a file, to its end.  Returns
 * InvalidDsaPointer if there is not so much memory.
 */
extern dsa_pointer gpusort_stored_rows_write(dsa_area *area, SpillFile *file, int participant, const RowStore *store,
											 const uint32 *rows, uint32 nrows);

/*
 * Writes listed rows of a store or, without a list, nrows from `first` on, behind their head to the end of a
 * file.  Returns the bytes of their records.
 */
extern Size gpusort_stored_rows_append(SpillFile *file, const RowStore *store, const uint32 *rows, uint32 first, uint32 nrows);

/* Reads the head at a place of a file, without has_nulls.  What lies from `end` on will not be read soon. */
extern void gpusort_stored_rows_head(SpillFile *file, int64 place, int64 end, StoredRows *head);

/* Appends the rows behind a head to a store. */
extern void gpusort_stored_rows_load(SpillFile *file, int64 place, int64 end, RowStore *store);

/* Appends rows first .. first + n - 1 to a store.  Without a file they are in memory. */
extern void gpusort_stored_rows_read(dsa_area *area, SpillFile *file, const StoredRows *stored, uint32 first, uint32 n,
									 RowStore *store);

/* A store that has these rows, which are in memory, without a copy of them.  It must not be changed. */
extern RowStore *gpusort_stored_rows_view(dsa_area *area, const StoredRows *stored, const RowLayout *layout);

extern void gpusort_stored_rows_free(dsa_area *area, dsa_pointer stored);

#endif							/* GPUSORT_STORED_ROWS_H */
