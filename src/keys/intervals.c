/*
 * intervals.c
 *	  Intervals of equal width over the values of an SQL type, see intervals.h.
 */
#include "postgres.h"

#include "keys/intervals.h"
#include "keys/key_forms.h"
#include "large_memory.h"

/* A key in native form as a Datum. */
static pg_attribute_always_inline Datum
key_datum(GpusortKeyForm form, const void *keys, uint32 position)
{
	switch (gpusort_key_width(form))
	{
		case 2:
			return Int16GetDatum(((const int16 *) keys)[position]);
		case 4:
			return Int32GetDatum(((const int32 *) keys)[position]);
		default:
			return Int64GetDatum(((const int64 *) keys)[position]);
	}
}

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

static pg_attribute_always_inline void
widen_by_keys(GpusortKeyForm form, const void *keys, const bool *nulls, uint32 count, ValueRange *range)
{
	ValueRange	wider = *range;

	wider.form = form;
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (nulls == NULL || !nulls[i])
			gpusort_range_widen(&wider, key_datum(form, keys, i));
	}
	*range = wider;
}

/* Widens the range by keys in native form.  nulls says which of them are NULL, or is NULL if none are. */
void
gpusort_range_widen_by_keys(ValueRange *range, const void *keys, const bool *nulls, uint32 count)
{
	GPUSORT_WITH_CONSTANT_FORM(range->form, widen_by_keys, keys, nulls, count, range);
}

static pg_attribute_always_inline void
number_keys(GpusortKeyForm form, const void *keys, uint32 count, const Intervals *intervals, uint32 *numbers)
{
	Intervals	known = *intervals;

	known.form = form;
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		numbers[i] = gpusort_interval_of(&known, key_datum(form, keys, i));
	}
}

/* Writes the interval of each key in native form. */
void
gpusort_intervals_of_keys(const Intervals *intervals, const void *keys, uint32 count, uint32 *numbers)
{
	GPUSORT_WITH_CONSTANT_FORM(intervals->form, number_keys, keys, count, intervals, numbers);
}
