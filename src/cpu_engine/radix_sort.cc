/*
 * radix_sort.cc
 *	  Radix sort by digits of eight bits, from the least significant one.
 *
 * One pass over the keys turns them into unsigned codes that ascend in the wanted
 * order and counts every digit.  Each further pass moves codes, and the payload
 * with them, to their places by one digit, keeping the order of equal ones, back
 * and forth between the arrays and scratch.  A digit that all codes share needs
 * no pass.
 */
#include "cpu_engine/radix_sort.h"

#include <cstring>

namespace gpusort
{
constexpr int DIGIT_BITS = 8;
constexpr uint32_t DIGITS = 1 << DIGIT_BITS;

/* The two places that codes and payload move between. */
template <typename Bits>
struct RadixArrays
{
	Bits	   *codes;
	Bits	   *spare_codes;
	uint32_t   *payload;		/* nullptr for keys alone */
	uint32_t   *spare_payload;
};

/* Turn keys into codes in place and count their digits; false if told to stop. */
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

/* Move everything to its place by one digit; false if told to stop. */
template <typename Bits>
static bool
move_by_digit(Work &work, const RadixArrays<Bits> &arrays, uint32_t n, int shift, uint32_t *counts)
{
	uint32_t	place = 0;

	for (uint32_t digit = 0; digit < DIGITS; digit++)
	{
		uint32_t	count = counts[digit];

		counts[digit] = place;
		place += count;
	}
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

size_t
radix_sort_scratch(uint64_t n, size_t width, GpusortPayload payload)
{
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

	if (work.spec->payload == GPUSORT_PAYLOAD_INDEX)
		for (uint32_t i = 0; i < n; i++)
			payload[i] = i;
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
	{
		if (arrays.payload != payload)
			memcpy(payload, arrays.payload, n * sizeof(uint32_t));
		return true;
	}
	return in_blocks(work, n, [&](uint32_t start, uint32_t count) {
		for (uint32_t i = start; i < start + count; i++)
			keys[i] = Form<F>::decode((typename Form<F>::Code) (arrays.codes[i] ^ flip));
	});
}

#define INSTANTIATE(form) \
	template bool radix_sort<form>(Work &, Form<form>::Bits *, uint32_t *, uint32_t);
GPUSORT_EACH_FORM(INSTANTIATE)
}
