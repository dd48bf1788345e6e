/*
 * key_intervals.c
 *	  Projects keys to intervals.
 */
#include "postgres.h"

#include <math.h>


#include "arrays/array_shape.h"
#include "arrays/key_intervals.h"

/* A float key as a double. */
static inline double
float_key(GpusortKeyForm form, const void *keys, uint32 position)
{
	if (form == GPUSORT_KEY_FLOAT32)
		return ((const float4 *) keys)[position];
	return ((const float8 *) keys)[position];
}

/* An integer key as an unsigned code. */
static inline uint64
integer_key(GpusortKeyForm form, const void *keys, uint32 position)
{
	switch (gpusort_key_width(form))
	{
		case 2:
			return gpusort_integer_code(form, ((const uint16 *) keys)[position]);
		case 4:
			return gpusort_integer_code(form, ((const uint32 *) keys)[position]);
		default:
			return gpusort_integer_code(form, ((const uint64 *) keys)[position]);
	}
}

static inline bool
is_floating(GpusortKeyForm form)
{
	return form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64;
}

/* Sets up the projection of keys to so many intervals between their least and greatest. */
void
gpusort_keys_project(GpusortKeyForm form, const void *keys, uint32 count,
					 uint32 buckets, bool descending, GpusortProjection *projection)
{
	if (is_floating(form))
	{
		double		least = INFINITY;
		double		greatest = -INFINITY;

		for (uint32 i = 0; i < count; i++)
		{
			double		x = float_key(form, keys, i);

			GPUSORT_CHECK_EVERY(i);
			if (isfinite(x))
			{
				least = Min(least, x);
				greatest = Max(greatest, x);
			}
		}
		if (least > greatest)
			least = greatest = 0;
		gpusort_project_floats(projection, buckets, descending, least, greatest);
	}
	else
	{
		uint64		least = PG_UINT64_MAX;
		uint64		greatest = 0;

		for (uint32 i = 0; i < count; i++)
		{
			uint64		code = integer_key(form, keys, i);

			GPUSORT_CHECK_EVERY(i);
			least = Min(least, code);
			greatest = Max(greatest, code);
		}
		gpusort_project_integers(projection, buckets, descending, least, greatest);
	}
}

/* Counts the keys of each interval; counts has room for all of the projection's. */
void
gpusort_keys_count_intervals(GpusortKeyForm form, const void *keys, uint32 count,
							 const GpusortProjection *projection, uint32 *counts)
{
	memset(counts, 0, (Size) projection->buckets * sizeof(uint32));
	for (uint32 i = 0; i < count; i++)
	{
		GPUSORT_CHECK_EVERY(i);
		if (is_floating(form))
			counts[gpusort_interval_of_float(projection, float_key(form, keys, i))]++;
		else
			counts[gpusort_interval_of_code(projection, integer_key(form, keys, i))]++;
	}
}
