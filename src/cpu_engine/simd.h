/*
 * simd.h
 *	  Kernels compiled for each vector unit that a CPU may have.  The best is picked
 *	  at run time.
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
 * Sorts n native keys in place by a network in registers.  Returns false, with nothing
 * done, if the registers do not hold n keys.
 */
bool sort_small(GpusortKeyForm form, uint32_t *keys, uint32_t n, bool descending);
bool sort_small(GpusortKeyForm form, uint64_t *keys, uint32_t n, bool descending);

/* True if n native keys of any form are in order, -0 before +0. */
bool in_order(GpusortKeyForm form, const uint16_t *keys, size_t n, bool descending);
bool in_order(GpusortKeyForm form, const uint32_t *keys, size_t n, bool descending);
bool in_order(GpusortKeyForm form, const uint64_t *keys, size_t n, bool descending);

/* Turns float keys into their codes (see forms.h), in place, and back. */
void encode(uint32_t *keys, size_t n);
void encode(uint64_t *keys, size_t n);
void decode(uint32_t *keys, size_t n);
void decode(uint64_t *keys, size_t n);

/*
 * Packs the code of each 32-bit key above its position.  -0 and +0 get one code.  The
 * position of keys[0] is `first`.  Codes are inverted for descending order.
 */
void pack(GpusortKeyForm form, const uint32_t *keys, size_t n, uint32_t first, bool descending, int64_t *packed);

/*
 * Packs the distance of each 64-bit key's code from first_code above its position, without
 * the dropped_bits lowest bits of the distance.  -0 and +0 get one code.  The position of
 * keys[0] is `first`.  The sign bit is flipped, so that words order as signed numbers.
 */
struct DistancePacking
{
	uint64_t	first_code;
	bool		descending;
	int			position_bits;
	int			dropped_bits;
};

void pack(GpusortKeyForm form, const uint64_t *keys, size_t n, uint32_t first, const DistancePacking &packing, int64_t *packed);

/* Least and greatest code of keys.  -0 and +0 get one code. */
void code_range(GpusortKeyForm form, const uint32_t *keys, size_t n, int32_t *least, int32_t *greatest);
void code_range(GpusortKeyForm form, const uint64_t *keys, size_t n, int64_t *least, int64_t *greatest);

/* The same for codes. */
void code_range(const int16_t *codes, size_t n, int16_t *least, int16_t *greatest);
void code_range(const int32_t *codes, size_t n, int32_t *least, int32_t *greatest);
void code_range(const int64_t *codes, size_t n, int64_t *least, int64_t *greatest);

/* Least and greatest code of the finite float keys.  least > greatest if there are none. */
void finite_range(const uint32_t *keys, size_t n, int32_t *least, int32_t *greatest);
void finite_range(const uint64_t *keys, size_t n, int64_t *least, int64_t *greatest);

/* The interval of each key. */
void find_intervals(GpusortKeyForm form, const uint16_t *keys, size_t n, const GpusortProjection &projection, uint32_t *intervals);
void find_intervals(GpusortKeyForm form, const uint32_t *keys, size_t n, const GpusortProjection &projection, uint32_t *intervals);
void find_intervals(GpusortKeyForm form, const uint64_t *keys, size_t n, const GpusortProjection &projection, uint32_t *intervals);

/*
 * The bin of each code: 0 for codes below least, 1 + ((code - least) >> shift) from there
 * on, and the last bin for all greater codes.
 */
constexpr uint32_t BINS = 4096;

void find_bins(const int16_t *codes, size_t n, int16_t least, int shift, uint16_t *bins);
void find_bins(const int32_t *codes, size_t n, int32_t least, int shift, uint16_t *bins);
void find_bins(const int64_t *codes, size_t n, int64_t least, int shift, uint16_t *bins);

/*
 * The target of a scatter over the pieces of an array.  The codes of a piece are staged
 * until they fill a line, which is then streamed to memory; an ordinary store would first
 * fetch the line into the cache.  A line is LINE places of out, counted from its start.
 * The caller writes what is left in the stage of each piece.
 */
template <typename Code>
struct Scattering
{
	static constexpr uint32_t LINE = 128 / sizeof(Code);

	const uint16_t *piece_of;	/* the piece of each bin */
	const uint32_t *starts;		/* first place of each piece */
	uint32_t   *places;			/* next place of each piece */
	Code	   *staged;			/* LINE codes for each piece; begins on a cache line */
	Code	   *out;			/* begins on a cache line */
};

/* Scatters n codes whose bins are given. */
void scatter(const int16_t *codes, const uint16_t *bins, size_t n, const Scattering<int16_t> &to);
void scatter(const int32_t *codes, const uint16_t *bins, size_t n, const Scattering<int32_t> &to);
void scatter(const int64_t *codes, const uint16_t *bins, size_t n, const Scattering<int64_t> &to);

/* Writes a key n times, past the caches. */
void stream(uint16_t key, uint16_t *out, size_t n);
void stream(uint32_t key, uint32_t *out, size_t n);
void stream(uint64_t key, uint64_t *out, size_t n);

/*
 * Writes the codes of the keys that come before the threshold, and returns how many there
 * are.  n is the number of all keys.  Codes are complemented for descending order.  If
 * positions is not nullptr, it receives the positions of these keys, and -0 and +0 get one
 * code.  The position of keys[0] is `first`.  One entry behind the last may be overwritten.
 */
uint32_t filter(GpusortKeyForm form, const uint16_t *keys, uint32_t n, uint32_t first, bool descending,
				int16_t threshold, int16_t *codes, uint32_t *positions);
uint32_t filter(GpusortKeyForm form, const uint32_t *keys, uint32_t n, uint32_t first, bool descending,
				int32_t threshold, int32_t *codes, uint32_t *positions);
uint32_t filter(GpusortKeyForm form, const uint64_t *keys, uint32_t n, uint32_t first, bool descending,
				int64_t threshold, int64_t *codes, uint32_t *positions);

/*
 * Writes those codes of n keys that lie in least .. greatest, in the keys' order, and
 * returns how many there are.  *less receives the number of lesser codes.  codes has space
 * for n codes, and may be the keys.
 */
uint32_t between(GpusortKeyForm form, const uint32_t *keys, uint32_t n, int32_t least, int32_t greatest,
				 int32_t *codes, uint32_t *less);
uint32_t between(GpusortKeyForm form, const uint64_t *keys, uint32_t n, int64_t least, int64_t greatest,
				 int64_t *codes, uint32_t *less);
}
}

#endif							/* GPUSORT_SIMD_H */
