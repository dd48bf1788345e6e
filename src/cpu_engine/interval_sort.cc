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
#include "cpu_engine/simd.h"
#include "keys/projection.h"

namespace gpusort
{
/* Keys whose intervals are found, then counted, at a time. */
constexpr uint32_t BLOCK = 1024;

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

/* Set up the projection of n keys; false if told to stop. */
template <GpusortKeyForm F>
static bool
project(Work &work, const typename Form<F>::Bits *keys, uint32_t n, GpusortProjection *projection)
{
	using Code = typename Form<F>::Code;
	using Bits = typename Form<F>::Bits;
	uint32_t	buckets = work.spec->buckets;
	bool		descending = work.spec->descending;
	Code		least = (Code) ~Form<F>::sign;
	Code		greatest = (Code) Form<F>::sign;

	if (!in_blocks(work, n, [&](uint32_t start, uint32_t count) {
			Code		low;
			Code		high;

			if constexpr (Form<F>::floating)
				simd::finite_range(keys + start, count, &low, &high);
			else if constexpr (Form<F>::plain)
				simd::code_range((const Code *) keys + start, count, &low, &high);
			else
				simd::code_range(F, keys + start, count, &low, &high);
			least = low < least ? low : least;
			greatest = high > greatest ? high : greatest;
		}))
		return false;

	if constexpr (!Form<F>::floating)
		gpusort_project_integers(projection, buckets, descending, (Bits) least ^ Form<F>::sign, (Bits) greatest ^ Form<F>::sign);
	else if (least > greatest)
		gpusort_project_floats(projection, buckets, descending, 0, 0);
	else
		gpusort_project_floats(projection, buckets, descending,
							   as_double(Form<F>::decode(least)), as_double(Form<F>::decode(greatest)));
	return true;
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
	{
		uint32_t	interval;

		simd::find_intervals(F, keys + i, 1, projection, &interval);
		order[i] = (int64_t) (((uint64_t) interval << 32 | i) ^ (UINT64_C(1) << 63));
	}
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
	return in_blocks(work, n, [=](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
			values[places[intervals[i]]++] = source == nullptr ? (Value) i : source[i];
	});
}

template <GpusortKeyForm F>
bool
sort_by_interval(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	using Bits = typename Form<F>::Bits;
	uint32_t	buckets = work.spec->buckets;
	GpusortProjection projection;
	uint32_t	place = 0;

	if (!project<F>(work, keys, n, &projection))
		return false;
	if (!counts_fit(n, buckets))
		return sort_by_sparse_interval<F>(work, projection, keys, payload, n);

	uint32_t   *intervals = (uint32_t *) work.scratch;
	uint32_t   *places = (uint32_t *) (work.scratch + lines(n * sizeof(uint32_t)));
	char	   *source = (char *) places + lines(buckets * sizeof(uint32_t));

	memset(places, 0, buckets * sizeof(uint32_t));
	if (!in_blocks(work, n, [=](uint32_t start, uint32_t count) {
			for (uint32_t block = start; block < start + count; block += BLOCK)
			{
				uint32_t	end = start + count - block < BLOCK ? start + count : block + BLOCK;

				simd::find_intervals(F, keys + block, end - block, projection, intervals + block);
				for (uint32_t i = block; i < end; i++)
					places[intervals[i]]++;
			}
		}))
		return false;
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
