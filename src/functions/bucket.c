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
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "functions/arguments.h"
#include "keys/key_types.h"
#include "keys/projection.h"

PG_FUNCTION_INFO_V1(gpusort_bucket);

typedef struct PartitionState
{
	bool		ready;
	GpusortKeyForm form;
	GpusortProjection projection;
	double		least;			/* the least finite float */
} PartitionState;

/* The range of the values seen so far: of finite floats, or of the codes of integers. */
typedef struct ValueRange
{
	double		least;
	double		greatest;
	uint64		least_code;
	uint64		greatest_code;
} ValueRange;

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

static inline void
widen(ValueRange *range, GpusortKeyForm form, Datum value)
{
	if (is_float(form))
	{
		double		x = float_value(form, value);

		if (isfinite(x))
		{
			range->least = Min(range->least, x);
			range->greatest = Max(range->greatest, x);
		}
	}
	else
	{
		uint64		code = integer_code(form, value);

		range->least_code = Min(range->least_code, code);
		range->greatest_code = Max(range->greatest_code, code);
	}
}

/* Reads the partition's values.  Memory that the argument's evaluation leaves behind is freed after each row. */
static void
read_range(WindowObject window, GpusortKeyForm form, ValueRange *range)
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
			widen(range, form, value);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

/* Makes the projection of the partition's values. */
static void
find_projection(PartitionState *state, WindowObject window, uint32 buckets, bool descending)
{
	ValueRange	range = {INFINITY, -INFINITY, PG_UINT64_MAX, 0};

	read_range(window, state->form, &range);
	if (is_float(state->form))
	{
		if (range.least > range.greatest)
			range.least = range.greatest = 0;
		state->least = range.least;
		gpusort_project_floats(&state->projection, buckets, descending, range.least, range.greatest);
	}
	else
		gpusort_project_integers(&state->projection, buckets, descending,
								 Min(range.least_code, range.greatest_code), range.greatest_code);
}

/* The interval of a value, from 0.  A volatile argument may have left the range; such a value counts as its end. */
static uint32
project_value(const PartitionState *state, Datum value)
{
	const GpusortProjection *projection = &state->projection;

	if (is_float(state->form))
	{
		double		x = float_value(state->form, value);

		return gpusort_interval_of_float(projection, x < state->least ? state->least : x);
	}
	else
	{
		uint64		code = Max(integer_code(state->form, value), projection->origin);

		return gpusort_interval_of_code(projection, Min(code, projection->origin + projection->range));
	}
}

/* Reads the options from the current row, which is the first of the partition. */
static void
start_partition(FunctionCallInfo fcinfo, PartitionState *state, WindowObject window)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	bool		descending = false;
	bool		isnull;
	Datum		buckets;

	if (!gpusort_keys_form(type, &state->form))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("type %s cannot be cut into intervals", format_type_be(type)),
				 errhint("Intervals of equal width exist for integers, floats, dates and times.")));
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
	find_projection(state, window, gpusort_check_buckets(gpusort_argument_integer(fcinfo, 1, buckets)), descending);
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
	PG_RETURN_INT32((int32) project_value(state, value) + 1);
}
