/*
 * row_parts.h
 *	  Rows beyond work_mem: in parts by their keys, in temporary files.
 *
 *	  create --> take ... --> finish --> load (any row, any order) --> free
 *
 * Each store full of rows is divided (row_division.h) and appended to the parts, unsorted.  A part
 * that is wanted is read into memory and put in order.  Parts come one after the other in the sorted
 * order, so nothing is merged, and each row is written and read once.
 *
 * The first full store decides how rows are divided, which is a guess.  Where later rows come above or
 * below all before them, as in input that comes in order, parts are added there.  A part that exceeds
 * memory when it is wanted is divided again, by a sample of its own rows: by the keys behind those in
 * which they are equal, and if no code tells them apart by comparing them.  Rows that are equal in
 * all keys, or have come in order, are read piece by piece.
 */
#ifndef GPUSORT_ROW_PARTS_H
#define GPUSORT_ROW_PARTS_H

#include "rows/row_division.h"
#include "rows/row_part.h"
#include "rows/row_sort.h"

/* Parts, in the order of their keys, to which rows are divided. */
typedef struct PartSet
{
	Division   *division;		/* NULL when all rows have been divided */
	SpillFile  *file;
	RowPart    *parts;
	int			nparts;
	int			slots;
	int			first_nparts;	/* how many were made in the beginning */
	int			dropped_from;	/* rows of this part, and of those behind it, are not wanted */
	bool		seen;			/* some row was divided; then */
	uint64		lowest;			/* the least and the greatest word so far */
	uint64		greatest;
} PartSet;

struct RowParts
{
	RowSort    *sort;
	PartSet		set;
	Size		block_bytes;
	int			loaded;			/* the part in the store, or -1 */
	uint64		end_row;		/* the row behind its last one */
	int			count;			/* parts with rows that were made, those divided again included */
	int64		disk_bytes;		/* bytes written */
};

extern RowParts *gpusort_rows_parts_create(RowSort *sort);

/*
 * Takes all rows of the store, which stay there.  Of the rows taken so far only the first `wanted` ones in
 * order are needed, or all if that is 0.  Returns how many were dropped.
 */
extern uint64 gpusort_rows_parts_take(RowParts *parts, uint64 wanted);

/* Bytes of a full store after the first: rows that are divided at once lie in the caches. */
extern Size gpusort_rows_parts_store_bytes(const RowSort *sort);

/* No more rows will be taken. */
extern void gpusort_rows_parts_finish(RowParts *parts);

/*
 * Replaces the rows of the store by those of the part that has this row.  Sets sort->first_row.  Returns
 * true if it set sort->order, too, because the rows have come in some order.
 */
extern bool gpusort_rows_parts_load(RowParts *parts, uint64 row);

/*
 * A sample of about so many rows of the store or, with a part, from blocks that are spread over that.  Fewer rows are taken
 * where they would exceed 1/16 of work_mem.  The rows of a part are read into the store, which must have none.
 */
extern RowStore *gpusort_rows_parts_sample(RowSort *sort, const RowPart *part, uint32 nrows, uint32 most_blocks, bool whole);

/* Closes the files. */
extern void gpusort_rows_parts_free(RowParts *parts);

#endif							/* GPUSORT_ROW_PARTS_H */
