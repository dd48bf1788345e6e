/*
 * row_merge.h
 *	  Merges sorted runs of rows: batch after batch is sorted.
 *
 * Some blocks of each run lie in one store, the window.  All rows that surely come before
 * those still in files are a batch.  It is put in order as rows in memory are: by packed
 * integers, on the CPU engine, and then by breaking ties.  That costs less than comparing
 * runs row by row.  Of equal rows that of the earlier run comes first.
 */
#ifndef GPUSORT_ROW_MERGE_H
#define GPUSORT_ROW_MERGE_H

#include "rows/row_code.h"
#include "rows/row_run.h"

struct RowSort;

typedef struct MergeInput MergeInput;

typedef struct RowMerge
{
	struct RowSort *sort;
	const KeyCode *code;		/* common to all runs */
	MergeInput *inputs;			/* a run each, in the input's order */
	int			ninputs;
	int			blocks;			/* how many of a run are read at a time */
	RowStore   *window;
	RowBuffer	words;			/* leading code bits of the window's rows */
	RowBuffer	packed;			/* packed integers of a batch */
	const uint32 *order;		/* the batch: rows of the window, in the memory of packed */
	uint32		nrows;			/* of the batch */
} RowMerge;

extern RowMerge *gpusort_rows_merge_begin(struct RowSort *sort, const KeyCode *code, RowRun **runs, int nruns);
extern bool gpusort_rows_merge_next(RowMerge *merge);
extern void gpusort_rows_merge_end(RowMerge *merge);

#endif							/* GPUSORT_ROW_MERGE_H */
