/*
 * bucket.c
 *	  bucket(x, buckets [, descending]) OVER (...): the interval of each row's
 *	  value, so that ORDER BY gpusort.bucket(...) is an approximate ORDER BY.
 *
 * Linear projection of "Approximate sort on manycore GPUs" (its section III, step
 * 1): the range of the partition's values is cut into intervals of equal width.
 * At the first row of a partition all its values are read, to find the least and the
 * greatest.  Every row then projects its own value, so nothing is stored per row.
 *
 * As ntile does, this keeps all rows of the partition in the server's store until the
 * partition ends.  Giving up rows one by one would make the store move between two
 * places; in a temporary file that takes three times as long as everything else.
 *
 * NULL gives NULL.  -infinity falls into the first interval, infinity and NaN into the
 * last.  With descending the intervals count from the other end.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "functions/arguments.h"
#include "keys/intervals.h"
#include "keys/key_types.h"

PG_FUNCTION_INFO_V1(gpusort_bucket);

typedef struct PartitionState
{
	bool		ready;
	Intervals	intervals;
} PartitionState;

/* The number of rows of the partition.  Window functions address rows by int. */
static int
partition_rows(WindowObject window)
{
	int64		nrows = WinGetPartitionRowCount(window);

	if (nrows > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("partition of " INT64_FORMAT " rows exceeds the maximum of %d", nrows, PG_INT32_MAX)));
	return (int) nrows;
}

/* Reads the partition's values.  Memory that the argument's evaluation leaves behind is freed after each row. */
static void
read_range(WindowObject window, ValueRange *range)
{
	int			nrows = partition_rows(window);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpusort bucket", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);

	for (int row = 0; row < nrows; row++)
	{
		bool		isnull;
		bool		isout;
		Datum		value = WinGetFuncArgInPartition(window, 0, row, WINDOW_SEEK_HEAD, false, &isnull, &isout);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			gpusort_range_widen(range, value);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

/* Reads the options from the current row, which is the partition's first, and finds the range of the values. */
static void
start_partition(FunctionCallInfo fcinfo, PartitionState *state, WindowObject window)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	bool		descending = false;
	bool		isnull;
	Datum		buckets;
	GpusortKeyForm form;
	ValueRange	range;

	if (!gpusort_keys_form(type, &form))
		gpusort_refuse_intervals(type);
	buckets = WinGetFuncArgCurrent(window, 1, &isnull);
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("buckets must not be NULL")));
	if (PG_NARGS() > 2)
	{
		descending = DatumGetBool(WinGetFuncArgCurrent(window, 2, &isnull));
		if (isnull)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("descending must not be NULL")));
	}
	buckets = gpusort_check_buckets(DatumGetInt64(buckets));
	range = gpusort_range_of_none(form);
	read_range(window, &range);
	state->intervals = gpusort_intervals_make(&range, buckets, descending);
	state->ready = true;
}

/* bucket(x, buckets [, descending]): 1 .. buckets. */
Datum
gpusort_bucket(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	PartitionState *state = WinGetPartitionLocalMemory(window, sizeof(PartitionState));
	Datum		value;
	bool		isnull;

	if (!state->ready)
		start_partition(fcinfo, state, window);
	value = WinGetFuncArgCurrent(window, 0, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_INT32((int32) gpusort_interval_of(&state->intervals, value) + 1);
}
