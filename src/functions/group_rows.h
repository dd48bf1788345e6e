/*
 * group_rows.h
 *	  Rows of a group that transition functions take from the node below, all that it has read at once.
 *
 * The rows node returns rows of groups from a batch in memory.  Where those behind one have the same bytes in all columns
 * that the Agg groups by, they are of the same group.  To have the executor return, compare and hand on each of them takes
 * longer than to collect its values.  So the functions of all aggregates read them from the batch, and the last one has
 * the node go on behind them.
 *
 * Done only if all aggregates are of those whose functions ask for more rows, without FILTER and volatile arguments.
 */
#ifndef GPUSORT_GROUP_ROWS_H
#define GPUSORT_GROUP_ROWS_H

#include "fmgr.h"

typedef struct GroupRows GroupRows;

/* What a transition function takes rows from; NULL if each of them comes by a call. */
extern GroupRows *gpusort_group_rows(FunctionCallInfo fcinfo);

/* Sets the function's arguments to those of the next row that it takes.  Returns false behind the last one. */
extern bool gpusort_group_rows_next(FunctionCallInfo fcinfo, GroupRows *rows);

#endif							/* GPUSORT_GROUP_ROWS_H */
