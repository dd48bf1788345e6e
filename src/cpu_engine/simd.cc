/*
 * simd.cc
 *	  Kernels compiled for each vector unit, through Highway's foreach_target.
 *
 * Highway includes this file again for every target.  Everything between
 * HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is compiled with that target's
 * instructions.  Scalar loops are vectorized for it by the compiler.
 */
#include "cpu_engine/simd.h"

#include <cstring>

/* Vectors without a fixed size cannot be held in arrays.  HWY_SSSE3 is no faster than HWY_SSE2 here. */
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_engine/simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu_engine/forms.h"

/* True if loads and stores of only the first lanes touch no memory behind them. */
#undef HWY_TARGET_IS_MASKING
#define HWY_TARGET_IS_MASKING (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2)

#include "cpu_engine/network-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gpusort
{
namespace HWY_NAMESPACE
{
/* Calls a function template with a form, whose keys have this many bits. */
#define OF_FORM(width, form, function, ...) \
	((form) == GPUSORT_KEY_FLOAT##width ? function<GPUSORT_KEY_FLOAT##width>(__VA_ARGS__) : \
	 (form) == GPUSORT_KEY_INT##width ? function<GPUSORT_KEY_INT##width>(__VA_ARGS__) : \
	 function<GPUSORT_KEY_UINT##width>(__VA_ARGS__))

template <typename T>
HWY_INLINE bool
sort_form(GpusortKeyForm form, T *keys, uint32_t n, bool descending)
{
	const hn::CappedTag<T, 64 / sizeof(T)> d;

	if (form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64)
		return sort_network(d, FloatCodec<decltype(d)>(d, false, descending), keys, n);
	return sort_network(d, IntegerCodec<decltype(d)>(d, form == GPUSORT_KEY_UINT32 || form == GPUSORT_KEY_UINT64, descending),
						keys, n);
}

bool
SortSmall32(GpusortKeyForm form, uint32_t *keys, uint32_t n, bool descending)
{
	return sort_form(form, (int32_t *) keys, n, descending);
}

bool
SortSmall64(GpusortKeyForm form, uint64_t *keys, uint32_t n, bool descending)
{
	return sort_form(form, (int64_t *) keys, n, descending);
}

void
Encode32(uint32_t *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		keys[i] = (uint32_t) Form<GPUSORT_KEY_FLOAT32>::encode(keys[i]);
}

void
Encode64(uint64_t *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		keys[i] = (uint64_t) Form<GPUSORT_KEY_FLOAT64>::encode(keys[i]);
}

void
Decode32(uint32_t *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		keys[i] = Form<GPUSORT_KEY_FLOAT32>::decode((int32_t) keys[i]);
}

void
Decode64(uint64_t *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		keys[i] = Form<GPUSORT_KEY_FLOAT64>::decode((int64_t) keys[i]);
}

template <GpusortKeyForm F>
HWY_INLINE void
pack_form(const uint32_t *keys, size_t n, uint32_t first, bool descending, int64_t *packed)
{
	uint32_t	invert = descending ? UINT32_MAX : 0;

	for (size_t i = 0; i < n; i++)
		packed[i] = (int64_t) ((uint64_t) ((uint32_t) Form<F>::encode_tied(keys[i]) ^ invert) << 32 | (first + (uint32_t) i));
}

void
Pack(GpusortKeyForm form, const uint32_t *keys, size_t n, uint32_t first, bool descending, int64_t *packed)
{
	OF_FORM(32, form, pack_form, keys, n, first, descending, packed);
}

template <GpusortKeyForm F>
HWY_INLINE void
pack_distances(const uint64_t *keys, size_t n, uint32_t first, const simd::DistancePacking &by, int64_t *packed)
{
	/* Local copies: the compiler knows that packed does not point to them. */
	const uint64_t first_code = by.first_code;
	const uint64_t invert = by.descending ? UINT64_MAX : 0;
	const int	position_bits = by.position_bits;
	const int	dropped_bits = by.dropped_bits;

	for (size_t i = 0; i < n; i++)
	{
		/* The difference of two complements is that of the codes with its sign reversed. */
		uint64_t	distance = ((uint64_t) Form<F>::encode_tied(keys[i]) ^ invert) - (first_code ^ invert);

		packed[i] = (int64_t) ((distance >> dropped_bits << position_bits | (first + (uint32_t) i)) ^ UINT64_C(1) << 63);
	}
}

void
PackDistances(GpusortKeyForm form, const uint64_t *keys, size_t n, uint32_t first,
			  const simd::DistancePacking &packing, int64_t *packed)
{
	OF_FORM(64, form, pack_distances, keys, n, first, packing, packed);
}

template <GpusortKeyForm F>
HWY_INLINE void
form_range(const typename Form<F>::Bits *keys, size_t n, typename Form<F>::Code *least, typename Form<F>::Code *greatest)
{
	typename Form<F>::Code lowest = Form<F>::encode_tied(keys[0]);
	typename Form<F>::Code highest = lowest;

	for (size_t i = 1; i < n; i++)
	{
		typename Form<F>::Code code = Form<F>::encode_tied(keys[i]);

		lowest = code < lowest ? code : lowest;
		highest = code > highest ? code : highest;
	}
	*least = lowest;
	*greatest = highest;
}

void
CodeRangeOfForm32(GpusortKeyForm form, const uint32_t *keys, size_t n, int32_t *least, int32_t *greatest)
{
	OF_FORM(32, form, form_range, keys, n, least, greatest);
}

void
CodeRangeOfForm64(GpusortKeyForm form, const uint64_t *keys, size_t n, int64_t *least, int64_t *greatest)
{
	OF_FORM(64, form, form_range, keys, n, least, greatest);
}

void
CodeRange16(const int16_t *codes, size_t n, int16_t *least, int16_t *greatest)
{
	form_range<GPUSORT_KEY_INT16>((const uint16_t *) codes, n, least, greatest);
}

void
CodeRange32(const int32_t *codes, size_t n, int32_t *least, int32_t *greatest)
{
	form_range<GPUSORT_KEY_INT32>((const uint32_t *) codes, n, least, greatest);
}

void
CodeRange64(const int64_t *codes, size_t n, int64_t *least, int64_t *greatest)
{
	form_range<GPUSORT_KEY_INT64>((const uint64_t *) codes, n, least, greatest);
}

template <GpusortKeyForm F>
HWY_INLINE void
finite_range_of(const typename Form<F>::Bits *keys, size_t n, typename Form<F>::Code *least, typename Form<F>::Code *greatest)
{
	using Code = typename Form<F>::Code;
	using Bits = typename Form<F>::Bits;
	constexpr Bits infinity = sizeof(Bits) == 4 ? (Bits) UINT32_C(0x7f800000) : (Bits) UINT64_C(0x7ff0000000000000);
	constexpr Code highest = (Code) ~Form<F>::sign;
	constexpr Code lowest = (Code) Form<F>::sign;
	Code		low = highest;
	Code		high = lowest;

	for (size_t i = 0; i < n; i++)
	{
		const bool	finite = (Code) (keys[i] & (Bits) ~Form<F>::sign) < (Code) infinity;
		const Code	code = Form<F>::encode(keys[i]);
		const Code	low_code = finite ? code : highest;
		const Code	high_code = finite ? code : lowest;

		low = low_code < low ? low_code : low;
		high = high_code > high ? high_code : high;
	}
	*least = low;
	*greatest = high;
}

void
FiniteRange32(const uint32_t *keys, size_t n, int32_t *least, int32_t *greatest)
{
	finite_range_of<GPUSORT_KEY_FLOAT32>(keys, n, least, greatest);
}

void
FiniteRange64(const uint64_t *keys, size_t n, int64_t *least, int64_t *greatest)
{
	finite_range_of<GPUSORT_KEY_FLOAT64>(keys, n, least, greatest);
}

template <GpusortKeyForm F>
HWY_INLINE void
find_intervals_of(const typename Form<F>::Bits *keys, size_t n, const GpusortProjection &by, uint32_t *intervals)
{
	/* A local copy: the compiler knows that intervals does not point to it. */
	const GpusortProjection projection = by;

	for (size_t i = 0; i < n; i++)
	{
		if constexpr (F == GPUSORT_KEY_FLOAT32)
		{
			float		x;

			memcpy(&x, &keys[i], sizeof(x));
			intervals[i] = gpusort_interval_of_float(&projection, x);
		}
		else if constexpr (F == GPUSORT_KEY_FLOAT64)
		{
			double		x;

			memcpy(&x, &keys[i], sizeof(x));
			intervals[i] = gpusort_interval_of_float(&projection, x);
		}
		else
			intervals[i] = gpusort_interval_of_code(&projection, gpusort_integer_code(F, keys[i]));
	}
}

void
FindIntervals16(GpusortKeyForm, const uint16_t *keys, size_t n, const GpusortProjection &projection, uint32_t *intervals)
{
	find_intervals_of<GPUSORT_KEY_INT16>(keys, n, projection, intervals);
}

void
FindIntervals32(GpusortKeyForm form, const uint32_t *keys, size_t n, const GpusortProjection &projection, uint32_t *intervals)
{
	OF_FORM(32, form, find_intervals_of, keys, n, projection, intervals);
}

void
FindIntervals64(GpusortKeyForm form, const uint64_t *keys, size_t n, const GpusortProjection &projection, uint32_t *intervals)
{
	OF_FORM(64, form, find_intervals_of, keys, n, projection, intervals);
}

/* The codec of a form of 32 or 64 bits. */
template <GpusortKeyForm F, class D>
using CodecOf = std::conditional_t<Form<F>::floating, FloatCodec<D>, IntegerCodec<D>>;

template <GpusortKeyForm F, class D>
HWY_INLINE CodecOf<F, D>
codec_of(D d, bool descending)
{
	return CodecOf<F, D>(d, F == GPUSORT_KEY_UINT32 || F == GPUSORT_KEY_UINT64, descending);
}

template <GpusortKeyForm F>
HWY_INLINE bool
form_in_order(const typename Form<F>::Bits *keys, size_t n, bool descending)
{
	using Code = typename Form<F>::Code;
	const Code	flip = descending ? -1 : 0;
	size_t		i = 0;

	if constexpr (!Form<F>::narrow)
	{
		const hn::CappedTag<Code, 64 / sizeof(Code)> d;
		constexpr size_t lanes = hn::MaxLanes(decltype(d)());
		const auto	codec = codec_of<F>(d, descending);

		for (; i + lanes < n; i += lanes)
		{
			const auto	here = codec.encode(d, hn::LoadU(d, (const Code *) keys + i));
			const auto	next = codec.encode(d, hn::LoadU(d, (const Code *) keys + i + 1));

			if (!hn::AllFalse(d, hn::Lt(next, here)))
				return false;
		}
	}
	for (; i + 1 < n; i++)
	{
		if ((Code) (Form<F>::encode(keys[i]) ^ flip) > (Code) (Form<F>::encode(keys[i + 1]) ^ flip))
			return false;
	}
	return true;
}

bool
InOrder16(GpusortKeyForm, const uint16_t *keys, size_t n, bool descending)
{
	return form_in_order<GPUSORT_KEY_INT16>(keys, n, descending);
}

bool
InOrder32(GpusortKeyForm form, const uint32_t *keys, size_t n, bool descending)
{
	return OF_FORM(32, form, form_in_order, keys, n, descending);
}

bool
InOrder64(GpusortKeyForm form, const uint64_t *keys, size_t n, bool descending)
{
	return OF_FORM(64, form, form_in_order, keys, n, descending);
}

/* Writes the code of a key.  Returns 1 if it comes before the threshold and is kept, else 0. */
template <bool with_positions, GpusortKeyForm F>
HWY_INLINE uint32_t
keep(typename Form<F>::Bits key, uint32_t position, typename Form<F>::Code flip,
	 typename Form<F>::Code threshold, typename Form<F>::Code *codes, uint32_t *positions)
{
	const auto	code = (typename Form<F>::Code) ((with_positions ? Form<F>::encode_tied(key) : Form<F>::encode(key)) ^ flip);

	*codes = code;
	if (with_positions)
		*positions = position;
	return code < threshold;
}

/* Filters a row of lanes at a time.  Nearly always none of them is kept. */
template <bool with_positions, GpusortKeyForm F>
HWY_INLINE uint32_t
filter_form(const typename Form<F>::Bits *keys, uint32_t n, uint32_t first, bool descending,
			typename Form<F>::Code threshold, typename Form<F>::Code *codes, uint32_t *positions)
{
	using Code = typename Form<F>::Code;
	const Code	flip = descending ? -1 : 0;
	uint32_t	kept = 0;
	uint32_t	i = 0;

	if constexpr (!Form<F>::narrow)
	{
		const hn::CappedTag<Code, 64 / sizeof(Code)> d;
		constexpr uint32_t lanes = hn::MaxLanes(decltype(d)());
		const auto	codec = codec_of<F>(d, descending);
		const auto	bound = hn::Set(d, threshold);

		for (; i + lanes <= n; i += lanes)
		{
			/*
			 * This codec keeps -0 and +0 apart.  With positions the threshold is
			 * never the code of -0.  So both zeros lie on the same side of it, with
			 * one exception: if the threshold is +0 in ascending order, -0 passes
			 * here.  keep() rejects it.
			 */
			if (hn::AllFalse(d, hn::Lt(codec.encode(d, hn::LoadU(d, (const Code *) keys + i)), bound)))
				continue;
			for (uint32_t lane = i; lane < i + lanes; lane++)
				kept += keep<with_positions, F>(keys[lane], first + lane, flip, threshold, codes + kept, positions + kept);
		}
	}
	for (; i < n; i++)
		kept += keep<with_positions, F>(keys[i], first + i, flip, threshold, codes + kept, positions + kept);
	return kept;
}

template <GpusortKeyForm F>
HWY_INLINE uint32_t
filter_any(const typename Form<F>::Bits *keys, uint32_t n, uint32_t first, bool descending,
		   typename Form<F>::Code threshold, typename Form<F>::Code *codes, uint32_t *positions)
{
	if (positions != nullptr)
		return filter_form<true, F>(keys, n, first, descending, threshold, codes, positions);
	return filter_form<false, F>(keys, n, first, descending, threshold, codes, positions);
}

uint32_t
Filter16(GpusortKeyForm, const uint16_t *keys, uint32_t n, uint32_t first, bool descending,
		 int16_t threshold, int16_t *codes, uint32_t *positions)
{
	return filter_any<GPUSORT_KEY_INT16>(keys, n, first, descending, threshold, codes, positions);
}

uint32_t
Filter32(GpusortKeyForm form, const uint32_t *keys, uint32_t n, uint32_t first, bool descending,
		 int32_t threshold, int32_t *codes, uint32_t *positions)
{
	return OF_FORM(32, form, filter_any, keys, n, first, descending, threshold, codes, positions);
}

uint32_t
Filter64(GpusortKeyForm form, const uint64_t *keys, uint32_t n, uint32_t first, bool descending,
		 int64_t threshold, int64_t *codes, uint32_t *positions)
{
	return OF_FORM(64, form, filter_any, keys, n, first, descending, threshold, codes, positions);
}

/* True if Highway's Compress is an instruction; else it has tables that GCC copies to the stack before each use. */
#undef HWY_TARGET_COMPRESSES
#define HWY_TARGET_COMPRESSES (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)

/*
 * Writes the lanes that are not outside, one behind the other.  Returns how many there are.
 * May write as many values as a row has lanes; those behind the last code mean nothing.
 */
template <class D, class V = hn::VFromD<D>, class M>
HWY_INLINE uint32_t
keep_inside(D d, V v, M outside, hn::TFromD<D> *codes)
{
	constexpr uint32_t lanes = hn::MaxLanes(D());
	uint32_t	kept = 0;

	if constexpr (HWY_TARGET_COMPRESSES && sizeof(hn::TFromD<D>) == 4)
	{
		hn::StoreU(hn::Compress(v, hn::Not(outside)), d, codes);
		kept = lanes - hn::CountTrue(d, outside);
	}
	else
	{
		HWY_ALIGN hn::TFromD<D> row[lanes];
		HWY_ALIGN hn::TFromD<D> flags[lanes];

		hn::Store(v, d, row);
		hn::Store(hn::VecFromMask(d, outside), d, flags);
		for (uint32_t lane = 0; lane < lanes; lane++)
		{
			codes[kept] = row[lane];
			kept += 1 + (int32_t) flags[lane];
		}
	}
	return kept;
}

template <GpusortKeyForm F>
HWY_INLINE uint32_t
between_form(const typename Form<F>::Bits *keys, uint32_t n, typename Form<F>::Code least,
			 typename Form<F>::Code greatest, typename Form<F>::Code *codes, uint32_t *less)
{
	using Code = typename Form<F>::Code;
	const hn::CappedTag<Code, 64 / sizeof(Code)> d;
	constexpr uint32_t lanes = hn::MaxLanes(decltype(d)());
	const auto	codec = codec_of<F>(d, false);
	const auto	low = hn::Set(d, least);
	const auto	high = hn::Set(d, greatest);
	uint32_t	kept = 0;
	uint32_t	below = 0;
	uint32_t	i = 0;

	for (; i + lanes <= n; i += lanes)
	{
		const auto	v = codec.encode(d, hn::LoadU(d, (const Code *) keys + i));
		const auto	under = hn::Lt(v, low);

		below += hn::CountTrue(d, under);
		kept += keep_inside(d, v, hn::Or(under, hn::Gt(v, high)), codes + kept);
	}
	for (; i < n; i++)
	{
		const Code	code = Form<F>::encode(keys[i]);

		below += code < least;
		codes[kept] = code;
		kept += code >= least && code <= greatest;
	}
	*less = below;
	return kept;
}

uint32_t
Between32(GpusortKeyForm form, const uint32_t *keys, uint32_t n, int32_t least, int32_t greatest, int32_t *codes, uint32_t *less)
{
	return OF_FORM(32, form, between_form, keys, n, least, greatest, codes, less);
}

uint32_t
Between64(GpusortKeyForm form, const uint64_t *keys, uint32_t n, int64_t least, int64_t greatest, int64_t *codes, uint32_t *less)
{
	return OF_FORM(64, form, between_form, keys, n, least, greatest, codes, less);
}

#undef OF_FORM
}
}
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpusort
{
HWY_EXPORT(SortSmall32);
HWY_EXPORT(SortSmall64);
HWY_EXPORT(InOrder16);
HWY_EXPORT(InOrder32);
HWY_EXPORT(InOrder64);
HWY_EXPORT(Encode32);
HWY_EXPORT(Encode64);
HWY_EXPORT(Decode32);
HWY_EXPORT(Decode64);
HWY_EXPORT(Pack);
HWY_EXPORT(PackDistances);
HWY_EXPORT(CodeRangeOfForm32);
HWY_EXPORT(CodeRangeOfForm64);
HWY_EXPORT(CodeRange16);
HWY_EXPORT(CodeRange32);
HWY_EXPORT(CodeRange64);
HWY_EXPORT(FiniteRange32);
HWY_EXPORT(FiniteRange64);
HWY_EXPORT(FindIntervals16);
HWY_EXPORT(FindIntervals32);
HWY_EXPORT(FindIntervals64);
HWY_EXPORT(Filter16);
HWY_EXPORT(Filter32);
HWY_EXPORT(Filter64);
HWY_EXPORT(Between32);
HWY_EXPORT(Between64);

namespace simd
{
/* A function that runs the kernel compiled for this CPU. */
#define DISPATCH(result, name, parameters, kernel, arguments) \
	result name parameters { return HWY_DYNAMIC_DISPATCH(kernel) arguments; }

DISPATCH(bool, sort_small, (GpusortKeyForm form, uint32_t *keys, uint32_t n, bool descending),
		 SortSmall32, (form, keys, n, descending))
DISPATCH(bool, sort_small, (GpusortKeyForm form, uint64_t *keys, uint32_t n, bool descending),
		 SortSmall64, (form, keys, n, descending))
DISPATCH(bool, in_order, (GpusortKeyForm form, const uint16_t *keys, size_t n, bool descending),
		 InOrder16, (form, keys, n, descending))
DISPATCH(bool, in_order, (GpusortKeyForm form, const uint32_t *keys, size_t n, bool descending),
		 InOrder32, (form, keys, n, descending))
DISPATCH(bool, in_order, (GpusortKeyForm form, const uint64_t *keys, size_t n, bool descending),
		 InOrder64, (form, keys, n, descending))
DISPATCH(void, encode, (uint32_t *keys, size_t n),
		 Encode32, (keys, n))
DISPATCH(void, encode, (uint64_t *keys, size_t n),
		 Encode64, (keys, n))
DISPATCH(void, decode, (uint32_t *keys, size_t n),
		 Decode32, (keys, n))
DISPATCH(void, decode, (uint64_t *keys, size_t n),
		 Decode64, (keys, n))
DISPATCH(void, pack, (GpusortKeyForm form, const uint32_t *keys, size_t n, uint32_t first, bool descending, int64_t *packed),
		 Pack, (form, keys, n, first, descending, packed))
DISPATCH(void, pack, (GpusortKeyForm form, const uint64_t *keys, size_t n, uint32_t first,
		 const DistancePacking &packing, int64_t *packed),
		 PackDistances, (form, keys, n, first, packing, packed))
DISPATCH(void, code_range, (GpusortKeyForm form, const uint32_t *keys, size_t n, int32_t *least, int32_t *greatest),
		 CodeRangeOfForm32, (form, keys, n, least, greatest))
DISPATCH(void, code_range, (GpusortKeyForm form, const uint64_t *keys, size_t n, int64_t *least, int64_t *greatest),
		 CodeRangeOfForm64, (form, keys, n, least, greatest))
DISPATCH(void, code_range, (const int16_t *codes, size_t n, int16_t *least, int16_t *greatest),
		 CodeRange16, (codes, n, least, greatest))
DISPATCH(void, code_range, (const int32_t *codes, size_t n, int32_t *least, int32_t *greatest),
		 CodeRange32, (codes, n, least, greatest))
DISPATCH(void, code_range, (const int64_t *codes, size_t n, int64_t *least, int64_t *greatest),
		 CodeRange64, (codes, n, least, greatest))
DISPATCH(uint32_t, filter, (GpusortKeyForm form, const uint16_t *keys, uint32_t n, uint32_t first,
		 bool descending, int16_t threshold, int16_t *codes, uint32_t *positions),
		 Filter16, (form, keys, n, first, descending, threshold, codes, positions))
DISPATCH(uint32_t, filter, (GpusortKeyForm form, const uint32_t *keys, uint32_t n, uint32_t first,
		 bool descending, int32_t threshold, int32_t *codes, uint32_t *positions),
		 Filter32, (form, keys, n, first, descending, threshold, codes, positions))
DISPATCH(uint32_t, filter, (GpusortKeyForm form, const uint64_t *keys, uint32_t n, uint32_t first,
		 bool descending, int64_t threshold, int64_t *codes, uint32_t *positions),
		 Filter64, (form, keys, n, first, descending, threshold, codes, positions))
DISPATCH(uint32_t, between, (GpusortKeyForm form, const uint32_t *keys, uint32_t n, int32_t least, int32_t greatest,
		 int32_t *codes, uint32_t *less),
		 Between32, (form, keys, n, least, greatest, codes, less))
DISPATCH(uint32_t, between, (GpusortKeyForm form, const uint64_t *keys, uint32_t n, int64_t least, int64_t greatest,
		 int64_t *codes, uint32_t *less),
		 Between64, (form, keys, n, least, greatest, codes, less))
DISPATCH(void, finite_range, (const uint32_t *keys, size_t n, int32_t *least, int32_t *greatest),
		 FiniteRange32, (keys, n, least, greatest))
DISPATCH(void, finite_range, (const uint64_t *keys, size_t n, int64_t *least, int64_t *greatest),
		 FiniteRange64, (keys, n, least, greatest))
DISPATCH(void, find_intervals, (GpusortKeyForm form, const uint16_t *keys, size_t n,
		 const GpusortProjection &projection, uint32_t *intervals),
		 FindIntervals16, (form, keys, n, projection, intervals))
DISPATCH(void, find_intervals, (GpusortKeyForm form, const uint32_t *keys, size_t n,
		 const GpusortProjection &projection, uint32_t *intervals),
		 FindIntervals32, (form, keys, n, projection, intervals))
DISPATCH(void, find_intervals, (GpusortKeyForm form, const uint64_t *keys, size_t n,
		 const GpusortProjection &projection, uint32_t *intervals),
		 FindIntervals64, (form, keys, n, projection, intervals))

#undef DISPATCH
}
}
#endif
