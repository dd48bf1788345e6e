/*
 * interval_sort.cc
 *	  Approximate order: after Xiao, Chen, Sun, "High Performance Approximate Sort
 *	  Algorithm Using GPUs".
 *
 * Find the least and the greatest key.  Project each key linearly to one of
 * spec->buckets intervals, and count the keys of each.  Turn the counts into places by an
 * exclusive scan, and scatter the keys.  They are read in the input's order, so that is
 * their order within an interval.
 *
 * Counts take four bytes per interval.  If that is more than the keys and 4 kB take, keys
 * are sorted by interval and position instead, with the same result.
 */
#include "cpu_engine/interval_sort.h"

#include <cstring>

#include "cpu_engine/partition_sort.h"
#include "cpu_engine/payload_sort.h"
#include "cpu_engine/simd.h"
#include "keys/projection.h"

namespace gpusort
{
/* Keys whose intervals are found at a time. */
constexpr uint32_t BLOCK = 1024;

/* Intervals are kept while scratch takes at most this many bytes more than twice the keys. */
constexpr size_t SMALL_SCRATCH = 512 * 1024;

/* Intervals that are counted however few keys there are. */
constexpr uint32_t SURPLUS_BUCKETS = 1024;

/* True if counts of all intervals take no more memory than the keys and 4 kB. */
static bool
counts_fit(uint64_t n, size_t width, uint32_t buckets)
{
	return buckets <= n * width / sizeof(uint32_t) + SURPLUS_BUCKETS;
}

/* The most keys that counts do not fit, or 0. */
static uint64_t
most_unfit(size_t width, uint32_t buckets)
{
	return buckets <= SURPLUS_BUCKETS ? 0 : ((uint64_t) (buckets - SURPLUS_BUCKETS) * sizeof(uint32_t) - 1) / width;
}

/* 16-bit keys have no use for more intervals than they have values. */
static uint32_t
useful_buckets(size_t width, uint32_t buckets)
{
	return width == sizeof(uint16_t) && buckets > UINT16_MAX + 1 ? UINT16_MAX + 1 : buckets;
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

/* Sets up the projection of n keys.  Returns false if told to stop. */
template <GpusortKeyForm F>
static bool
project(Work &work, const typename Form<F>::Bits *keys, uint32_t n, GpusortProjection *projection)
{
	using Code = typename Form<F>::Code;
	using Bits = typename Form<F>::Bits;
	uint32_t	buckets = useful_buckets(sizeof(Bits), work.spec->buckets);
	bool		descending = work.spec->descending;
	Code		least = (Code) ~Form<F>::sign;
	Code		greatest = (Code) Form<F>::sign;

	if (!in_blocks(work, n, [&](uint32_t start, uint32_t count) {
			Code		low;
			Code		high;

			if constexpr (Form<F>::floating)
				simd::kernels<Bits>().finite_range(keys + start, count, &low, &high);
			else
				simd::kernels<Bits>().key_range(F, keys + start, count, &low, &high);
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

/* Packs the interval of a key above its position. */
template <GpusortKeyForm F>
struct IntervalPacker final : Packer
{
	const typename Form<F>::Bits *keys;
	const GpusortProjection &projection;

	IntervalPacker(const typename Form<F>::Bits *keys, const GpusortProjection &projection)
		: keys(keys), projection(projection) {}

	void
	pack(uint32_t start, uint32_t count, int64_t *words) const override
	{
		uint32_t	intervals[BLOCK];
		uint32_t	n;

		for (uint32_t block = 0; block < count; block += n)
		{
			n = count - block < BLOCK ? count - block : BLOCK;
			simd::kernels<typename Form<F>::Bits>().find_intervals(F, keys + start + block, n, &projection, intervals);
			for (uint32_t i = 0; i < n; i++)
				words[block + i] = (int64_t) (((uint64_t) intervals[i] << 32 | (start + block + i)) ^ (UINT64_C(1) << 63));
		}
	}
};

/* Sorts by interval and position, for many intervals. */
template <GpusortKeyForm F>
static bool
sort_by_sparse_interval(Work &work, const GpusortProjection &projection,
						typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	int64_t    *words = (int64_t *) work.scratch;

	if (!sort_words(work, IntervalPacker<F>(keys, projection), words, n))
		return false;
	return payload == nullptr ? gather<int64_t>(work, words, UINT32_MAX, keys, n)
		: unpack<int64_t>(work, words, UINT32_MAX, payload, n);
}

/* Where things lie in the scratch memory for few intervals, in bytes.  The places lie at its start. */
struct Layout
{
	size_t		source;			/* copy of the keys or the payload that is moved */
	size_t		intervals;		/* the intervals of all keys */
	size_t		end;
	bool		keep_intervals;	/* false if they are found twice, to save memory */
};

static Layout
lay_out(uint64_t n, size_t width, GpusortPayload payload, uint32_t buckets)
{
	size_t		source_width = payload == GPUSORT_PAYLOAD_NONE ? width
		: payload == GPUSORT_PAYLOAD_CARRIED ? sizeof(uint32_t) : 0;
	Layout		layout;

	layout.source = lines(buckets * sizeof(uint32_t));
	layout.intervals = layout.source + lines(n * source_width);
	layout.end = layout.intervals + n * sizeof(uint32_t);
	layout.keep_intervals = layout.end <= 2 * n * width + SMALL_SCRATCH;
	if (!layout.keep_intervals)
		layout.end = layout.intervals;
	return layout;
}

/*
 * Calls body(position, interval) for every key in turn.  Returns false if told to stop.
 * `kept` holds the interval of each key, or is nullptr if they are not kept.  `found` says
 * whether they were found before.
 */
template <GpusortKeyForm F, typename Body>
static bool
for_each_interval(Work &work, const GpusortProjection &projection, const typename Form<F>::Bits *keys, uint32_t n,
				  uint32_t *kept, bool found, Body body)
{
	return in_blocks(work, n, [&](uint32_t start, uint32_t count) {
		uint32_t	buffer[BLOCK];
		uint32_t	end;

		for (uint32_t block = start; block < start + count; block = end)
		{
			uint32_t   *intervals = kept == nullptr ? buffer : kept + block;

			end = start + count - block < BLOCK ? start + count : block + BLOCK;
			if (!found || kept == nullptr)
				simd::kernels<typename Form<F>::Bits>().find_intervals(F, keys + block, end - block, &projection, intervals);
			for (uint32_t i = block; i < end; i++)
				body(i, intervals[i - block]);
		}
	});
}

template <GpusortKeyForm F>
bool
sort_by_interval(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	using Bits = typename Form<F>::Bits;
	uint32_t	buckets = useful_buckets(sizeof(Bits), work.spec->buckets);
	GpusortProjection projection;
	uint32_t	place = 0;

	if (!project<F>(work, keys, n, &projection))
		return false;
	if (!counts_fit(n, sizeof(Bits), buckets))
		return sort_by_sparse_interval<F>(work, projection, keys, payload, n);

	const Layout layout = lay_out(n, sizeof(Bits), work.spec->payload, buckets);
	uint32_t   *places = (uint32_t *) work.scratch;
	Bits	   *source_keys = (Bits *) (work.scratch + layout.source);
	uint32_t   *source_payload = (uint32_t *) (work.scratch + layout.source);
	uint32_t   *intervals = layout.keep_intervals ? (uint32_t *) (work.scratch + layout.intervals) : nullptr;

	if (!in_blocks(work, buckets, [=](uint32_t start, uint32_t count) {
			memset(places + start, 0, count * sizeof(uint32_t));
		}) ||
		!for_each_interval<F>(work, projection, keys, n, intervals, false, [=](uint32_t, uint32_t interval) {
			places[interval]++;
		}) ||
		!in_blocks(work, buckets, [=, &place](uint32_t start, uint32_t count) {
			for (uint32_t i = start; i < start + count; i++)
			{
				uint32_t	keys_there = places[i];

				places[i] = place;
				place += keys_there;
			}
		}))
		return false;

	switch (work.spec->payload)
	{
		case GPUSORT_PAYLOAD_NONE:
			return copy_in_blocks(work, source_keys, keys, n) &&
				for_each_interval<F>(work, projection, source_keys, n, intervals, true, [=](uint32_t i, uint32_t interval) {
					keys[places[interval]++] = source_keys[i];
				});
		case GPUSORT_PAYLOAD_CARRIED:
			return copy_in_blocks(work, source_payload, payload, n) &&
				for_each_interval<F>(work, projection, keys, n, intervals, true, [=](uint32_t i, uint32_t interval) {
					payload[places[interval]++] = source_payload[i];
				});
		case GPUSORT_PAYLOAD_INDEX:
			break;
	}
	return for_each_interval<F>(work, projection, keys, n, intervals, true, [=](uint32_t i, uint32_t interval) {
		payload[places[interval]++] = i;
	});
}

size_t
sort_by_interval_scratch(uint64_t n, size_t width, GpusortPayload payload, uint32_t buckets, int threads)
{
	buckets = useful_buckets(width, buckets);
	const uint64_t sparse = most_unfit(width, buckets);
	size_t		bytes = sparse > 0 ? sort_words_scratch(n < sparse ? n : sparse, threads) : 0;

	if (n > sparse)
	{
		Layout		layout = lay_out(n, width, payload, buckets);
		size_t		kept = 2 * n * width + SMALL_SCRATCH;

		/* Fewer keys may keep their intervals, in memory of this size. */
		if (!layout.keep_intervals && layout.end < kept)
			layout.end = kept;
		bytes = bytes < layout.end ? layout.end : bytes;
	}
	return bytes;
}

#define INSTANTIATE(form) \
	template bool sort_by_interval<form>(Work &, Form<form>::Bits *, uint32_t *, uint32_t);
GPUSORT_EACH_FORM(INSTANTIATE)
}
