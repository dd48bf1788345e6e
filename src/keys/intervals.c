/*
 * intervals.c
 *	  Intervals of equal width over the values of an SQL type, see intervals.h.
 */
#include "postgres.h"

#include "keys/intervals.h"

ValueRange
gpusort_range_of_none(GpusortKeyForm form)
{
	return (ValueRange) {form, INFINITY, -INFINITY, PG_UINT64_MAX, 0};
}

/* Cuts a range into intervals. */
Intervals
gpusort_intervals_make(const ValueRange *range, uint32 buckets, bool descending)
{
	Intervals	intervals = {range->form};

	if (gpusort_form_is_float(range->form))
	{
		double		least = range->least > range->greatest ? 0 : range->least;
		double		greatest = range->least > range->greatest ? 0 : range->greatest;

		intervals.least = least;
		gpusort_project_floats(&intervals.projection, buckets, descending, least, greatest);
	}
	else
		gpusort_project_integers(&intervals.projection, buckets, descending,
								 Min(range->least_code, range->greatest_code), range->greatest_code);
	return intervals;
}
