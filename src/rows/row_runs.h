/*
 * row_runs.h
 *	  Sorted runs of rows in temporary files, and their merge.
 *
 * A run is a sequence of blocks in a file that it shares with the others, or has for
 * itself once it was merged; a block is a RowStore as it stands in memory, its rows in
 * order.  Runs are kept in the input's order, and the merge prefers the earlier run
 * among equal rows, which keeps the sort stable.  When there are more runs than work_mem
 * has room to read at once, neighbours are merged into longer ones first, no more of
 * them than it takes.  For random access all runs are merged into one, whose blocks are
 * found by the number of their first row.
 */
#ifndef GPUSORT_ROW_RUNS_H
#define GPUSORT_ROW_RUNS_H

#include "storage/buffile.h"

#include "rows/row_code.h"
#include "rows/row_store.h"

typedef struct RowRun RowRun;

typedef struct RowRuns
{
	RowMemory  *memory;
	const RowLayout *layout;
	RowKeys    *keys;
	RowStore   *sample;			/* rows of all runs, until they are merged */
	uint32		sample_rows;	/* that a further run adds to it */
	KeyCode    *code;			/* common to all runs, while they are merged */
	Size		block_bytes;	/* a block is written when it has as many */
	uint32		block_rows;		/* or this many rows */
	int			max_fan_in;		/* runs that are merged at once */

	BufFile    *file;			/* holds the blocks of runs that were not merged */
	List	   *runs;			/* of RowRun, in the input's order */
	RowRun	  **heap;			/* runs being merged, the one with the next row on top */
	int			nheap;
	RowRun	   *waiting;		/* run to advance before the merge goes on: the batch
								 * handed out points into its block */
	RowStore   *builder;		/* block being written */
	int64		disk_bytes;		/* written */
	int			initial_runs;
	int			merge_passes;	/* over the runs, or some of them, before the last merge */
} RowRuns;

extern RowRuns *gpusort_rows_runs_create(RowMemory *memory, const RowLayout *layout, RowKeys *keys,
										 Size memory_limit);
extern void gpusort_rows_runs_add(RowRuns *runs, const RowStore *store, const uint32 *order, uint32 nrows);
extern void gpusort_rows_runs_prepare(RowRuns *runs, bool random_access);
extern void gpusort_rows_runs_next(RowRuns *runs, RowBatch *batch);
extern void gpusort_rows_runs_seek(RowRuns *runs, RowBatch *batch, uint64 row);
extern void gpusort_rows_runs_close(RowRuns *runs);

#endif							/* GPUSORT_ROW_RUNS_H */
