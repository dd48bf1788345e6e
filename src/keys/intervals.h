/*
 * intervals.h
 *	  Intervals of equal width over the values of an SQL type, see projection.h.
 *
 * First the range is widened by each value, then the intervals are made, then each
 * value has its interval.
 */
#ifndef GPUSORT_INTERVALS_H
#define GPUSORT_INTERVALS_H

#include <math.h>

#include "keys/projection.h"

/* The range of values: of finite floats, or of the codes of integers. */
typedef struct ValueRange
{
	GpusortKeyForm form;
	double		least;
	double		greatest;
	uint64		least_code;
	uint64		greatest_code;
} ValueRange;

typedef struct Intervals
{
	GpusortKeyForm form;
	GpusortProjection projection;
	double		least;			/* the least finite float */
} Intervals;

extern ValueRange gpusort_range_of_none(GpusortKeyForm form);
extern Intervals gpusort_intervals_make(const ValueRange *range, uint32 buckets, bool descending);

static inline bool
gpusort_form_is_float(GpusortKeyForm form)
{
	return form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64;
}

static inline double
gpusort_float_of(GpusortKeyForm form, Datum value)
{
	return form == GPUSORT_KEY_FLOAT32 ? DatumGetFloat4(value) : DatumGetFloat8(value);
}

static inline int64
gpusort_integer_of(GpusortKeyForm form, Datum value)
{
	return form == GPUSORT_KEY_INT16 ? DatumGetInt16(value) : form == GPUSORT_KEY_INT32 ? DatumGetInt32(value) :
		DatumGetInt64(value);
}

/* Widens the range by a value that is not NULL. */
static inline void
gpusort_range_widen(ValueRange *range, Datum value)
{
	if (gpusort_form_is_float(range->form))
	{
		double		x = gpusort_float_of(range->form, value);

		if (isfinite(x))
		{
			range->least = Min(range->least, x);
			range->greatest = Max(range->greatest, x);
		}
	}
	else
	{
		uint64		code = gpusort_integer_code(range->form, value);

		range->least_code = Min(range->least_code, code);
		range->greatest_code = Max(range->greatest_code, code);
	}
}

/* The interval of a value, from 0.  A value outside the range counts as the nearer end of the range. */
static inline uint32
gpusort_interval_of(const Intervals *intervals, Datum value)
{
	const GpusortProjection *projection = &intervals->projection;

	if (gpusort_form_is_float(intervals->form))
	{
		double		x = gpusort_float_of(intervals->form, value);

		return gpusort_interval_of_float(projection, x < intervals->least ? intervals->least : x);
	}
	else
	{
		uint64		code = Max(gpusort_integer_code(intervals->form, value), projection->origin);

		return gpusort_interval_of_code(projection, Min(code, projection->origin + projection->range));
	}
}

#endif							/* GPUSORT_INTERVALS_H */
