/*
 * bucket.c
 *	  bucket(x, buckets [, descending]) OVER (...): the interval of each row's
 *	  value, so that ORDER BY gpusort.bucket(...) is an approximate ORDER BY.
 *
 * Linear projection of "Approximate sort on manycore GPUs" (its section III, step
 * 1): the range of the partition's values is cut into intervals of equal width.
 * The first row of a partition reads all its values once for the least and the
 * greatest; every row then projects its own value, so nothing is stored per row.
 * A GPU would have little to do: 2.5 % of such a query's time is spent here, the
 * rest in storing and reading rows.
 *
 * NULL gives NULL. -infinity falls into the first interval, infinity and NaN into
 * the last; with descending the intervals count from the other end.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "windowapi.h"

#include "keys/key_types.h"
#include "keys/projection.h"

PG_FUNCTION_INFO_V1(gpusort_bucket);

typedef struct PartitionState
{
	bool		ready;
	GpusortKeyForm form;
	GpusortProjection projection;
} PartitionState;

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

/* The i-th row's value of the partition; false if it is NULL. */
static bool
partition_value(WindowObject window, int i, Datum *value)
{
	bool		isnull;
	bool		isout;

	*value = WinGetFuncArgInPartition(window, 0, i, WINDOW_SEEK_HEAD, false, &isnull, &isout);
	return !isnull && !isout;
}

/* Projects the range of the partition's finite floats. */
static void
project_floats(PartitionState *state, WindowObject window, int32 buckets, bool descending)
{
	int			nrows = partition_rows(window);
	double		least = 0;
	double		greatest = 0;
	bool		found = false;
	Datum		value;

	for (int i = 0; i < nrows; i++)
	{
		double		x;

		CHECK_FOR_INTERRUPTS();
		if (!partition_value(window, i, &value))
			continue;
		x = float_value(state->form, value);
		if (!isfinite(x))
			continue;
		if (!found || x < least)
			least = x;
		if (!found || x > greatest)
			greatest = x;
		found = true;
	}
	gpusort_project_floats(&state->projection, buckets, descending, least, greatest);
}

/* Projects the range of the partition's integers. */
static void
project_integers(PartitionState *state, WindowObject window, int32 buckets, bool descending)
{
	int			nrows = partition_rows(window);
	uint64		least = PG_UINT64_MAX;
	uint64		greatest = 0;
	Datum		value;

	for (int i = 0; i < nrows; i++)
	{
		uint64		code;

		CHECK_FOR_INTERRUPTS();
		if (!partition_value(window, i, &value))
			continue;
		code = integer_code(state->form, value);
		least = Min(least, code);
		greatest = Max(greatest, code);
	}
	gpusort_project_integers(&state->projection, buckets, descending, Min(least, greatest), greatest);
}

/* Reads the options from the current row, which is the partition's first. */
static void
start_partition(FunctionCallInfo fcinfo, PartitionState *state, WindowObject window)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	bool		descending = false;
	bool		isnull;
	int32		buckets;

	if (!gpusort_keys_form(type, &state->form))
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
	if (PG_NARGS() > 2)
	{
		descending = DatumGetBool(WinGetFuncArgCurrent(window, 2, &isnull));
		if (isnull)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("descending must not be NULL")));
	}
	if (is_float(state->form))
		project_floats(state, window, buckets, descending);
	else
		project_integers(state, window, buckets, descending);
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
	uint32		interval;

	if (!state->ready)
		start_partition(fcinfo, state, window);
	WinSetMarkPosition(window, WinGetCurrentPosition(window));
	value = WinGetFuncArgCurrent(window, 0, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	if (is_float(state->form))
		interval = gpusort_interval_of_float(&state->projection, float_value(state->form, value));
	else
		interval = gpusort_interval_of_code(&state->projection, integer_code(state->form, value));
	PG_RETURN_INT32((int32) interval + 1);
}
