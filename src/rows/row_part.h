/*
 * row_part.h
 *	  The rows of a part in temporary files.
 *
 * A part is a sequence of blocks in the input's order.  A block holds rows as a RowStore has
 * them in memory, and is read into any place of a store of the same layout.  Blocks that lie
 * one behind the other are one extent, and extents may be of several files, which they hold.
 */
#ifndef GPUSORT_ROW_PART_H
#define GPUSORT_ROW_PART_H

#include "rows/stored_rows.h"

typedef struct PartExtent
{
	SpillFile  *file;
	int64		start;
	int64		end;
} PartExtent;

typedef struct RowPart
{
	PartExtent *extents;
	uint32		nextents;
	uint32		extent_slots;
	uint64		nblocks;
	uint64		nrows;
	Size		record_bytes;
	Size		bytes;			/* in memory, NULLs included */
	uint64		last;			/* while rows are added in order, or in the reverse order: the word of the last one */
	bool		out_of_order;	/* rows are not known to be in their final order, */
	bool		not_reversed;	/* or in the reverse order, with no equal ones */
	int16		first_key;		/* they are equal in all keys before this one */
	int16		depth;			/* how often they were divided before */
} RowPart;

/* Reads the blocks of a part one after the other. */
typedef struct PartReader
{
	const RowPart *part;
	uint32		extent;			/* of the next block */
	int64		place;
} PartReader;

/*
 * Appends rows of a store to the part, at the end of the file: those that are listed or, without a list, nrows
 * from `first` on.
 */
extern void gpusort_rows_part_append(RowPart *part, SpillFile *file, const RowStore *store, const uint32 *rows, uint32 first,
									 uint32 nrows, Size block_bytes);

extern PartReader gpusort_rows_part_read(const RowPart *part);

static inline bool
gpusort_rows_part_done(const PartReader *reader)
{
	return reader->extent == reader->part->nextents;
}

/* Reads the head of the next block, without has_nulls.  It says if that is all that is to be read. */
extern void gpusort_rows_part_head(const PartReader *reader, bool alone, StoredRows *head);

/* With a block whose head was read: appends its rows to a store, or makes it a block of a piece of the part, or neither. */
extern void gpusort_rows_part_next(PartReader *reader, const StoredRows *head, RowStore *store);
extern void gpusort_rows_part_cut(PartReader *reader, const StoredRows *head, RowPart *piece);
extern void gpusort_rows_part_skip(PartReader *reader, const StoredRows *head);

/*
 * Appends the rows of the next blocks to a store, as many blocks as memory holds if each row takes per_row bytes
 * more, or one.  Returns false if the store has no rows then.
 */
extern bool gpusort_rows_part_fill(PartReader *reader, RowStore *store, Size per_row, Size limit);

/* Gives up the files of the first extents, which have been read; or forgets where all rows are. */
extern void gpusort_rows_part_give_up(RowPart *part, uint32 count);
extern void gpusort_rows_part_clear(RowPart *part);

#endif							/* GPUSORT_ROW_PART_H */
