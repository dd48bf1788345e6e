/*
 * exec.h
 *	  Run-time state of the rows node.
 */
#ifndef GPUSORT_ROWS_EXEC_H
#define GPUSORT_ROWS_EXEC_H

#include "nodes/execnodes.h"

#include "nodes/rows/heap_source.h"
#include "rows/row_sort.h"
#include "nodes/worker_stats.h"

typedef struct RowsNodeState
{
	CustomScanState custom;		/* must be first */
	bool		random_access;
	List	   *limit;			/* of ExprState: the LIMIT's count and offset that bound the rows wanted */
	RowSort    *sort;			/* NULL until rows are asked for */
	HeapSource *source;			/* NULL: rows come through ExecProcNode */
	int64		current;		/* row last returned, -1 before the first, nrows behind the last */
	int64		mark;
	RowSortStats stats;			/* of the last sort, for EXPLAIN */
	RowSortStats *shared;		/* where a parallel worker leaves them, or NULL */
	WorkerStats *workers;		/* those of parallel workers, or NULL */
} RowsNodeState;

#endif							/* GPUSORT_ROWS_EXEC_H */
