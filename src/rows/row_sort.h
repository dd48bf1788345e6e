/*
 * row_sort.h
 *	  Sorts rows: append them, finish, read them back in order by batches.
 *
 *	  begin --> append ... --> finish --> read (any batch, any order) --> free
 *
 * Rows are held in columns (row_store.h).  Whenever they reach work_mem they go to parts in
 * temporary files (row_parts.h), or to devices (device_rows.h).  finish leaves either one sorted
 * store in memory or parts, each of which is sorted when a row of it is read.  A caller that asked
 * for random access may read batches in any order, others only one after another.  If only the first
 * rows are wanted, others are dropped early (row_bound.h).
 */
#ifndef GPUSORT_ROW_SORT_H
#define GPUSORT_ROW_SORT_H

#include "rows/row_bound.h"
#include "rows/row_code.h"
#include "rows/row_keys.h"
#include "rows/row_store.h"
#include "stats/sort_counters.h"
#include "stats/sort_progress.h"

typedef struct DeviceRows DeviceRows;
typedef struct RowParts RowParts;

/* Takes rows of a sort's store, in this order, whenever it is full (shared_sort.h). */
typedef void (*RunTaker) (void *taker, const uint32 *order, uint32 nrows);

/* Gives these rows words, if it can. */
typedef void (*WordMaker) (void *taker);

typedef struct RowSort
{
	MemoryContext context;		/* holds everything, this struct included */
	RowLayout  *layout;
	RowKeys    *keys;
	Size		memory_limit;
	bool		random_access;
	bool		timed;

	RowBound   *bound;			/* NULL if all rows are wanted, or when it was given up */
	uint64		dropped;		/* rows that a former bound dropped, or that were equal to others */
	uint32		look_at;		/* equal rows are looked for when the store holds this many; 0: never */
	bool		drops;			/* that dropped most rows the last time */
	RowStore   *store;			/* rows not yet beyond memory, or those that are read: */
	uint64		first_row;		/* the number of the first one of these */
	RowBuffer	packed;			/* packed integers, while sorting */
	uint32	   *order;			/* row numbers in sorted order, in the memory of packed; NULL: they are in that order */
	DeviceRows *device_rows;	/* rows that a device sorts, or NULL */
	KeyCode    *code;			/* by which rows of parts are put in order, too; NULL if each part gets its own */
	RowParts   *parts;			/* rows beyond work_mem that are in temporary files, or NULL */
	RunTaker	take_run;		/* NULL unless the rows are sorted together with those of other processes */
	WordMaker	make_words;		/* NULL if they have no words */
	void	   *taker;
	RowBatch   *batch;			/* set by finish */
	uint64		nrows;			/* rows to be read, in all */
	uint64		expected_rows;	/* the planner's estimate; when all rows are read, their number */
	int			expected_width;
	ShownSortId progress;		/* the sort as it is shown, until its last rows are read */
	SortReason	failed;			/* why no device sorted the store, until that is counted */
	SortCounters stats;
} RowSort;

extern RowSort *gpusort_rows_sort_begin(TupleDesc desc, List *tlist, List *sources, const Sort *keys,
										double expected_rows, int expected_width, RowBoundSpec bound,
										bool random_access, bool timed, Size memory_limit);

#define GPUSORT_ROWS_STORE_MAX (UINT32_MAX / 2)	/* the most rows of one store */

#define GPUSORT_ROWS_SHOWN_EVERY 64 /* rows that are read between two calls of this: */
extern void gpusort_rows_sort_show_read(RowSort *sort);
extern void gpusort_rows_sort_reserve(RowSort *sort, uint32 more_rows);
extern void gpusort_rows_sort_finish(RowSort *sort);
extern RowBatch *gpusort_rows_sort_read(RowSort *sort, uint64 row);
extern void gpusort_rows_sort_free(RowSort *sort);

/* Has the rows in memory taken.  No more are appended. */
extern void gpusort_rows_sort_share(RowSort *sort);

/* Sorts rows that were put into the store.  They can be read then, as can those that keep their order. */
extern void gpusort_rows_sort_order_store(RowSort *sort);
extern void gpusort_rows_sort_keep_order(RowSort *sort);

/* row_reuse.c: drops all rows of a sort of few rows.  Returns false if the sort must be freed instead. */
extern bool gpusort_rows_sort_empty(RowSort *sort);

/* Starts such a sort again, for rows as it had. */
extern void gpusort_rows_sort_again(RowSort *sort, double expected_rows, RowBoundSpec bound);

#define GPUSORT_ROWS_COMPARED 12	/* this many rows or fewer are compared, no code is made of them */

/* order.c: sorts the rows of one store on the host, by packed integers: a row's number in the lowest bits, its code above. */
extern int	gpusort_rows_row_bits(const RowStore *store);
extern void gpusort_rows_order(RowSort *sort, uint32 wanted, bool in_order);
extern bool gpusort_rows_order_by_words(RowSort *sort);
extern void gpusort_rows_order_as_stored(RowSort *sort);
extern void gpusort_rows_order_tie(RowSort *sort, uint32 *rows, uint32 count, int first_key);
extern void gpusort_rows_order_part(RowSort *sort, const KeyCode *code, uint32 first, uint32 count, uint64 *packed);

/* part_order.c: the same for large stores, scattered first.  The numbers of the rows change. */
extern bool gpusort_rows_order_by_parts(RowSort *sort);

/* True if some values of the first key in the store, in equal steps, come in ascending or in descending order. */
extern bool gpusort_rows_seem_ordered(const RowSort *sort);

/* row_distinct.c: one of equal rows is enough. */
#define GPUSORT_DISTINCT_LOOK 8192	/* rows that are read before equal ones are looked for */

/* True if it seems to pay to order the store and drop equal rows now. */
extern bool gpusort_rows_distinct_pays(RowSort *sort, bool is_full);

/* Keeps the first one of equal rows of the store, whose order is given.  Overwrites the order. */
extern void gpusort_rows_distinct_keep(RowSort *sort, bool is_full);

/* Runs of equal rows in a store that is in order. */
typedef struct RowRuns
{
	uint32		rows;
	uint32		runs;
	uint32		first;			/* rows of the first run, */
	uint32		last;			/* of the last one, */
	uint32		longest;		/* and of the longest one, the first of several */
	uint32		longest_row;	/* with which that begins */
} RowRuns;

extern RowRuns gpusort_rows_find_runs(const RowSort *sort);

#endif							/* GPUSORT_ROW_SORT_H */
