/*
 * row_bound.h
 *	  A row sort of which only the first rows are wanted, in all or of each partition.
 *
 * The leading keys make the partitions; without such keys there is only one.  Whenever the
 * store holds enough surplus rows it is cut to the wanted ones.  A copy of the keys of the last
 * wanted row of a partition becomes the partition's threshold.  A row read later that comes
 * after it is not stored at all; for BOUND_ROWS, nor is one that is equal to it.  Kept rows
 * stay in the input's order, so the sort stays stable.
 *
 * A bounded sort returns all rows that are wanted, and maybe others.  With BOUND_ROWS and
 * without partitions it returns no others.
 *
 * Where partitions are many and small, a bound drops few rows and is given up.
 */
#ifndef GPUSORT_ROW_BOUND_H
#define GPUSORT_ROW_BOUND_H

#include "rows/row_keys.h"
#include "rows/row_partitions.h"
#include "rows/row_store.h"

#define GPUSORT_BOUND_SURPLUS 128	/* the least number of surplus rows for a cut */

/* Which rows of a partition are wanted. */
typedef enum RowBoundKind
{
	BOUND_ROWS,					/* its first rows */
	BOUND_TIES,					/* its first rows, and those that are equal to the last of them */
	BOUND_VALUES,				/* the rows of its first distinct keys */
	BOUND_DISTINCT				/* one row of all that are equal: the sort drops others without a RowBound */
} RowBoundKind;

typedef struct RowBoundSpec
{
	uint64		rows;			/* how many rows, or distinct keys, of each partition; 0 for all */
	RowBoundKind kind;
	int			partition_keys; /* how many leading keys make partitions */
} RowBoundSpec;

typedef struct RowBound
{
	RowBoundKind kind;
	uint32		rows;			/* as in the spec */
	int			partition_keys;
	uint32		cut_at;			/* the store is cut when it holds this many rows, unless few would be dropped */
	uint64		read;			/* rows offered */
	uint64		dropped;		/* how many of these were dropped */
	double		expected_rows;
	const RowKeys *keys;
	const RowLayout *layout;
	MemoryContext memory;

	RowPartitions *partitions;	/* NULL if all rows are one partition */
	RowBuffer	partition_of;	/* uint32: the partition of each row of the store */
	uint32		nstored;		/* rows in the store */
	uint32		surely_kept;	/* rows of the store that a cut would keep at least */
	int			vain_cuts;		/* cuts in sequence that kept most rows */

	/* By partition. */
	uint32		capacity;
	uint32	   *stored;			/* how many of its rows are in the store */
	bool	   *full;			/* it has a threshold */
	Datum	   *values;			/* thresholds, of the n keys behind the partition keys: values[partition * n + i] */
	bool	   *nulls;
	MemoryContext referenced;	/* holds values that are not passed by value */
} RowBound;

extern RowBound *gpusort_rows_bound_create(MemoryContext memory, const RowLayout *layout, const RowKeys *keys,
										   RowBoundSpec spec, double expected_rows);
extern bool gpusort_rows_bound_is_exact(const RowBound *bound);

/* True if a row that is read after all stored ones is not wanted.  Sets the number of its partition. */
extern bool gpusort_rows_bound_rejects(RowBound *bound, RowValueGetter get, void *row, uint32 *partition);

/* Counts a row that is stored next.  The store has space for it: making space cuts or spills the rows that were counted. */
extern void gpusort_rows_bound_count(RowBound *bound, uint32 partition);

extern bool gpusort_rows_bound_may_cut(RowBound *bound, uint32 nrows);
extern bool gpusort_rows_bound_is_vain(const RowBound *bound, Size memory_limit);

/*
 * Moves the wanted rows to the front of the store's sorted order, in which they stay, and
 * sets thresholds.  Returns how many there are.  If the bound is exact, only the last
 * wanted row must be in its place.
 */
extern uint32 gpusort_rows_bound_select(RowBound *bound, const RowStore *store, uint32 *order);

/* Cuts the store, whose sorted order is given, to the wanted rows.  Overwrites the order. */
extern void gpusort_rows_bound_cut(RowBound *bound, RowStore *store, uint32 *order);
extern void gpusort_rows_bound_forget_rows(RowBound *bound);
extern Size gpusort_rows_bound_bytes(const RowBound *bound);
extern void gpusort_rows_bound_free(RowBound *bound);

#endif							/* GPUSORT_ROW_BOUND_H */
