/*
 * projection.h
 *	  Linear projection of keys to intervals, for approximate order.
 *
 * C without PostgreSQL or CUDA headers: every engine, and every function that shows
 * intervals, must put a key into the very same one.  So the arithmetic is exact for
 * integers.  For floats it is a subtraction followed by multiplications, each rounded
 * to double.  A fused multiply-add could not change the result, because the one product
 * before the subtraction is by a power of two.
 *
 * The range from the least to the greatest finite key is cut into intervals of
 * equal width.  -infinity falls into the first interval, +infinity and NaN into
 * the last.  If all keys are equal, they fall into the first.
 */
#ifndef GPUSORT_PROJECTION_H
#define GPUSORT_PROJECTION_H

#include "keys/key_encoding.h"

typedef struct GpusortProjection
{
	uint32_t	buckets;		/* intervals, at least 1 */
	bool		descending;

	/* Integers: interval = floor((code - origin) * buckets / width). */
	uint64_t	origin;			/* least code */
	uint64_t	range;			/* greatest code - least code = width - 1 */
	uint64_t	factor;			/* buckets / width in units of 2^-64, rounded up; 0 if that
								 * is 1 or more, where the interval is found by division */

	/* Floats: interval = floor((x * shrink - float_origin) * lift * scale). */
	double		shrink;			/* 0.5 where the range would overflow, else 1 */
	double		float_origin;
	double		lift;			/* 2^512 where the range is tiny, else 1 */
	double		scale;
} GpusortProjection;

/* High half of the product of two 64-bit numbers. */
GPUSORT_INLINE uint64_t
gpusort_multiply_high(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
	return __umul64hi(a, b);
#else
	return (uint64_t) (((unsigned __int128) a * b) >> 64);
#endif
}

/* dividend * 2^64 / divisor, rounded up.  The dividend must be less than the divisor. */
GPUSORT_INLINE uint64_t
gpusort_divide_rounding_up(uint64_t dividend, uint64_t divisor)
{
#ifdef __CUDA_ARCH__
	uint64_t	remainder = dividend;
	uint64_t	quotient = 0;

	/* Long division, one bit at a time. */
	for (int bit = 0; bit < 64; bit++)
	{
		uint64_t	carry = remainder >> 63;

		remainder <<= 1;
		quotient <<= 1;
		if (carry || remainder >= divisor)
		{
			remainder -= divisor;
			quotient |= 1;
		}
	}
	return quotient + (remainder != 0);
#else
	return (uint64_t) ((((unsigned __int128) dividend << 64) + (divisor - 1)) / divisor);
#endif
}

/* Is a * b greater than c * d? */
GPUSORT_INLINE bool
gpusort_product_is_greater(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
#ifdef __CUDA_ARCH__
	uint64_t	left = __umul64hi(a, b);
	uint64_t	right = __umul64hi(c, d);

	return left > right || (left == right && a * b > c * d);
#else
	return (unsigned __int128) a * b > (unsigned __int128) c * d;
#endif
}

/* The code of an integer key of any form, whose bits are the low ones of the argument. */
GPUSORT_INLINE uint64_t
gpusort_integer_code(GpusortKeyForm form, uint64_t bits)
{
	switch (form)
	{
		case GPUSORT_KEY_INT16:
			return gpusort_encode16((uint16_t) bits);
		case GPUSORT_KEY_INT32:
		case GPUSORT_KEY_UINT32:
			return gpusort_encode32(form, (uint32_t) bits);
		default:
			return gpusort_encode64(form, bits);
	}
}

/* Sets up the projection of integers whose codes lie in least .. greatest. */
GPUSORT_INLINE void
gpusort_project_integers(GpusortProjection *projection, uint32_t buckets, bool descending,
						 uint64_t least, uint64_t greatest)
{
	uint64_t	range = greatest - least;

	projection->buckets = buckets;
	projection->descending = descending;
	projection->origin = least;
	projection->range = range;
	projection->factor = 0;
	if (range == UINT64_MAX)
		projection->factor = buckets;
	else if (range >= buckets)
		projection->factor = gpusort_divide_rounding_up(buckets, range + 1);
}

/* Sets up the projection of floats whose finite values lie in least .. greatest. */
GPUSORT_INLINE void
gpusort_project_floats(GpusortProjection *projection, uint32_t buckets, bool descending,
					   double least, double greatest)
{
	double		range = greatest - least;

	projection->buckets = buckets;
	projection->descending = descending;
	projection->shrink = 1.0;
	projection->lift = 1.0;
	if (range > 1.7976931348623157e308)
	{
		projection->shrink = 0.5;
		range = greatest * 0.5 - least * 0.5;
	}
	else if (range < 1e-290)
	{
		projection->lift = 1.3407807929942597e154;	/* 2^512 */
		range *= projection->lift;
	}
	projection->float_origin = least * projection->shrink;
	projection->scale = range > 0 ? buckets / range : 0;
}

/* The interval, from 0, of an integer's code. */
GPUSORT_INLINE uint32_t
gpusort_interval_of_code(const GpusortProjection *projection, uint64_t code)
{
	uint64_t	distance = code - projection->origin;
	uint64_t	interval;

	if (projection->range == 0)
		interval = 0;
	else if (projection->factor == 0)
		interval = distance * projection->buckets / (projection->range + 1);
	else
	{
		interval = gpusort_multiply_high(distance, projection->factor);
		if (projection->range >> 32)
		{
			/*
			 * The factor was rounded up, so the interval may be one too great.  A
			 * width of 2^64 wraps to 0, but then the factor is exact.
			 */
			interval -= gpusort_product_is_greater(interval, projection->range + 1, distance, projection->buckets);
		}
	}
	return projection->descending ? projection->buckets - 1 - (uint32_t) interval : (uint32_t) interval;
}

/* The interval, from 0, of a float. */
GPUSORT_INLINE uint32_t
gpusort_interval_of_float(const GpusortProjection *projection, double x)
{
	double		last = projection->buckets - 1;
	double		place = (x * projection->shrink - projection->float_origin) * projection->lift * projection->scale;
	uint32_t	interval;

	/* Infinities are placed by their sign: infinity times a scale of 0 would be NaN. */
	if (x < -1.7976931348623157e308)
		place = 0;
	else if (!(x <= 1.7976931348623157e308))
		place = last;
	interval = (uint32_t) (place < last ? place : last);
	return projection->descending ? projection->buckets - 1 - interval : interval;
}

#endif							/* GPUSORT_PROJECTION_H */
