/*
 * key_histogram.c
 *	  Counts keys by interval: two passes, one for the range, one to count.
 */
#include "postgres.h"

#include <math.h>

#include "keys/key_forms.h"
#include "keys/key_histogram.h"
#include "keys/key_range.h"
#include "keys/projection.h"

static inline double
float_at(GpusortKeyForm form, const void *keys, uint32 i)
{
	return form == GPUSORT_KEY_FLOAT32 ? ((const float *) keys)[i] : ((const double *) keys)[i];
}

static void
count_floats(GpusortKeyForm form, const void *keys, uint32 count, uint32 buckets, int64 *counts)
{
	GpusortProjection projection;
	double		least = INFINITY;
	double		greatest = -INFINITY;

	for (uint32 i = 0; i < count; i++)
	{
		double		x = float_at(form, keys, i);

		GPUSORT_CHECK_EVERY(i);
		if (isfinite(x))
		{
			least = Min(least, x);
			greatest = Max(greatest, x);
		}
	}
	if (least > greatest)
		least = greatest = 0;
	gpusort_project_floats(&projection, buckets, false, least, greatest);
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		counts[gpusort_interval_of_float(&projection, float_at(form, keys, i))]++;
	}
}

static pg_attribute_always_inline void
count_integers(GpusortKeyForm form, const void *keys, uint32 count, uint32 buckets, int64 *counts)
{
	GpusortProjection projection;
	uint64		least;
	uint64		greatest;

	gpusort_key_range(form, keys, count, &least, &greatest);
	gpusort_project_integers(&projection, buckets, false, Min(least, greatest), greatest);
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		counts[gpusort_interval_of_code(&projection, gpusort_key_alone_code(form, keys, i))]++;
	}
}

void
gpusort_keys_histogram(GpusortKeyForm form, const void *keys, uint32 count, uint32 buckets, int64 *counts)
{
	if (form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64)
		count_floats(form, keys, count, buckets, counts);
	else
		GPUSORT_WITH_CONSTANT_FORM(form, count_integers, keys, count, buckets, counts);
}
