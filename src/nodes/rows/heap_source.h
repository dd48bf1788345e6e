/*
 * heap_source.h
 *	  Reads a sequential scan of a heap straight into a row store.
 */
#ifndef GPUSORT_HEAP_SOURCE_H
#define GPUSORT_HEAP_SOURCE_H

#include "nodes/execnodes.h"

#include "rows/row_sort.h"

typedef struct HeapSource HeapSource;

/* Instead of a column's number: the row as the table has it, as a minimal tuple. */
#define GPUSORT_WHOLE_ROW (-2)

extern Node *gpusort_rows_plain_column(const TargetEntry *entry);
extern HeapSource *gpusort_rows_heap_source(PlanState *input, const RowLayout *layout, const int *columns);
extern bool gpusort_rows_heap_read(HeapSource *source, RowSort *sort);

#endif							/* GPUSORT_HEAP_SOURCE_H */
