/*
 * row_runs.h
 *	  Sorted runs of rows in temporary files, and their merge.
 *
 * A run is a sequence of blocks in a file.  A run that was sorted in memory shares its
 * file with the others of that kind; a run that was merged has a file of its own.  A
 * block holds sorted rows as a RowStore has them in memory.  Runs are kept in the input's
 * order, and of equal rows the merge takes that of the earlier run, which keeps the sort
 * stable.  Runs that follow each other, or precede each other, without overlap are joined
 * without reading them: input in order, or in the reverse order, becomes one run, and is
 * not merged.  If there are more runs than work_mem allows to read at once, neighbouring runs
 * are first merged into longer ones, as few as possible.  For random access all runs are
 * merged into one.  Its blocks are found by the number of their first row.
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
	uint32		sample_rows;	/* rows that the next run adds to the sample */
	KeyCode    *code;			/* common to all runs, while they are merged */
	Size		block_bytes;	/* a block is written when it has this many bytes */
	uint32		block_rows;		/* or this many rows */
	int			max_fan_in;		/* runs that are merged at once */

	BufFile    *file;			/* holds the blocks of runs that were not merged */
	List	   *runs;			/* of RowRun, in the input's order */
	RowRun	  **heap;			/* runs being merged, the one with the next row on top */
	int			nheap;
	RowRun	   *waiting;		/* its block is used up, but the batch handed out points
								 * into it: advanced when the merge goes on */
	RowStore   *builder;		/* block being written */
	RowStore   *ends;			/* the first and the last row of the last run added */
	int64		disk_bytes;		/* written */
	int			initial_runs;
	int			joined_runs;	/* what is left of them when those in sequence are joined */
	int			merge_passes;	/* over some or all runs, before the last merge */
} RowRuns;

extern RowRuns *gpusort_rows_runs_create(RowMemory *memory, const RowLayout *layout, RowKeys *keys,
										 Size memory_limit);
extern void gpusort_rows_runs_add(RowRuns *runs, const RowStore *store, const uint32 *order, uint32 nrows);
extern void gpusort_rows_runs_prepare(RowRuns *runs, bool random_access);
extern void gpusort_rows_runs_next(RowRuns *runs, RowBatch *batch);
extern void gpusort_rows_runs_seek(RowRuns *runs, RowBatch *batch, uint64 row);
extern void gpusort_rows_runs_close(RowRuns *runs);

#endif							/* GPUSORT_ROW_RUNS_H */
