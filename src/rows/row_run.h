/*
 * row_run.h
 *	  A run of rows in a temporary file: sorted, or those of a part (interval_parts.h).
 *
 * A run is a sequence of blocks.  A block holds rows as a RowStore has them in memory, and
 * is read into any place of a store of the same layout.
 */
#ifndef GPUSORT_ROW_RUN_H
#define GPUSORT_ROW_RUN_H

#include "rows/row_store.h"
#include "rows/spill_file.h"

/* How the rows of a run lie to those of the run before it. */
typedef enum RunPlace
{
	RUN_OVERLAPS,
	RUN_FOLLOWS,				/* none comes before that run's last row */
	RUN_PRECEDES				/* all come before that run's first row */
} RunPlace;

/* Bytes that a row takes in memory, while it is ordered, beside its columns and record. */
#define GPUSORT_RUN_ROW_BYTES (2 * sizeof(uint64))

typedef struct RunBlock
{
	int64		place;			/* in the file: its first byte, and the one behind its last */
	int64		end;
	uint64		first_row;		/* number of its first row in the run */
} RunBlock;

typedef struct RowRun
{
	RunPlace	place;
	SpillFile  *file;
	RunBlock   *blocks;
	int			nblocks;
	int			block_slots;
	uint64		nrows;
	Size		record_bytes;
	Size		bytes;			/* in memory, NULLs included */
	uint32		most_rows;		/* the most that a block has; so are the next two */
	Size		most_record_bytes;
	Size		most_bytes;
} RowRun;

extern RowRun *gpusort_rows_run_create(SpillFile *file);
extern RowRun *gpusort_rows_run_chain(RowRun **chain, int count);
extern void gpusort_rows_run_free(RowRun *run);
extern Size gpusort_rows_run_append(RowRun *run, RowStore *builder, const RowStore *store, const uint32 *rows, uint32 nrows,
									Size block_bytes);
extern Size gpusort_rows_run_write(RowRun *run, RowStore *store);
extern uint32 gpusort_rows_run_read(const RowRun *run, int number, int last, RowStore *store, uint32 at, Size *record_bytes);

#endif							/* GPUSORT_ROW_RUN_H */
