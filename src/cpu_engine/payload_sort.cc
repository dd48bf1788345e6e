/*
 * payload_sort.cc
 *	  Stable sorts of keys with a payload, by sorting integers alone.
 *
 * Key and position are packed into one integer, the key above the position, so
 * that no two are equal and any sort of them is a stable sort of the keys.
 *
 *	  16-bit keys	32 bits, or 64 when there are more than 65,536
 *	  32-bit keys	64 bits
 *	  64-bit keys	64 bits: the key's distance from the least one, without as
 *					many of its low bits as the position needs (and the range of
 *					the keys leaves no room for).  Runs whose packed keys are
 *					alike are then sorted by the bits left out; these and the
 *					position always fit into 64 bits.
 */
#include "cpu_engine/payload_sort.h"

#include <cstring>

#include "cpu_engine/code_sort.h"
#include "cpu_engine/simd.h"

namespace gpusort
{
/* Keys up to here have a packed form of 32 bits when they have 16. */
constexpr uint32_t SHORT_POSITIONS = UINT32_C(1) << 16;

/* Payload of up to this many keys is copied to the stack. */
constexpr uint32_t STACK_PAYLOAD = 256;

/* Write the positions, the low bits of the packed keys, or the payload found there. */
template <typename Packed>
static bool
unpack(Work &work, const Packed *packed, Packed mask, uint32_t *payload, uint32_t *copy, uint32_t n)
{
	uint32_t	local[STACK_PAYLOAD];

	if (work.spec->payload == GPUSORT_PAYLOAD_INDEX)
		return in_blocks(work, n, [=](uint32_t start, uint32_t count) {
			for (uint32_t i = start; i < start + count; i++)
				payload[i] = (uint32_t) (packed[i] & mask);
		});

	if (n <= STACK_PAYLOAD)
		copy = local;
	return in_blocks(work, n, [=](uint32_t start, uint32_t count) {
		memcpy(copy + start, payload + start, count * sizeof(uint32_t));
	}) && in_blocks(work, n, [=](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
			payload[i] = copy[packed[i] & mask];
	});
}

/* Pack 16-bit keys, the code above the position. */
template <typename Packed>
static inline void
pack_narrow(const uint16_t *keys, uint32_t start, uint32_t count, bool descending, Packed *packed)
{
	constexpr int position_bits = sizeof(Packed) == 4 ? 16 : 32;
	uint16_t	invert = descending ? UINT16_MAX : 0;

	for (uint32_t i = start; i < start + count; i++)
		packed[i] = (Packed) ((std::make_unsigned_t<Packed>) (int16_t) (keys[i] ^ invert) << position_bits | i);
}

/* Keys whose codes fit above a position: all but 64-bit keys. */
template <GpusortKeyForm F, typename Packed>
static bool
sort_packed(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	using UnsignedPacked = std::make_unsigned_t<Packed>;
	constexpr int position_bits = sizeof(Packed) == 4 ? 16 : 32;
	Packed	   *packed = (Packed *) work.scratch;
	char	   *rest = work.scratch + lines(n * sizeof(Packed));
	bool		descending = work.spec->descending;

	if (!in_blocks(work, n, [=](uint32_t start, uint32_t count) {
			if constexpr (Form<F>::narrow)
				pack_narrow(keys, start, count, descending, packed);
			else
				simd::pack(F, keys + start, count, start, descending, packed + start);
		}))
		return false;
	return sort_codes(work, packed, n, rest, false) &&
		unpack<Packed>(work, packed, (Packed) (((UnsignedPacked) 1 << position_bits) - 1), payload, (uint32_t *) rest, n);
}

/* How 64-bit keys are packed. */
struct WidePacking
{
	uint64_t	first;			/* code that comes first: its distance is 0 */
	bool		descending;
	int			position_bits;
	int			dropped_bits;	/* low bits of the distance left out */
};

template <GpusortKeyForm F>
static inline uint64_t
distance(const WidePacking &packing, typename Form<F>::Bits key)
{
	uint64_t	code = (uint64_t) Form<F>::encode_tied(key);

	return packing.descending ? packing.first - code : code - packing.first;
}

/* Decide how to pack keys whose codes lie in least .. greatest. */
static WidePacking
choose_packing(int64_t least, int64_t greatest, uint32_t n, bool descending)
{
	WidePacking packing;
	uint64_t	range = (uint64_t) greatest - (uint64_t) least;
	int			range_bits = range == 0 ? 0 : 64 - __builtin_clzll(range);

	packing.first = (uint64_t) (descending ? greatest : least);
	packing.descending = descending;
	packing.position_bits = n <= 1 ? 1 : 32 - __builtin_clz(n - 1);
	packing.dropped_bits = range_bits + packing.position_bits > 64 ? range_bits + packing.position_bits - 64 : 0;
	return packing;
}

/* Sort runs of keys that were alike without their dropped bits by these. */
template <GpusortKeyForm F>
static bool
sort_dropped_bits(Work &work, const WidePacking &packing, const typename Form<F>::Bits *keys,
				  int64_t *packed, uint32_t n, char *scratch)
{
	uint64_t	position_mask = (UINT64_C(1) << packing.position_bits) - 1;
	uint64_t	dropped_mask = (UINT64_C(1) << packing.dropped_bits) - 1;
	uint32_t	end;

	for (uint32_t start = 0; start < n; start = end)
	{
		uint64_t	first;
		uint64_t	differing = 0;

		end = start + 1;
		while (end < n && (uint64_t) (packed[end] ^ packed[start]) >> packing.position_bits == 0)
			end++;
		if (work.stop_after(end - start))
			return false;
		if (end == start + 1)
			continue;

		first = distance<F>(packing, keys[packed[start] & position_mask]);
		for (uint32_t i = start; i < end; i++)
		{
			uint64_t	position = packed[i] & position_mask;
			uint64_t	dropped = distance<F>(packing, keys[position]);

			differing |= dropped ^ first;
			packed[i] = (int64_t) (((dropped & dropped_mask) << 32 | position) ^ (UINT64_C(1) << 63));
		}
		if (differing != 0 && !sort_codes(work, packed + start, end - start, scratch, false))
			return false;
	}
	return true;
}

/* 64-bit keys. */
template <GpusortKeyForm F>
static bool
sort_wide(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	int64_t    *packed = (int64_t *) work.scratch;
	char	   *rest = work.scratch + lines(n * sizeof(int64_t));
	int64_t		least = INT64_MAX;
	int64_t		greatest = INT64_MIN;
	uint64_t	differing = 0;
	WidePacking packing;

	if (!in_blocks(work, n, [&](uint32_t start, uint32_t count) {
			int64_t		low;
			int64_t		high;

			simd::code_range(F, keys + start, count, &low, &high);
			least = low < least ? low : least;
			greatest = high > greatest ? high : greatest;
		}))
		return false;
	packing = choose_packing(least, greatest, n, work.spec->descending);

	if (!in_blocks(work, n, [&](uint32_t start, uint32_t count) {
			uint64_t	first = distance<F>(packing, keys[0]);
			uint64_t	block_differing = 0;

			for (uint32_t i = start; i < start + count; i++)
			{
				uint64_t	code = distance<F>(packing, keys[i]);

				block_differing |= code ^ first;
				packed[i] = (int64_t) ((code >> packing.dropped_bits << packing.position_bits | i) ^ (UINT64_C(1) << 63));
			}
			differing |= block_differing;
		}))
		return false;
	if (!sort_codes(work, packed, n, rest, false))
		return false;
	if ((differing & ((UINT64_C(1) << packing.dropped_bits) - 1)) != 0 &&
		!sort_dropped_bits<F>(work, packing, keys, packed, n, rest))
		return false;
	return unpack<int64_t>(work, packed, (INT64_C(1) << packing.position_bits) - 1, payload, (uint32_t *) keys, n);
}

size_t
sort_with_payload_scratch(uint64_t n, size_t width, int threads)
{
	size_t		packed_width = width == 2 && n <= SHORT_POSITIONS ? 4 : 8;
	size_t		rest = sort_codes_scratch(n, packed_width, threads);

	if (width < 8 && rest < n * sizeof(uint32_t))
		rest = n * sizeof(uint32_t);
	return lines(n * packed_width) + rest;
}

template <GpusortKeyForm F>
bool
sort_with_payload(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	if constexpr (Form<F>::wide)
		return sort_wide<F>(work, keys, payload, n);
	else if constexpr (Form<F>::narrow)
	{
		if (n <= SHORT_POSITIONS)
			return sort_packed<F, int32_t>(work, keys, payload, n);
		return sort_packed<F, int64_t>(work, keys, payload, n);
	}
	else
		return sort_packed<F, int64_t>(work, keys, payload, n);
}

#define INSTANTIATE(form) \
	template bool sort_with_payload<form>(Work &, Form<form>::Bits *, uint32_t *, uint32_t);
GPUSORT_EACH_FORM(INSTANTIATE)
}
