/*
 * simd.h
 *	  Kernels compiled for each vector unit that the CPU may have; the best one is
 *	  picked at run time.
 */
#ifndef GPUSORT_SIMD_H
#define GPUSORT_SIMD_H

#include <cstddef>
#include <cstdint>

#include "keys/projection.h"

namespace gpusort
{
namespace simd
{
/*
 * Sort n native keys of any form of 32 or 64 bits in their place, by a network in
 * registers; false, with nothing done, if n is more than these hold.
 */
bool sort_small(GpusortKeyForm form, uint32_t *keys, uint32_t n, bool descending);
bool sort_small(GpusortKeyForm form, uint64_t *keys, uint32_t n, bool descending);

/* Are n native keys of any form in order, -0 before +0? */
bool in_order(GpusortKeyForm form, const uint16_t *keys, size_t n, bool descending);
bool in_order(GpusortKeyForm form, const uint32_t *keys, size_t n, bool descending);
bool in_order(GpusortKeyForm form, const uint64_t *keys, size_t n, bool descending);

/* Turn float keys into their codes (see forms.h), in place, and back. */
void encode(uint32_t *keys, size_t n);
void encode(uint64_t *keys, size_t n);
void decode(uint32_t *keys, size_t n);
void decode(uint64_t *keys, size_t n);

/*
 * Pack the codes of 32-bit keys, -0 and +0 alike, above their position, that of
 * keys[0] being first; codes are inverted for descending order.
 */
void pack(GpusortKeyForm form, const uint32_t *keys, size_t n, uint32_t first, bool descending, int64_t *packed);

/*
 * Pack 64-bit keys above their position, that of keys[0] being first: how far
 * their code, -0 and +0 alike, comes after the first one, without as many low
 * bits as there is no room for.  The sign bit is flipped, so that words order as
 * signed numbers.
 */
struct DistancePacking
{
	uint64_t	first_code;
	bool		descending;
	int			position_bits;
	int			dropped_bits;
};

void pack(GpusortKeyForm form, const uint64_t *keys, size_t n, uint32_t first, const DistancePacking &packing, int64_t *packed);

/* Least and greatest code of keys, -0 and +0 alike. */
void code_range(GpusortKeyForm form, const uint32_t *keys, size_t n, int32_t *least, int32_t *greatest);
void code_range(GpusortKeyForm form, const uint64_t *keys, size_t n, int64_t *least, int64_t *greatest);

/* As code_range, for codes of their own. */
void code_range(const int16_t *codes, size_t n, int16_t *least, int16_t *greatest);
void code_range(const int32_t *codes, size_t n, int32_t *least, int32_t *greatest);
void code_range(const int64_t *codes, size_t n, int64_t *least, int64_t *greatest);

/* Least and greatest code of the finite ones among float keys; least > greatest if there is none. */
void finite_range(const uint32_t *keys, size_t n, int32_t *least, int32_t *greatest);
void finite_range(const uint64_t *keys, size_t n, int64_t *least, int64_t *greatest);

/* The interval of each key. */
void find_intervals(GpusortKeyForm form, const uint16_t *keys, size_t n, const GpusortProjection &projection, uint32_t *intervals);
void find_intervals(GpusortKeyForm form, const uint32_t *keys, size_t n, const GpusortProjection &projection, uint32_t *intervals);
void find_intervals(GpusortKeyForm form, const uint64_t *keys, size_t n, const GpusortProjection &projection, uint32_t *intervals);

/*
 * The bin of each code: 0 below least, 1 + (code - least) >> shift from there on,
 * the last one for all that is above.
 */
constexpr uint32_t BINS = 4096;

void find_bins(const int16_t *codes, size_t n, int16_t least, int shift, uint16_t *bins);
void find_bins(const int32_t *codes, size_t n, int32_t least, int shift, uint16_t *bins);
void find_bins(const int64_t *codes, size_t n, int64_t least, int shift, uint16_t *bins);

/*
 * Where codes go that are scattered over as many pieces of an array as there are
 * places.  A piece's codes are staged until they make a line, which is then
 * streamed to memory: the caches would fetch it first.  Lines are LINE places of
 * out, counted from its start; what was staged of a piece's last line is left to
 * the caller.
 */
template <typename Code>
struct Scattering
{
	static constexpr uint32_t LINE = 128 / sizeof(Code);

	const uint16_t *piece_of;	/* of each bin */
	const uint32_t *starts;		/* first place of each piece */
	uint32_t   *places;			/* next place of each piece */
	Code	   *staged;			/* LINE codes of each piece, on a cache line */
	Code	   *out;			/* on a cache line */
};

/* Scatter n codes, whose bins are given. */
void scatter(const int16_t *codes, const uint16_t *bins, size_t n, const Scattering<int16_t> &to);
void scatter(const int32_t *codes, const uint16_t *bins, size_t n, const Scattering<int32_t> &to);
void scatter(const int64_t *codes, const uint16_t *bins, size_t n, const Scattering<int64_t> &to);

/* Write a key n times, past the caches. */
void stream(uint16_t key, uint16_t *out, size_t n);
void stream(uint32_t key, uint32_t *out, size_t n);
void stream(uint64_t key, uint64_t *out, size_t n);

/*
 * Write the codes below threshold of n keys, complements for descending order,
 * and their positions if wanted (-0 and +0 alike then), that of keys[0] being
 * first; one more entry may be overwritten.  Returns how many there are.
 */
uint32_t filter(GpusortKeyForm form, const uint16_t *keys, uint32_t n, uint32_t first, bool descending,
				int16_t threshold, int16_t *codes, uint32_t *positions);
uint32_t filter(GpusortKeyForm form, const uint32_t *keys, uint32_t n, uint32_t first, bool descending,
				int32_t threshold, int32_t *codes, uint32_t *positions);
uint32_t filter(GpusortKeyForm form, const uint64_t *keys, uint32_t n, uint32_t first, bool descending,
				int64_t threshold, int64_t *codes, uint32_t *positions);
}
}

#endif							/* GPUSORT_SIMD_H */
