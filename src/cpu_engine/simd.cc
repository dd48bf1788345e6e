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

#include "cpu_engine/vector_unit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_engine/simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu_engine/forms.h"

/* True if loads and stores of only the first lanes touch no memory behind them, and Compress takes few instructions. */
#undef HWY_TARGET_IS_MASKING
#define HWY_TARGET_IS_MASKING (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2)

#include "cpu_engine/network-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gpusort
{
namespace HWY_NAMESPACE
{
/* A function whose first argument is a form, with keys of type Bits: it calls a function template with that form. */
#define BY_FORM(function) \
	[](GpusortKeyForm form, auto... arguments) HWY_ATTR { \
		return form == FormsOf<Bits>::floating ? function<FormsOf<Bits>::floating>(arguments...) : \
			form == FormsOf<Bits>::integer ? function<FormsOf<Bits>::integer>(arguments...) : \
			function<FormsOf<Bits>::natural>(arguments...); \
	}

template <typename Bits>
static bool
sort_small(GpusortKeyForm form, Bits *keys, uint32_t n, bool descending)
{
	using T = std::make_signed_t<Bits>;
	const hn::CappedTag<T, 64 / sizeof(T)> d;

	if (form == FormsOf<Bits>::floating)
		return sort_network(d, FloatCodec<decltype(d)>(d, false, descending), (T *) keys, n);
	return sort_network(d, IntegerCodec<decltype(d)>(d, form == FormsOf<Bits>::natural, descending), (T *) keys, n);
}

template <typename Bits>
static void
encode(Bits *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		keys[i] = (Bits) Form<FormsOf<Bits>::floating>::encode(keys[i]);
}

template <typename Bits>
static void
decode(Bits *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		keys[i] = Form<FormsOf<Bits>::floating>::decode((std::make_signed_t<Bits>) keys[i]);
}

template <GpusortKeyForm F>
HWY_INLINE void
pack_form(const uint32_t *keys, size_t n, uint32_t first, bool descending, int64_t *packed)
{
	uint32_t	invert = descending ? UINT32_MAX : 0;

	for (size_t i = 0; i < n; i++)
		packed[i] = (int64_t) ((uint64_t) ((uint32_t) Form<F>::encode_tied(keys[i]) ^ invert) << 32 | (first + (uint32_t) i));
}

template <GpusortKeyForm F>
HWY_INLINE void
pack_distances_of(const uint64_t *keys, size_t n, uint32_t first, const simd::DistancePacking *by, int64_t *packed)
{
	/* Local copies: the compiler knows that packed does not point to them. */
	const uint64_t first_code = by->first_code;
	const uint64_t invert = by->descending ? UINT64_MAX : 0;
	const int	position_bits = by->position_bits;
	const int	dropped_bits = by->dropped_bits;

	for (size_t i = 0; i < n; i++)
	{
		/* The difference of two complements is that of the codes with its sign reversed. */
		uint64_t	distance = ((uint64_t) Form<F>::encode_tied(keys[i]) ^ invert) - (first_code ^ invert);

		packed[i] = (int64_t) ((distance >> dropped_bits << position_bits | (first + (uint32_t) i)) ^ UINT64_C(1) << 63);
	}
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

template <typename Bits>
static void
finite_range(const Bits *keys, size_t n, std::make_signed_t<Bits> *least, std::make_signed_t<Bits> *greatest)
{
	using Code = std::make_signed_t<Bits>;
	using KeyForm = Form<FormsOf<Bits>::floating>;
	constexpr Bits infinity = sizeof(Bits) == 4 ? (Bits) UINT32_C(0x7f800000) : (Bits) UINT64_C(0x7ff0000000000000);
	constexpr Code highest = (Code) ~KeyForm::sign;
	constexpr Code lowest = (Code) KeyForm::sign;
	Code		low = highest;
	Code		high = lowest;

	for (size_t i = 0; i < n; i++)
	{
		const bool	finite = (Code) (keys[i] & (Bits) ~KeyForm::sign) < (Code) infinity;
		const Code	code = KeyForm::encode(keys[i]);
		const Code	low_code = finite ? code : highest;
		const Code	high_code = finite ? code : lowest;

		low = low_code < low ? low_code : low;
		high = high_code > high ? high_code : high;
	}
	*least = low;
	*greatest = high;
}

template <GpusortKeyForm F>
HWY_INLINE void
find_intervals_of(const typename Form<F>::Bits *keys, size_t n, const GpusortProjection *by, uint32_t *intervals)
{
	/* A local copy: the compiler knows that intervals does not point to it. */
	const GpusortProjection projection = *by;

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

	if constexpr (HWY_TARGET_IS_MASKING)
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

template <typename Code>
static void
find_bins(const Code *codes, size_t n, Code least, int shift, uint16_t *bins)
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
static void
scatter(const Code *codes, const uint16_t *bins, size_t n, const simd::Scattering<Code> &to)
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

template <typename Bits>
static simd::Kernels<Bits>
make_kernels()
{
	simd::Kernels<Bits> kernels = {};

	kernels.in_order = BY_FORM(form_in_order);
	kernels.key_range = BY_FORM(form_range);
	kernels.find_intervals = BY_FORM(find_intervals_of);
	kernels.find_bins = find_bins<std::make_signed_t<Bits>>;
	kernels.scatter = scatter<std::make_signed_t<Bits>>;
	kernels.filter = BY_FORM(filter_any);
	if constexpr (sizeof(Bits) >= sizeof(uint32_t))
	{
		kernels.sort_small = sort_small<Bits>;
		kernels.encode = encode<Bits>;
		kernels.decode = decode<Bits>;
		kernels.finite_range = finite_range<Bits>;
		kernels.between = BY_FORM(between_form);
	}
	if constexpr (sizeof(Bits) == sizeof(uint32_t))
		kernels.pack = BY_FORM(pack_form);
	if constexpr (sizeof(Bits) == sizeof(uint64_t))
		kernels.pack_distances = BY_FORM(pack_distances_of);
	return kernels;
}

/* What Highway picks from: functions that are no templates. */
simd::Kernels<uint16_t> Kernels16() { return make_kernels<uint16_t>(); }
simd::Kernels<uint32_t> Kernels32() { return make_kernels<uint32_t>(); }
simd::Kernels<uint64_t> Kernels64() { return make_kernels<uint64_t>(); }
}
}
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpusort
{
namespace simd
{
template <> Kernels<uint16_t> Kernels<uint16_t>::best = {};
template <> Kernels<uint32_t> Kernels<uint32_t>::best = {};
template <> Kernels<uint64_t> Kernels<uint64_t>::best = {};

void
pick_kernels()
{
	Kernels<uint16_t>::best = GPUSORT_BEST_FORM(Kernels16)();
	Kernels<uint32_t>::best = GPUSORT_BEST_FORM(Kernels32)();
	Kernels<uint64_t>::best = GPUSORT_BEST_FORM(Kernels64)();
}
}
}
#endif
