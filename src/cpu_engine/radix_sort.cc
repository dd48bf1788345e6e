/*
 * radix_sort.cc
 *	  Radix sort by digits of eight bits, from the least significant one.
 *
 * One pass over the keys turns them into unsigned codes that ascend in the wanted order
 * and counts every digit.  Each further pass moves codes and payload stably to their
 * places by one digit, back and forth between the arrays and scratch.  A digit that is
 * the same in all codes needs no pass.
 *
 * Many 16-bit keys with a payload are sorted as one digit: a single pass moves the
 * payload, and no codes.
 */
#include "cpu_engine/radix_sort.h"

#include <algorithm>
#include <cstring>

namespace gpusort
{
constexpr int DIGIT_BITS = 8;
constexpr uint32_t DIGITS = 1 << DIGIT_BITS;

/* More 16-bit keys with a payload than this are sorted as one digit of DIGITS16 values. */
constexpr uint64_t MOST_BY_BYTES = UINT64_C(1) << 16;
constexpr uint32_t DIGITS16 = 1 << 16;

/* The arrays between which codes and payload move. */
template <typename Bits>
struct RadixArrays
{
	Bits	   *codes;
	Bits	   *spare_codes;
	uint32_t   *payload;		/* nullptr without a payload */
	uint32_t   *spare_payload;
};

/* Turns keys into codes in place and counts their digits.  Returns false if told to stop. */
template <GpusortKeyForm F>
static bool
encode_and_count(Work &work, typename Form<F>::Bits *keys, bool tied, uint32_t n,
				 uint32_t (&counts)[sizeof(typename Form<F>::Bits)][DIGITS])
{
	using Bits = typename Form<F>::Bits;
	Bits		flip = (Bits) (work.spec->descending ? ~Form<F>::sign : Form<F>::sign);

	memset(counts, 0, sizeof(counts));
	return in_blocks(work, n, [&](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
		{
			Bits		code = (Bits) ((Bits) (tied ? Form<F>::encode_tied(keys[i]) : Form<F>::encode(keys[i])) ^ flip);

			keys[i] = code;
			for (size_t digit = 0; digit < sizeof(Bits); digit++)
				counts[digit][(code >> (digit * DIGIT_BITS)) % DIGITS]++;
		}
	});
}

/* Turns the count of each digit into the place of its first code. */
static void
place_digits(uint32_t *counts, uint32_t digits)
{
	uint32_t	place = 0;

	for (uint32_t digit = 0; digit < digits; digit++)
	{
		uint32_t	count = counts[digit];

		counts[digit] = place;
		place += count;
	}
}

/* Moves codes and payload to their places by one digit.  Returns false if told to stop. */
template <typename Bits>
static bool
move_by_digit(Work &work, const RadixArrays<Bits> &arrays, uint32_t n, int shift, uint32_t *counts)
{
	place_digits(counts, DIGITS);
	return in_blocks(work, n, [&](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
		{
			Bits		code = arrays.codes[i];
			uint32_t	target = counts[(code >> shift) % DIGITS]++;

			arrays.spare_codes[target] = code;
			if (arrays.payload != nullptr)
				arrays.spare_payload[target] = arrays.payload[i];
		}
	});
}

/* Moves the payload of 16-bit keys to its places.  Returns false if told to stop. */
static bool
move_by_key(Work &work, const uint16_t *keys, uint32_t *payload, uint32_t n)
{
	uint32_t   *places = (uint32_t *) work.scratch;
	uint32_t   *source = places + DIGITS16;
	bool		carried = work.spec->payload == GPUSORT_PAYLOAD_CARRIED;
	uint16_t	flip = (uint16_t) (work.spec->descending ? INT16_MAX : INT16_MIN);

	memset(places, 0, DIGITS16 * sizeof(uint32_t));
	if (!in_blocks(work, n, [=](uint32_t start, uint32_t count) {
			for (uint32_t i = start; i < start + count; i++)
				places[(uint16_t) (keys[i] ^ flip)]++;
		}))
		return false;
	place_digits(places, DIGITS16);
	return (!carried || copy_in_blocks(work, source, payload, n)) &&
		in_blocks(work, n, [=](uint32_t start, uint32_t count) {
			for (uint32_t i = start; i < start + count; i++)
				payload[places[(uint16_t) (keys[i] ^ flip)]++] = carried ? source[i] : i;
		});
}

size_t
radix_sort_scratch(uint64_t n, size_t width, GpusortPayload payload)
{
	/* Fewer keys, sorted byte by byte, may take more. */
	if (width == sizeof(uint16_t) && payload != GPUSORT_PAYLOAD_NONE && n > MOST_BY_BYTES)
		return std::max(DIGITS16 * sizeof(uint32_t) + (payload == GPUSORT_PAYLOAD_CARRIED ? n * sizeof(uint32_t) : 0),
						radix_sort_scratch(MOST_BY_BYTES, width, payload));
	return lines(n * width) + (payload == GPUSORT_PAYLOAD_NONE ? 0 : n * sizeof(uint32_t));
}

template <GpusortKeyForm F>
bool
radix_sort(Work &work, typename Form<F>::Bits *keys, uint32_t *payload, uint32_t n)
{
	using Bits = typename Form<F>::Bits;
	Bits		flip = (Bits) (work.spec->descending ? ~Form<F>::sign : Form<F>::sign);
	uint32_t	counts[sizeof(Bits)][DIGITS];
	RadixArrays<Bits> arrays = {
		keys, (Bits *) work.scratch, payload, (uint32_t *) (work.scratch + lines(n * sizeof(Bits)))
	};

	if constexpr (Form<F>::narrow)
	{
		if (payload != nullptr && n > MOST_BY_BYTES)
			return move_by_key(work, keys, payload, n);
	}
	if (work.spec->payload == GPUSORT_PAYLOAD_INDEX && !in_blocks(work, n, [=](uint32_t start, uint32_t count) {
			for (uint32_t i = start; i < start + count; i++)
				payload[i] = i;
		}))
		return false;
	if (!encode_and_count<F>(work, keys, payload != nullptr, n, counts))
		return false;
	for (size_t digit = 0; digit < sizeof(Bits); digit++)
	{
		int			shift = (int) digit * DIGIT_BITS;

		if (counts[digit][(keys[0] >> shift) % DIGITS] == n)
			continue;
		if (!move_by_digit(work, arrays, n, shift, counts[digit]))
			return false;
		arrays = {arrays.spare_codes, arrays.codes, payload == nullptr ? nullptr : arrays.spare_payload, arrays.payload};
	}

	/* The result may lie in scratch. */
	if (payload != nullptr)
		return arrays.payload == payload || copy_in_blocks(work, payload, arrays.payload, n);
	return in_blocks(work, n, [&](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
			keys[i] = Form<F>::decode((typename Form<F>::Code) (arrays.codes[i] ^ flip));
	});
}

#define INSTANTIATE(form) \
	template bool radix_sort<form>(Work &, Form<form>::Bits *, uint32_t *, uint32_t);
GPUSORT_EACH_FORM(INSTANTIATE)
}
