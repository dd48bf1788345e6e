/*
 * row_run.h
 *	  A run of rows in a temporary file: sorted, or those of a part (interval_parts.h).
 *
 * A run is a sequence of blocks.  A block holds rows as a RowStore has them in memory, and
 * is read into any place of a store of the same layout.  A run that was written at once is one
 * extent of its file, however long it is.  For random access some blocks are marked, and others
 * are found by the heads of those between.
 */
#ifndef GPUSORT_ROW_RUN_H
#define GPUSORT_ROW_RUN_H

#include "rows/row_block.h"

/* How a run compares with the run before it. */
typedef enum RunPlace
{
	RUN_OVERLAPS,
	RUN_FOLLOWS,				/* none comes before that run's last row */
	RUN_PRECEDES				/* all come before that run's first row */
} RunPlace;

/* Bytes that a row takes in memory, while it is ordered, beside its columns and record. */
#define GPUSORT_RUN_ROW_BYTES (2 * sizeof(uint64))

#define ROWS_BLOCK_MAX ((Size) 256 * 1024)	/* a block of one row may be larger */

/* Blocks that lie one behind the other in the file. */
typedef struct RunExtent
{
	int64		start;
	int64		end;
} RunExtent;

/* Where one of the marked blocks is: the first one of a run, and of each ROWS_BLOCKS_PER_MARK. */
typedef struct RunMark
{
	int64		place;
	uint64		first_row;		/* number of its first row in the run */
} RunMark;

typedef struct RowRun
{
	RunPlace	place;
	SpillFile  *file;
	RunExtent  *extents;
	int			nextents;
	int			extent_slots;
	RunMark    *marks;			/* NULL without random access */
	int			nmarks;
	int			mark_slots;
	uint64		nblocks;
	uint64		nrows;
	Size		record_bytes;
	Size		bytes;			/* in memory, NULLs included */
	uint32		most_rows;		/* the most that a block has; so are the next two */
	Size		most_record_bytes;
	Size		most_bytes;		/* in the file, which are about as many as in memory */
} RowRun;

/* Reads the blocks of a run one after the other. */
typedef struct RunReader
{
	const RowRun *run;
	int			extent;			/* of the next block */
	int64		place;
} RunReader;

extern RowRun *gpusort_rows_run_create(SpillFile *file, bool random_access);
extern RowRun *gpusort_rows_run_chain(RowRun **chain, int count);
extern void gpusort_rows_run_free(RowRun *run);
extern Size gpusort_rows_run_append(RowRun *run, RowStore *builder, const RowStore *store, const uint32 *rows, uint32 nrows,
									Size block_bytes);
extern Size gpusort_rows_run_write(RowRun *run, RowStore *store);
extern const RunMark *gpusort_rows_run_find(const RowRun *run, uint64 row);

extern RunReader gpusort_rows_reader_begin(const RowRun *run);

static inline bool
gpusort_rows_reader_done(const RunReader *reader)
{
	return reader->extent == reader->run->nextents;
}

/* The head of the next block, of this many that will be read now. */
extern BlockHead gpusort_rows_reader_head(const RunReader *reader, int blocks);

/* Reads the next block as gpusort_rows_block_read does. */
extern uint32 gpusort_rows_reader_read(RunReader *reader, const BlockHead *head, RowStore *store, uint32 at, Size *record_bytes);

#endif							/* GPUSORT_ROW_RUN_H */
