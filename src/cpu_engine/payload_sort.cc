/*
 * payload_sort.cc
 *	  Stable sorts of keys with a payload, by sorting integers without one.
 *
 * Key and position are packed into one word, the key above the position.  No two words
 * are equal, so any sort of them is a stable sort of the keys.
 *
 *	  16-bit keys	words of 32 bits; more than 65,536 keys are counted
 *	  32-bit keys	words of 64 bits
 *	  64-bit keys	words of 64 bits: the distance of the key's code from the code that
 *					comes first.  If that and the position take more than 64 bits
 *					together, the lowest bits of the distance are dropped.  Words that
 *					are equal but for their positions are then sorted by the dropped
 *					bits; those and the position always fit 64 bits.
 *
 * It needs no memory beside the words and tables of a fixed size.
 */
#include "cpu_engine/payload_sort.h"

#include <algorithm>

#include "cpu_engine/code_sort.h"
#include "cpu_engine/counting_sort.h"
#include "cpu_engine/partition_sort.h"
#include "cpu_engine/simd.h"

namespace gpusort
{
/* Up to this many 16-bit keys are packed with their positions into 32 bits. */
constexpr uint32_t SHORT_POSITIONS = UINT32_C(1) << 16;

/* Flipped in a word, because words are compared as signed numbers. */
constexpr uint64_t SIGN = UINT64_C(1) << 63;

/* Sorts up to SHORT_POSITIONS 16-bit keys. */
static bool
sort_narrow(Work &work, const uint16_t *keys, uint32_t *payload, uint32_t n)
{
	int32_t    *words = (int32_t *) work.scratch;
	uint16_t	invert = work.spec->descending ? UINT16_MAX : 0;

	for (uint32_t i = 0; i < n; i++)
		words[i] = (int32_t) ((uint32_t) (int16_t) (keys[i] ^ invert) << 16 | i);
	return sort_codes(work, words, n, nullptr, false) && unpack<int32_t>(work, words, UINT16_MAX, payload, n);
}

/*
 * Counts 16-bit keys, whatever memory is allowed: the counts take 256 kB.  If there is no memory for
 * them, it fails as if told to stop.
 */
static bool
count_narrow(Work &work, uint16_t *keys, uint32_t *payload, uint32_t n)
{
	CpuSortControl control = *work.control;
	Work		inner = work;
	bool		done;

	control.memory_limit = SIZE_MAX;
	inner.control = &control;
	done = counting_sort<GPUSORT_KEY_INT16>(inner, keys, payload, n, UINT16_MAX + 1) == CPU_SORT_DONE;
	work.spent = inner.spent;
	return done;
}

/* Packs the code of a 32-bit key above its position. */
struct CodePacker final : Packer
{
	GpusortKeyForm form;
	const uint32_t *keys;
	bool		descending;

	CodePacker(GpusortKeyForm form, const uint32_t *keys, bool descending)
		: form(form), keys(keys), descending(descending) {}

	void
	pack(uint32_t start, uint32_t count, int64_t *words) const override
	{
		simd::kernels<uint32_t>().pack(form, keys + start, count, start, descending, words);
	}
};

/* Packs the distance of a 64-bit key from the first code, without dropped bits, above its position. */
template <GpusortKeyForm F>
struct DistancePacker final : Packer
{
	const uint64_t *keys;
	simd::DistancePacking packing;

	/* For keys whose codes lie in least .. greatest. */
	DistancePacker(const uint64_t *keys, int64_t least, int64_t greatest, uint32_t n, bool descending)
		: keys(keys)
	{
		uint64_t	range = (uint64_t) greatest - (uint64_t) least;
		int			range_bits = range == 0 ? 0 : 64 - __builtin_clzll(range);
		int			position_bits = n <= 1 ? 1 : 32 - __builtin_clz(n - 1);

		packing.first_code = (uint64_t) (descending ? greatest : least);
		packing.descending = descending;
		packing.position_bits = position_bits;
		packing.dropped_bits = range_bits + position_bits > 64 ? range_bits + position_bits - 64 : 0;
	}

	uint32_t
	position(int64_t word) const
	{
		return (uint32_t) ((uint64_t) word & position_mask());
	}

	uint64_t
	position_mask() const
	{
		return (UINT64_C(1) << packing.position_bits) - 1;
	}

	/* The dropped bits of a key's distance. */
	uint64_t
	dropped(uint32_t position) const
	{
		uint64_t	code = (uint64_t) Form<F>::encode_tied(keys[position]);
		uint64_t	distance = packing.descending ? packing.first_code - code : code - packing.first_code;

		return distance & ((UINT64_C(1) << packing.dropped_bits) - 1);
	}

	void
	pack(uint32_t start, uint32_t count, int64_t *words) const override
	{
		simd::kernels<uint64_t>().pack_distances(F, keys + start, count, start, &packing, words);
	}
};

/* Finds out whether any keys differ in the dropped bits.  Returns false if told to stop. */
template <GpusortKeyForm F>
static bool
compare_dropped_bits(Work &work, const DistancePacker<F> &packer, uint32_t n, bool *differ)
{
	uint64_t	first = packer.dropped(0);

	*differ = false;
	return packer.packing.dropped_bits == 0 || in_blocks(work, n, [&](uint32_t start, uint32_t count) {
		for (uint32_t i = start; !*differ && i < start + count; i++)
			*differ = packer.dropped(i) != first;
	});
}

/* Sorts words that are equal but for their positions by the dropped bits. */
template <GpusortKeyForm F>
static bool
sort_run(Work &work, const DistancePacker<F> &packer, int64_t *words, uint32_t n)
{
	uint64_t	first = packer.dropped(packer.position(words[0]));
	uint64_t	differing = 0;

	return in_blocks(work, n, [&](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
		{
			uint32_t	position = packer.position(words[i]);
			uint64_t	dropped = packer.dropped(position);

			differing |= dropped ^ first;
			words[i] = (int64_t) ((dropped << 32 | position) ^ SIGN);
		}
	}) && (differing == 0 || sort_in_place(work, words, n, false));
}

/* Sorts each run of words that are equal but for their positions.  Returns false if told to stop. */
template <GpusortKeyForm F>
static bool
sort_runs(Work &work, const DistancePacker<F> &packer, int64_t *words, uint32_t n)
{
	uint32_t	end;

	for (uint32_t start = 0; start < n; start = end)
	{
		end = start + 1;
		while (end < n && (uint64_t) (words[end] ^ words[start]) >> packer.packing.position_bits == 0)
			end++;
		if (work.stop_after(end - start) || (end > start + 1 && !sort_run(work, packer, words + start, end - start)))
			return false;
	}
	return true;
}

/* Sorts 64-bit keys. */
template <GpusortKeyForm F>
static bool
sort_wide(Work &work, const uint64_t *keys, uint32_t *payload, uint32_t n)
{
	int64_t    *words = (int64_t *) work.scratch;
	int64_t		least = INT64_MAX;
	int64_t		greatest = INT64_MIN;
	bool		differ;

	if (!in_blocks(work, n, [&](uint32_t start, uint32_t count) {
			int64_t		low;
			int64_t		high;

			simd::kernels<uint64_t>().key_range(F, keys + start, count, &low, &high);
			least = low < least ? low : least;
			greatest = high > greatest ? high : greatest;
		}))
		return false;

	DistancePacker<F> packer(keys, least, greatest, n, work.spec->descending);

	return compare_dropped_bits(work, packer, n, &differ) && sort_words(work, packer, words, n) &&
		(!differ || sort_runs(work, packer, words, n)) &&
		unpack<int64_t>(work, words, (int64_t) packer.position_mask(), payload, n);
}

size_t
sort_with_payload_scratch(uint64_t n, size_t width, GpusortPayload payload, int threads)
{
	if (width == sizeof(uint16_t))
		return std::max(std::min<uint64_t>(n, SHORT_POSITIONS) * sizeof(int32_t), counting_sort_scratch(n, payload));
	return sort_words_scratch(n, threads);
}

template <GpusortKeyForm F>
bool
sort_with_payload(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	if constexpr (Form<F>::wide)
		return sort_wide<F>(work, keys, payload, n);
	else if constexpr (Form<F>::narrow)
		return n <= SHORT_POSITIONS ? sort_narrow(work, keys, payload, n) : count_narrow(work, keys, payload, n);
	else
	{
		int64_t    *words = (int64_t *) work.scratch;

		return sort_words(work, CodePacker(F, keys, work.spec->descending), words, n) &&
			unpack<int64_t>(work, words, UINT32_MAX, payload, n);
	}
}

#define INSTANTIATE(form) \
	template bool sort_with_payload<form>(Work &, Form<form>::Bits *, uint32_t *, uint32_t);
GPUSORT_EACH_FORM(INSTANTIATE)
}
