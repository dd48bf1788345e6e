/*
 * row_runs.h
 *	  Sorted runs of rows in temporary files, whose rows are read back in order.
 *
 * All runs that were sorted in memory share a file; a run that was merged has a file of its
 * own.  Runs are kept in the input's order, and of equal rows the merge takes that of the
 * earlier run first, which keeps the sort stable.
 *
 * Neighbouring runs that do not overlap are joined without reading them.  So input that
 * comes in order, or in the reverse order, becomes one run and is not merged.  If there are
 * more runs than work_mem allows to read at once, neighbouring runs are first merged into
 * longer ones, as few as possible.  For random access all runs are merged into one, whose
 * blocks are found by the number of their first row (row_run.h).
 */
#ifndef GPUSORT_ROW_RUNS_H
#define GPUSORT_ROW_RUNS_H

#include "rows/row_merge.h"

typedef struct RowRuns
{
	struct RowSort *sort;
	Datum	   *values;			/* of a row, for the keys that are kept of it */
	bool	   *nulls;
	RowStore   *sample;			/* keys of rows of all runs, until they are merged */
	uint32		sample_rows;	/* rows that the next run adds to the sample */
	KeyCode    *code;			/* common to all runs, while they are merged */
	Size		block_bytes;	/* a block is written when a merge would need this many bytes for it */
	int			max_fan_in;		/* runs that are merged at once */

	SpillFile    *file;			/* holds the blocks of runs that were not merged */
	List	   *runs;			/* RowRun structs, in the input's order */
	RowStore   *builder;		/* block being written */
	RowStore   *ends;			/* keys of the first and the last row of the last run added, if they are not large */

	RowMerge   *merge;			/* the last one, whose rows are read; NULL with random access */
	uint32		position;		/* place in its batch of the next row to be read */
	RowStore   *block;			/* with random access, the block that was read last */
	uint64		block_first_row;
	int64		block_end;		/* where the next block begins, if it is not marked */

	int64		disk_bytes;		/* bytes written */
	int			initial_runs;
	int			joined_runs;	/* how many they are once those in sequence are joined */
	int			merge_passes;	/* over some or all runs, before the last merge */
} RowRuns;

extern RowRuns *gpusort_rows_runs_create(struct RowSort *sort);
extern void gpusort_rows_runs_add(RowRuns *runs, const RowStore *store, const uint32 *order, uint32 nrows);
extern void gpusort_rows_runs_prepare(RowRuns *runs, bool random_access);
extern void gpusort_rows_runs_next(RowRuns *runs, RowBatch *batch);
extern void gpusort_rows_runs_seek(RowRuns *runs, RowBatch *batch, uint64 row);
extern void gpusort_rows_runs_close(RowRuns *runs);

#endif							/* GPUSORT_ROW_RUNS_H */
