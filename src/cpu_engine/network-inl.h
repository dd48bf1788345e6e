/*
 * network-inl.h
 *	  Bitonic sorting networks in vector registers, for one target of simd.cc.
 *
 * Included once per target, so the include guard toggles.  A network sorts keys in a power
 * of two of registers, each a row of lanes: first every register by itself, then by merges
 * of more and more registers.  A merge first compares mirrored places, which leaves two
 * bitonic halves.  Then it compares places at half the distance, and so on down to
 * neighboring lanes.  Every compare-exchange puts the lesser key first.
 */
#if defined(GPUSORT_NETWORK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GPUSORT_NETWORK_INL_H
#undef GPUSORT_NETWORK_INL_H
#else
#define GPUSORT_NETWORK_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace gpusort
{
namespace HWY_NAMESPACE
{
namespace hn = hwy::HWY_NAMESPACE;

/* Turns integer keys into codes and back, by an exclusive or. */
template <class D>
struct IntegerCodec
{
	hn::VFromD<D> flip;

	IntegerCodec(D d, bool is_unsigned, bool descending)
		: flip(hn::Set(d, (hn::TFromD<D>) ((is_unsigned ? hwy::LimitsMin<hn::TFromD<D>>() : 0) ^
										   (descending ? hn::TFromD<D>(-1) : 0))))
	{
	}

	HWY_INLINE hn::VFromD<D>
	encode(D, hn::VFromD<D> v) const
	{
		return hn::Xor(v, flip);
	}

	HWY_INLINE hn::VFromD<D>
	decode(D, hn::VFromD<D> v) const
	{
		return hn::Xor(v, flip);
	}
};

/* Turns float keys into codes and back.  All NaNs get one code; negative values are inverted except for their sign. */
template <class D>
struct FloatCodec
{
	using T = hn::TFromD<D>;
	static constexpr T infinity = sizeof(T) == 4 ? (T) 0x7f800000 : (T) INT64_C(0x7ff0000000000000);
	static constexpr T not_a_number = sizeof(T) == 4 ? (T) 0x7fc00000 : (T) INT64_C(0x7ff8000000000000);

	hn::VFromD<D> flip;

	FloatCodec(D d, bool, bool descending)
		: flip(hn::Set(d, descending ? T(-1) : T(0)))
	{
	}

	static HWY_INLINE hn::VFromD<D>
	order(D d, hn::VFromD<D> v)
	{
		return hn::Xor(v, hn::And(hn::BroadcastSignBit(v), hn::Set(d, hwy::LimitsMax<T>())));
	}

	HWY_INLINE hn::VFromD<D>
	encode(D d, hn::VFromD<D> v) const
	{
		const auto	magnitude = hn::And(v, hn::Set(d, hwy::LimitsMax<T>()));

		v = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, infinity)), hn::Set(d, not_a_number), v);
		return hn::Xor(order(d, v), flip);
	}

	HWY_INLINE hn::VFromD<D>
	decode(D d, hn::VFromD<D> v) const
	{
		return order(d, hn::Xor(v, flip));
	}
};

#if HWY_TARGET == HWY_SCALAR

/* A network needs more than one lane. */
template <class D, class Codec>
HWY_INLINE bool
sort_network(D, const Codec &, hn::TFromD<D> *, size_t)
{
	return false;
}

#else

/* The most registers of a network: all that AVX2 has, and half of those of AVX-512. */
constexpr int NETWORK_REGISTERS = 16;

/* Lane i of the result is lane i ^ distance of the argument.  distance is a power of two. */
template <size_t distance, class D, class V = hn::VFromD<D>>
HWY_INLINE V
exchange_lanes(D d, V v)
{
	constexpr size_t bytes = distance * sizeof(hn::TFromD<D>);

	if constexpr (bytes == 4)
		return hn::Shuffle2301(v);
	else if constexpr (bytes == 8 && sizeof(hn::TFromD<D>) == 4)
		return hn::Shuffle1032(v);
	else if constexpr (bytes == 8)
		return hn::Shuffle01(v);
	else if constexpr (bytes == 16 && hn::MaxLanes(D()) > 2 * distance)
		return hn::SwapAdjacentBlocks(v);
	else
		return hn::ConcatLowerUpper(d, v, v);
}

/* Lane i of the result is lane i ^ (size - 1) of the argument: each group of size lanes is reversed. */
template <size_t size, class D, class V = hn::VFromD<D>>
HWY_INLINE V
mirror_lanes(D d, V v)
{
	if constexpr (size == hn::MaxLanes(D()))
		return hn::Reverse(d, v);
	else if constexpr (size == 2)
		return exchange_lanes<1>(d, v);
	else if constexpr (size == 4)
		return hn::Reverse4(d, v);
	else
		return hn::Reverse8(d, v);
}

/* Compares each lane with its partner.  Lanes whose number has the bit keep the greater key. */
template <size_t bit, class D, class V = hn::VFromD<D>>
HWY_INLINE V
compare_lanes(D d, V v, V partner)
{
	const hn::RebindToUnsigned<D> du;
	const auto	lane_bit = hn::And(hn::Iota(du, 0), hn::Set(du, bit));
	const auto	upper = hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(du, hn::Eq(lane_bit, hn::Set(du, bit)))));

	return hn::IfThenElse(upper, hn::Max(v, partner), hn::Min(v, partner));
}

/* Finishes merging within each register: distances from the given one down. */
template <size_t distance, int registers, class D, class V = hn::VFromD<D>>
HWY_INLINE void
merge_lanes(D d, V (&v)[registers])
{
	if constexpr (distance > 0)
	{
		for (int i = 0; i < registers; i++)
			v[i] = compare_lanes<distance>(d, v[i], exchange_lanes<distance>(d, v[i]));
		merge_lanes<distance / 2>(d, v);
	}
}

/* Sorts groups of size lanes whose halves are sorted, then larger ones, up to whole registers. */
template <size_t size, int registers, class D, class V = hn::VFromD<D>>
HWY_INLINE void
sort_lanes(D d, V (&v)[registers])
{
	if constexpr (size <= hn::MaxLanes(D()))
	{
		for (int i = 0; i < registers; i++)
			v[i] = compare_lanes<size / 2>(d, v[i], mirror_lanes<size>(d, v[i]));
		merge_lanes<size / 4>(d, v);
		sort_lanes<2 * size>(d, v);
	}
}

/* Merges sorted groups of `half` registers into groups twice as long, and so on up to all registers. */
template <int half, int registers, class D, class V = hn::VFromD<D>>
HWY_INLINE void
merge_registers(D d, V (&v)[registers])
{
	if constexpr (half < registers)
	{
		for (int run = 0; run < registers; run += 2 * half)
		{
			V			mirrored[half];

			/* The upper half is left in reverse order, which is just as bitonic. */
			for (int i = 0; i < half; i++)
				mirrored[i] = hn::Reverse(d, v[run + 2 * half - 1 - i]);
			for (int i = 0; i < half; i++)
			{
				V			lower = v[run + i];

				v[run + i] = hn::Min(lower, mirrored[i]);
				v[run + half + i] = hn::Max(lower, mirrored[i]);
			}
		}
		for (int distance = half / 2; distance > 0; distance /= 2)
		{
			for (int i = 0; i < registers; i++)
			{
				if ((i & distance) == 0)
				{
					V			lower = v[i];

					v[i] = hn::Min(lower, v[i + distance]);
					v[i + distance] = hn::Max(lower, v[i + distance]);
				}
			}
		}
		merge_lanes<hn::MaxLanes(D()) / 2>(d, v);
		merge_registers<2 * half>(d, v);
	}
}

/* The codes of the first count keys, at least 1, and the greatest code in the lanes behind them. */
template <class D, class Codec>
HWY_INLINE hn::VFromD<D>
load_codes(D d, const Codec &codec, const hn::TFromD<D> *keys, size_t count)
{
	const auto	greatest = hn::Set(d, hwy::LimitsMax<hn::TFromD<D>>());
	const auto	present = hn::FirstN(d, count);

#if HWY_TARGET_IS_MASKING
	return hn::IfThenElse(present, codec.encode(d, hn::MaskedLoad(present, d, keys)), greatest);
#else
	HWY_ALIGN hn::TFromD<D> copy[hn::MaxLanes(D())] = {};

	for (size_t i = 0; i < count; i++)
		copy[i] = keys[i];
	return hn::IfThenElse(present, codec.encode(d, hn::Load(d, copy)), greatest);
#endif
}

template <class D>
HWY_INLINE void
store_first(D d, hn::VFromD<D> v, hn::TFromD<D> *keys, size_t count)
{
#if HWY_TARGET_IS_MASKING
	hn::BlendedStore(v, hn::FirstN(d, count), d, keys);
#else
	HWY_ALIGN hn::TFromD<D> copy[hn::MaxLanes(D())];

	hn::Store(v, d, copy);
	for (size_t i = 0; i < count; i++)
		keys[i] = copy[i];
#endif
}

/* Sorts n keys that fit the registers. */
template <int registers, class D, class Codec>
HWY_NOINLINE void
sort_registers(D d, const Codec &codec, hn::TFromD<D> *keys, size_t n)
{
	constexpr size_t lanes = hn::MaxLanes(D());
	const auto	greatest = hn::Set(d, hwy::LimitsMax<hn::TFromD<D>>());
	hn::VFromD<D> v[registers];

	for (int i = 0; i < registers; i++)
	{
		if ((i + 1) * lanes <= n)
			v[i] = codec.encode(d, hn::LoadU(d, keys + i * lanes));
		else if (i * lanes < n)
			v[i] = load_codes(d, codec, keys + i * lanes, n - i * lanes);
		else
			v[i] = greatest;
	}
	sort_lanes<2>(d, v);
	merge_registers<1>(d, v);
	for (int i = 0; i < registers; i++)
	{
		if ((i + 1) * lanes <= n)
			hn::StoreU(codec.decode(d, v[i]), d, keys + i * lanes);
		else if (i * lanes < n)
			store_first(d, codec.decode(d, v[i]), keys + i * lanes, n - i * lanes);
	}
}

template <class D, class Codec>
HWY_INLINE bool
sort_network(D d, const Codec &codec, hn::TFromD<D> *keys, size_t n)
{
	constexpr size_t lanes = hn::MaxLanes(D());

	if (n <= lanes)
		sort_registers<1>(d, codec, keys, n);
	else if (n <= 2 * lanes)
		sort_registers<2>(d, codec, keys, n);
	else if (n <= 4 * lanes)
		sort_registers<4>(d, codec, keys, n);
	else if (n <= 8 * lanes)
		sort_registers<8>(d, codec, keys, n);
	else if (n <= NETWORK_REGISTERS * lanes)
		sort_registers<NETWORK_REGISTERS>(d, codec, keys, n);
	else
		return false;
	return true;
}

#endif
}
}
HWY_AFTER_NAMESPACE();

#endif
