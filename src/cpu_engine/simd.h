/*
 * simd.h
 *	  Kernels compiled for each vector unit that a CPU may have.  The best is picked
 *	  when it is first used.
 */
#ifndef GPUSORT_SIMD_H
#define GPUSORT_SIMD_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "keys/projection.h"

namespace gpusort
{
namespace simd
{
/* How 64-bit keys are packed, see Kernels. */
struct DistancePacking
{
	uint64_t	first_code;
	bool		descending;
	int			position_bits;
	int			dropped_bits;
};

/* How many bins there are, see Kernels. */
constexpr uint32_t BINS = 4096;

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

/* The kernels for keys of one width, native or as codes (see forms.h).  Those for wider keys only are else nullptr. */
template <typename Bits>
struct Kernels
{
	using Code = std::make_signed_t<Bits>;

	/* True if n keys of any form are in order, -0 before +0. */
	bool		(*in_order) (GpusortKeyForm form, const Bits *keys, size_t n, bool descending);

	/* Least and greatest code of n keys.  -0 and +0 get one code. */
	void		(*key_range) (GpusortKeyForm form, const Bits *keys, size_t n, Code *least, Code *greatest);

	/* The interval of each key. */
	void		(*find_intervals) (GpusortKeyForm form, const Bits *keys, size_t n, const GpusortProjection *projection,
								   uint32_t *intervals);

	/*
	 * The bin of each code: 0 for codes below least, 1 + ((code - least) >> shift) from there
	 * on, and the last bin for all greater codes.
	 */
	void		(*find_bins) (const Code *codes, size_t n, Code least, int shift, uint16_t *bins);

	/* Scatters n codes whose bins are given. */
	void		(*scatter) (const Code *codes, const uint16_t *bins, size_t n, const Scattering<Code> &to);

	/*
	 * Writes the codes of the keys that come before the threshold, and returns how many there
	 * are.  n is the number of all keys.  Codes are complemented for descending order.  If
	 * positions is not nullptr, it receives the positions of these keys, and -0 and +0 get one
	 * code.  The position of keys[0] is `first`.  One entry behind the last may be overwritten.
	 */
	uint32_t	(*filter) (GpusortKeyForm form, const Bits *keys, uint32_t n, uint32_t first, bool descending,
						   Code threshold, Code *codes, uint32_t *positions);

	/* From here on for keys of 32 and 64 bits. */

	/*
	 * Sorts n keys in place by a network in registers.  Returns false, with nothing done, if
	 * the registers do not hold n keys.
	 */
	bool		(*sort_small) (GpusortKeyForm form, Bits *keys, uint32_t n, bool descending);

	/* Turns float keys into their codes, in place, and back. */
	void		(*encode) (Bits *keys, size_t n);
	void		(*decode) (Bits *keys, size_t n);

	/* Least and greatest code of the finite float keys.  least > greatest if there are none. */
	void		(*finite_range) (const Bits *keys, size_t n, Code *least, Code *greatest);

	/*
	 * Writes those codes of n keys that lie in least .. greatest, in the keys' order, and
	 * returns how many there are.  *less receives the number of lesser codes.  codes has space
	 * for n codes, and may be the keys.
	 */
	uint32_t	(*between) (GpusortKeyForm form, const Bits *keys, uint32_t n, Code least, Code greatest,
							Code *codes, uint32_t *less);

	/*
	 * Packs the code of each 32-bit key above its position.  -0 and +0 get one code.  The
	 * position of keys[0] is `first`.  Codes are inverted for descending order.
	 */
	void		(*pack) (GpusortKeyForm form, const Bits *keys, size_t n, uint32_t first, bool descending, int64_t *packed);

	/*
	 * Packs the distance of each 64-bit key's code from first_code above its position, without
	 * the dropped_bits lowest bits of the distance.  -0 and +0 get one code.  The position of
	 * keys[0] is `first`.  The sign bit is flipped, so that words order as signed numbers.
	 */
	void		(*pack_distances) (GpusortKeyForm form, const Bits *keys, size_t n, uint32_t first,
								   const DistancePacking *packing, int64_t *packed);

	/* The kernels for this CPU. */
	static Kernels best;
};

template <> Kernels<uint16_t> Kernels<uint16_t>::best;
template <> Kernels<uint32_t> Kernels<uint32_t>::best;
template <> Kernels<uint64_t> Kernels<uint64_t>::best;

/* Picks them.  A test that leaves out vector units has them picked anew. */
void pick_kernels();

/* The same by the type of keys or codes. */
template <typename Key>
inline const Kernels<std::make_unsigned_t<Key>> &
kernels()
{
	const auto &best = Kernels<std::make_unsigned_t<Key>>::best;

	if (best.in_order == nullptr)
		pick_kernels();
	return best;
}
}
}

#endif							/* GPUSORT_SIMD_H */
