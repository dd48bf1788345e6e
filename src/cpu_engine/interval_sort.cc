/*
 * interval_sort.cc
 *	  Approximate order: after Xiao, Chen, Sun, "High Performance Approximate Sort
 *	  Algorithm Using GPUs".
 *
 * Find the least and the greatest key; project each key linearly to one of
 * spec->buckets intervals and count the keys of each; turn the counts into
 * places by an exclusive scan; scatter.  Keys are taken in the input's order, so
 * that is their order within an interval.
 *
 * Counts take four bytes an interval.  Where there are many more intervals than
 * keys, keys are sorted by their interval instead, which comes to the same.
 */
#include "cpu_engine/interval_sort.h"

#include <cstring>

#include "cpu_engine/code_sort.h"
#include "keys/projection.h"

namespace gpusort
{
/* Are counts of all intervals worth their memory? */
static bool
counts_fit(uint64_t n, uint32_t buckets)
{
	return buckets <= 4 * n + 1024;
}

/* A float key as a double, exactly. */
static inline double
as_double(uint32_t bits)
{
	float		x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline double
as_double(uint64_t bits)
{
	double		x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Set up the projection of n keys. */
template <GpusortKeyForm F>
static GpusortProjection
project(const GpusortSpec *spec, const typename Form<F>::Bits *keys, uint32_t n)
{
	GpusortProjection projection;

	if constexpr (Form<F>::floating)
	{
		constexpr double infinity = __builtin_inf();
		double		least = infinity;
		double		greatest = -infinity;

		for (uint32_t i = 0; i < n; i++)
		{
			double		x = as_double(keys[i]);

			/* Not so for infinities and NaN. */
			if (x - x == 0)
			{
				least = x < least ? x : least;
				greatest = x > greatest ? x : greatest;
			}
		}
		if (least > greatest)
			least = greatest = 0;
		gpusort_project_floats(&projection, spec->buckets, spec->descending, least, greatest);
	}
	else
	{
		uint64_t	least = UINT64_MAX;
		uint64_t	greatest = 0;

		for (uint32_t i = 0; i < n; i++)
		{
			uint64_t	code = gpusort_integer_code(F, keys[i]);

			least = code < least ? code : least;
			greatest = code > greatest ? code : greatest;
		}
		gpusort_project_integers(&projection, spec->buckets, spec->descending, least, greatest);
	}
	return projection;
}

template <GpusortKeyForm F>
static inline uint32_t
interval_of(const GpusortProjection &projection, typename Form<F>::Bits key)
{
	if constexpr (Form<F>::floating)
		return gpusort_interval_of_float(&projection, as_double(key));
	else
		return gpusort_interval_of_code(&projection, gpusort_integer_code(F, key));
}

/* Move values, of which source is a copy, to the places that order says. */
template <typename Value>
static void
permute(Value *values, const Value *source, const int64_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		values[i] = source[(uint32_t) order[i]];
}

/* Sort by interval and position: many intervals. */
template <GpusortKeyForm F>
static bool
sort_by_sparse_interval(Work &work, const GpusortProjection &projection,
						typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	using Bits = typename Form<F>::Bits;
	int64_t    *order = (int64_t *) work.scratch;
	char	   *rest = work.scratch + lines(n * sizeof(int64_t));

	for (uint32_t i = 0; i < n; i++)
		order[i] = (int64_t) (((uint64_t) interval_of<F>(projection, keys[i]) << 32 | i) ^ (UINT64_C(1) << 63));
	if (!sort_codes(work, order, n, rest, false))
		return false;
	switch (work.spec->payload)
	{
		case GPUSORT_PAYLOAD_NONE:
			memcpy(rest, keys, n * sizeof(Bits));
			permute(keys, (const Bits *) rest, order, n);
			break;
		case GPUSORT_PAYLOAD_CARRIED:
			memcpy(rest, payload, n * sizeof(uint32_t));
			permute(payload, (const uint32_t *) rest, order, n);
			break;
		case GPUSORT_PAYLOAD_INDEX:
			for (uint32_t i = 0; i < n; i++)
				payload[i] = (uint32_t) order[i];
			break;
	}
	return true;
}

/* Scatter values, or positions where there is no source, by their intervals. */
template <typename Value>
static bool
scatter(Work &work, Value *values, const Value *source, const uint32_t *intervals, uint32_t *places, uint32_t n)
{
	uint32_t	end;

	for (uint32_t start = 0; start < n; start = end)
	{
		end = n - start > KEYS_BETWEEN_STOPS ? start + (uint32_t) KEYS_BETWEEN_STOPS : n;
		for (uint32_t i = start; i < end; i++)
			values[places[intervals[i]]++] = source == nullptr ? (Value) i : source[i];
		if (work.stop_after(end - start))
			return false;
	}
	return true;
}

template <GpusortKeyForm F>
bool
sort_by_interval(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	using Bits = typename Form<F>::Bits;
	uint32_t	buckets = work.spec->buckets;
	GpusortProjection projection = project<F>(work.spec, keys, n);
	uint32_t	place = 0;
	uint32_t	end;

	if (work.stop_after(n))
		return false;
	if (!counts_fit(n, buckets))
		return sort_by_sparse_interval<F>(work, projection, keys, payload, n);

	uint32_t   *intervals = (uint32_t *) work.scratch;
	uint32_t   *places = (uint32_t *) (work.scratch + lines(n * sizeof(uint32_t)));
	char	   *source = (char *) places + lines(buckets * sizeof(uint32_t));

	memset(places, 0, buckets * sizeof(uint32_t));
	for (uint32_t start = 0; start < n; start = end)
	{
		end = n - start > KEYS_BETWEEN_STOPS ? start + (uint32_t) KEYS_BETWEEN_STOPS : n;
		for (uint32_t i = start; i < end; i++)
			intervals[i] = interval_of<F>(projection, keys[i]);
		for (uint32_t i = start; i < end; i++)
			places[intervals[i]]++;
		if (work.stop_after(end - start))
			return false;
	}
	for (uint32_t i = 0; i < buckets; i++)
	{
		uint32_t	count = places[i];

		places[i] = place;
		place += count;
	}

	switch (work.spec->payload)
	{
		case GPUSORT_PAYLOAD_NONE:
			memcpy(source, keys, n * sizeof(Bits));
			return scatter<Bits>(work, keys, (Bits *) source, intervals, places, n);
		case GPUSORT_PAYLOAD_CARRIED:
			memcpy(source, payload, n * sizeof(uint32_t));
			return scatter<uint32_t>(work, payload, (uint32_t *) source, intervals, places, n);
		case GPUSORT_PAYLOAD_INDEX:
			break;
	}
	return scatter<uint32_t>(work, payload, nullptr, intervals, places, n);
}

size_t
sort_by_interval_scratch(uint64_t n, size_t width, uint32_t buckets, int threads)
{
	size_t		source = n * (width > sizeof(uint32_t) ? width : sizeof(uint32_t));
	size_t		sparse = sort_codes_scratch(n, sizeof(int64_t), threads);

	if (counts_fit(n, buckets))
		return lines(n * sizeof(uint32_t)) + lines(buckets * sizeof(uint32_t)) + source;
	return lines(n * sizeof(int64_t)) + (sparse > source ? sparse : source);
}

#define INSTANTIATE(form) \
	template bool sort_by_interval<form>(Work &, Form<form>::Bits *, uint32_t *, uint32_t);
GPUSORT_EACH_FORM(INSTANTIATE)
}
