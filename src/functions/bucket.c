/*
 * bucket.c
 *	  bucket(x, buckets [, descending]) OVER (...): the interval of each row's
 *	  value, so that ORDER BY gpusort.bucket(...) is an approximate ORDER BY.
 *
 * Linear projection of "Approximate sort on manycore GPUs" (its section III, step
 * 1): the range of the partition's values is cut into intervals of equal width.
 * The first row of a partition reads all its values once:
 *
 *	  on the CPU	for the least and the greatest; every row then projects its own
 *					value, so nothing is stored per row
 *	  on a GPU		to send them there, where both is done; every row then takes the
 *					next interval that comes back.  One bit per row says which are
 *					NULL, if any are
 *
 * If the GPU fails, at whatever row, the values are read once more for the CPU.
 * All rows of the partition stay where they are, as for ntile: to give up each one
 * that has been returned is a second place in the store that moves from row to row,
 * which in a temporary file takes three times as long as all the rest.
 *
 * NULL gives NULL. -infinity falls into the first interval, infinity and NaN into
 * the last; with descending the intervals count from the other end.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "device/device_intervals.h"
#include "keys/key_types.h"
#include "keys/projection.h"

PG_FUNCTION_INFO_V1(gpusort_bucket);

typedef struct PartitionState
{
	bool		ready;
	int			nrows;
	GpusortSpec spec;
	DeviceIntervals *intervals; /* that a GPU finds; NULL: they are projected here */
	uint8	   *nulls;			/* with intervals, a bit for each row that is NULL; NULL: none is */
	GpusortProjection projection;
	double		least;			/* finite float */
} PartitionState;

/* The range of the finite values seen so far. */
typedef struct FloatRange
{
	double		least;
	double		greatest;
} FloatRange;

typedef struct CodeRange
{
	uint64		least;
	uint64		greatest;
} CodeRange;

/* Told of each row of a partition; false ends the walk. */
typedef bool (*RowVisitor) (PartitionState *state, int row, Datum value, bool isnull, void *range);

static inline bool
is_float(GpusortKeyForm form)
{
	return form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64;
}

static inline double
float_value(GpusortKeyForm form, Datum value)
{
	return form == GPUSORT_KEY_FLOAT32 ? DatumGetFloat4(value) : DatumGetFloat8(value);
}

static inline uint64
integer_code(GpusortKeyForm form, Datum value)
{
	switch (form)
	{
		case GPUSORT_KEY_INT16:
			return gpusort_integer_code(form, (uint16) DatumGetInt16(value));
		case GPUSORT_KEY_INT32:
		case GPUSORT_KEY_UINT32:
			return gpusort_integer_code(form, (uint32) DatumGetInt32(value));
		default:
			return gpusort_integer_code(form, (uint64) DatumGetInt64(value));
	}
}

/* Rows of the partition; window functions address them by int. */
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

/* Visits the partition's rows, in memory that what the argument leaves behind cannot fill. */
static inline bool
visit_rows(PartitionState *state, WindowObject window, RowVisitor visit, void *range)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpusort bucket", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	bool		more = true;

	for (int row = 0; row < state->nrows && more; row++)
	{
		bool		isnull;
		bool		isout;
		Datum		value = WinGetFuncArgInPartition(window, 0, row, WINDOW_SEEK_HEAD, false, &isnull, &isout);

		CHECK_FOR_INTERRUPTS();
		more = visit(state, row, value, isnull, range);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return more;
}

static bool
widen_floats(PartitionState *state, int row, Datum value, bool isnull, void *arg)
{
	FloatRange *range = arg;
	double		x = isnull ? 0 : float_value(state->spec.form, value);

	if (!isnull && isfinite(x))
	{
		range->least = Min(range->least, x);
		range->greatest = Max(range->greatest, x);
	}
	return true;
}

static bool
widen_codes(PartitionState *state, int row, Datum value, bool isnull, void *arg)
{
	CodeRange  *range = arg;

	if (!isnull)
	{
		uint64		code = integer_code(state->spec.form, value);

		range->least = Min(range->least, code);
		range->greatest = Max(range->greatest, code);
	}
	return true;
}

/* Makes the projection of the partition's values. */
static void
find_projection(PartitionState *state, WindowObject window)
{
	if (is_float(state->spec.form))
	{
		FloatRange	range = {INFINITY, -INFINITY};

		(void) visit_rows(state, window, widen_floats, &range);
		if (range.least > range.greatest)
			range.least = range.greatest = 0;
		state->least = range.least;
		gpusort_project_floats(&state->projection, state->spec.buckets, state->spec.descending,
							   range.least, range.greatest);
	}
	else
	{
		CodeRange	range = {PG_UINT64_MAX, 0};

		(void) visit_rows(state, window, widen_codes, &range);
		gpusort_project_integers(&state->projection, state->spec.buckets, state->spec.descending,
								 Min(range.least, range.greatest), range.greatest);
	}
}

/* A value's interval, from 0: at an end of the range if a volatile argument has left that meanwhile. */
static uint32
project_value(const PartitionState *state, Datum value)
{
	const GpusortProjection *projection = &state->projection;

	if (is_float(state->spec.form))
	{
		double		x = float_value(state->spec.form, value);

		return gpusort_interval_of_float(projection, x < state->least ? state->least : x);
	}
	else
	{
		uint64		code = Max(integer_code(state->spec.form, value), projection->origin);

		return gpusort_interval_of_code(projection, Min(code, projection->origin + projection->range));
	}
}

static bool
send_value(PartitionState *state, int row, Datum value, bool isnull, void *arg)
{
	if (!isnull)
		return gpusort_intervals_put(state->intervals, value);
	if (state->nulls == NULL)
		state->nulls = MemoryContextAllocZero(GetMemoryChunkContext(state), state->nrows / BITS_PER_BYTE + 1);
	state->nulls[row / BITS_PER_BYTE] |= 1 << row % BITS_PER_BYTE;
	return true;
}

/* Has a GPU find the intervals, if it may and can. */
static void
send_partition(PartitionState *state, WindowObject window)
{
	MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(state));

	state->intervals = gpusort_intervals_open(&state->spec, state->nrows);
	MemoryContextSwitchTo(caller);
	if (state->intervals != NULL &&
		(!visit_rows(state, window, send_value, NULL) || !gpusort_intervals_project(state->intervals)))
		state->intervals = NULL;
}

/* Reads the options from the current row, which is the partition's first. */
static void
start_partition(FunctionCallInfo fcinfo, PartitionState *state, WindowObject window)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	bool		isnull;
	int32		buckets;

	if (!gpusort_keys_form(type, &state->spec.form))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("type %s cannot be cut into intervals", format_type_be(type)),
				 errhint("Intervals of equal width exist for integers, floats, dates and times.")));
	buckets = DatumGetInt32(WinGetFuncArgCurrent(window, 1, &isnull));
	if (isnull || buckets < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 isnull ? errmsg("buckets must not be NULL")
				 : errmsg("buckets must be at least 1, not %d", buckets)));
	state->spec.buckets = buckets;
	if (PG_NARGS() > 2)
	{
		state->spec.descending = DatumGetBool(WinGetFuncArgCurrent(window, 2, &isnull));
		if (isnull)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("descending must not be NULL")));
	}
	state->spec.method = GPUSORT_METHOD_APPROXIMATE;
	state->nrows = partition_rows(window);
	send_partition(state, window);
	if (state->intervals == NULL)
		find_projection(state, window);
	state->ready = true;
}

/* Takes the current row's interval from those that a GPU finds; false, and it does so no more, if it fails. */
static bool
take_interval(PartitionState *state, WindowObject window, bool *isnull, uint32 *interval)
{
	int64		row = WinGetCurrentPosition(window);

	*isnull = state->nulls != NULL && (state->nulls[row / BITS_PER_BYTE] & 1 << row % BITS_PER_BYTE) != 0;
	if (*isnull || gpusort_intervals_next(state->intervals, interval))
		return true;
	state->intervals = NULL;
	find_projection(state, window);
	return false;
}

/* Projects the current row's value. */
static void
project_row(const PartitionState *state, WindowObject window, bool *isnull, uint32 *interval)
{
	Datum		value = WinGetFuncArgCurrent(window, 0, isnull);

	if (!*isnull)
		*interval = project_value(state, value);
}

/* bucket(x, buckets [, descending]): 1 .. buckets. */
Datum
gpusort_bucket(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	PartitionState *state = WinGetPartitionLocalMemory(window, sizeof(PartitionState));
	bool		isnull;
	uint32		interval = 0;

	if (!state->ready)
		start_partition(fcinfo, state, window);
	if (state->intervals == NULL || !take_interval(state, window, &isnull, &interval))
		project_row(state, window, &isnull, &interval);
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_INT32((int32) interval + 1);
}
