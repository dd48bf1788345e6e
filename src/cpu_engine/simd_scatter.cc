/*
 * simd_scatter.cc
 *	  Kernels that write past the caches, and those that find the bins of codes.
 *	  Compiled for each vector unit as simd.cc is.
 */
#include "cpu_engine/simd.h"

#include <cstring>
#include <type_traits>

/* As in simd.cc. */
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_engine/simd_scatter.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gpusort
{
namespace HWY_NAMESPACE
{
namespace hn = hwy::HWY_NAMESPACE;

template <typename Code>
HWY_INLINE void
find_bins_of(const Code *codes, size_t n, Code least, int shift, uint16_t *bins)
{
	using Distance = std::make_unsigned_t<Code>;

	for (size_t i = 0; i < n; i++)
	{
		Distance	distance = (Distance) ((Distance) codes[i] - (Distance) least);

		distance = (Distance) (distance >> shift);
		distance = distance < simd::BINS - 2 ? distance : (Distance) (simd::BINS - 2);
		bins[i] = (uint16_t) (codes[i] < least ? 0 : distance + 1);
	}
}

void
FindBins16(const int16_t *codes, size_t n, int16_t least, int shift, uint16_t *bins)
{
	find_bins_of(codes, n, least, shift, bins);
}

void
FindBins32(const int32_t *codes, size_t n, int32_t least, int shift, uint16_t *bins)
{
	find_bins_of(codes, n, least, shift, bins);
}

void
FindBins64(const int64_t *codes, size_t n, int64_t least, int shift, uint16_t *bins)
{
	find_bins_of(codes, n, least, shift, bins);
}

/* Writes the staged line of a piece that ends at place `end`.  The piece may begin within its first line. */
template <typename Code>
HWY_NOINLINE void
write_line(const simd::Scattering<Code> &to, uint32_t piece, uint32_t end)
{
	constexpr uint32_t LINE = simd::Scattering<Code>::LINE;
	const hn::CappedTag<Code, 64 / sizeof(Code)> d;
	const Code *staged = to.staged + piece * LINE;
	const uint32_t place = end - LINE;
	const uint32_t start = to.starts[piece];

	if (place >= start)
	{
		for (uint32_t i = 0; i < LINE; i += hn::Lanes(d))
			hn::Stream(hn::Load(d, staged + i), d, to.out + place + i);
	}
	else
		memcpy(to.out + start, staged + (start - place), (end - start) * sizeof(Code));
}

template <typename Code>
HWY_INLINE void
scatter_of(const Code *codes, const uint16_t *bins, size_t n, const simd::Scattering<Code> &to)
{
	constexpr uint32_t LINE = simd::Scattering<Code>::LINE;
	/* Local copies: the compiler knows that staged does not point to them. */
	const uint16_t *const piece_of = to.piece_of;
	uint32_t *const places = to.places;
	Code *const staged = to.staged;

	for (size_t i = 0; i < n; i++)
	{
		const uint32_t piece = piece_of[bins[i]];
		const uint32_t place = places[piece]++;

		staged[piece * LINE + place % LINE] = codes[i];
		if (HWY_UNLIKELY(place % LINE == LINE - 1))
			write_line(to, piece, place + 1);
	}
}

void
Scatter16(const int16_t *codes, const uint16_t *bins, size_t n, const simd::Scattering<int16_t> &to)
{
	scatter_of(codes, bins, n, to);
}

void
Scatter32(const int32_t *codes, const uint16_t *bins, size_t n, const simd::Scattering<int32_t> &to)
{
	scatter_of(codes, bins, n, to);
}

void
Scatter64(const int64_t *codes, const uint16_t *bins, size_t n, const simd::Scattering<int64_t> &to)
{
	scatter_of(codes, bins, n, to);
}

template <typename T>
HWY_INLINE void
stream_of(T key, T *out, size_t n)
{
	const hn::CappedTag<T, 64 / sizeof(T)> d;
	const auto	keys = hn::Set(d, key);
	const size_t lanes = hn::Lanes(d);
	size_t		i = 0;

	for (; i < n && (uintptr_t) (out + i) % (lanes * sizeof(T)) != 0; i++)
		out[i] = key;
	for (; i + lanes <= n; i += lanes)
		hn::Stream(keys, d, out + i);
	for (; i < n; i++)
		out[i] = key;
}

void
Stream16(uint16_t key, uint16_t *out, size_t n)
{
	stream_of(key, out, n);
}

void
Stream32(uint32_t key, uint32_t *out, size_t n)
{
	stream_of(key, out, n);
}

void
Stream64(uint64_t key, uint64_t *out, size_t n)
{
	stream_of(key, out, n);
}
}
}
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpusort
{
HWY_EXPORT(FindBins16);
HWY_EXPORT(FindBins32);
HWY_EXPORT(FindBins64);
HWY_EXPORT(Scatter16);
HWY_EXPORT(Scatter32);
HWY_EXPORT(Scatter64);
HWY_EXPORT(Stream16);
HWY_EXPORT(Stream32);
HWY_EXPORT(Stream64);

namespace simd
{
/* A function that runs the kernel compiled for this CPU. */
#define DISPATCH(result, name, parameters, kernel, arguments) \
	result name parameters { return HWY_DYNAMIC_DISPATCH(kernel) arguments; }

DISPATCH(void, find_bins, (const int16_t *codes, size_t n, int16_t least, int shift, uint16_t *bins),
		 FindBins16, (codes, n, least, shift, bins))
DISPATCH(void, find_bins, (const int32_t *codes, size_t n, int32_t least, int shift, uint16_t *bins),
		 FindBins32, (codes, n, least, shift, bins))
DISPATCH(void, find_bins, (const int64_t *codes, size_t n, int64_t least, int shift, uint16_t *bins),
		 FindBins64, (codes, n, least, shift, bins))
DISPATCH(void, scatter, (const int16_t *codes, const uint16_t *bins, size_t n, const Scattering<int16_t> &to),
		 Scatter16, (codes, bins, n, to))
DISPATCH(void, scatter, (const int32_t *codes, const uint16_t *bins, size_t n, const Scattering<int32_t> &to),
		 Scatter32, (codes, bins, n, to))
DISPATCH(void, scatter, (const int64_t *codes, const uint16_t *bins, size_t n, const Scattering<int64_t> &to),
		 Scatter64, (codes, bins, n, to))
DISPATCH(void, stream, (uint16_t key, uint16_t *out, size_t n),
		 Stream16, (key, out, n))
DISPATCH(void, stream, (uint32_t key, uint32_t *out, size_t n),
		 Stream32, (key, out, n))
DISPATCH(void, stream, (uint64_t key, uint64_t *out, size_t n),
		 Stream64, (key, out, n))

#undef DISPATCH
}
}
#endif
