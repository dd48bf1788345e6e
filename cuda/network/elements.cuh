/*
 * elements.cuh
 *	  What the networks sort: one policy per width of key and kind of payload.
 *
 *	  Keys32		a 32-bit code
 *	  Floats32		a 32-bit float as it is
 *	  Keys16		a 16-bit code
 *	  Keys64		a 64-bit code
 *	  Pairs16		16-bit code and position in 32 bits
 *	  Pairs32		32-bit code and position in 48 bits
 *	  Pairs64		64-bit code beside a position
 *
 * Pairs sort by (code, position): positions differ, so every network is stable on
 * them, and the payload is gathered through the positions at the end.  Segments
 * have at most 2^16 keys here.
 *
 * A comparator's cost is its instructions on the integer pipe, which has half the
 * rate of the scheduler; so part of the work goes to the multiplier, which has a
 * pipe of its own: the maximum as a + b - minimum by two multiply-adds, a
 * conditional move by a predicated multiplication.  The multipliers 1 and -1 are
 * kernel arguments, for literals would be folded back into integer instructions.
 * Most comparators are assembly, or the compiler would spend a fifth of its time on
 * looking through their chains of minima.
 *
 * Plain names an element that sorts the same keys without codes, except NaNs: what can
 * use it does, and sorts with codes once it meets one.  Elements BY_ROW are read and written
 * as they are; code_row makes of a row what is sorted, and the keys of it.
 */
#ifndef GPUSORT_NETWORK_ELEMENTS_CUH
#define GPUSORT_NETWORK_ELEMENTS_CUH

#include <type_traits>

#include "network/coding.cuh"

namespace gpusort
{

/* Multipliers that the compiler cannot see through. */
struct NetworkFactors {
    uint32_t one;
    uint32_t minus_one;
};

/*
 * Whether negative NaNs came to the wrong end of the row, of which the first and the last
 * code are given; if so they change into one positive NaN.
 */
template <class Code, int ROW>
__device__ __forceinline__ bool mend_row(Code (&row)[ROW], Code first, Code last, const NetworkCoding &coding)
{
    constexpr Code INFINITE = sizeof(Code) == 4 ? Code(0xff800000) : Code(UINT64_C(0xfff0000000000000));
    constexpr Code NOT_A_NUMBER = sizeof(Code) == 4 ? Code(0xffc00000) : Code(UINT64_C(0xfff8000000000000));

    if (!coding.is_float || (coding.descending ? last <= INFINITE : first >= Code(~INFINITE)))
        return false;
#pragma unroll
    for (int i = 0; i < ROW; i++) {
        const Code code = coding.descending ? ~row[i] : row[i];

        if (code < Code(~INFINITE))
            row[i] = coding.descending ? Code(~NOT_A_NUMBER) : NOT_A_NUMBER;
    }
    return true;
}

template <int MULTIPLIED>
struct Floats32Of;

/* MULTIPLIED: of six comparators, how many take the maximum by multiplication. */
template <int MULTIPLIED>
struct Keys32Of {
    using Key = uint32_t;
    using Code = uint32_t;
    using Plain = Floats32Of<MULTIPLIED>;
    static constexpr bool PAIRS = false;
    static constexpr bool SHUFFLES = true;
    static constexpr bool MENDS = true;
    static constexpr bool BY_ROW = false;

    static __device__ __forceinline__ Key first(const NetworkCoding &coding)
    {
        return coding.first_high;
    }

    static __device__ __forceinline__ Key last(const NetworkCoding &coding)
    {
        return coding.last_high;
    }

    static __device__ __forceinline__ Code make(const NetworkCoding &coding, Key bits, uint32_t)
    {
        return code_of(coding, bits);
    }

    static __device__ __forceinline__ Key key(const NetworkCoding &coding, Code code)
    {
        return key_of(coding, code);
    }

    template <int INDEX>
    static __device__ __forceinline__ void exchange(Code &low, Code &high, const NetworkFactors &factors)
    {
        const uint32_t a = low;

        if (INDEX % 6 < MULTIPLIED)
            asm("min.u32 %0, %2, %1;\n\t"
                "mad.lo.u32 %1, %2, %3, %1;\n\t"
                "mad.lo.u32 %1, %0, %4, %1;"
                : "=&r"(low), "+r"(high)
                : "r"(a), "r"(factors.one), "r"(factors.minus_one));
        else
            asm("min.u32 %0, %2, %1;\n\t"
                "max.u32 %1, %2, %1;"
                : "=&r"(low), "+r"(high)
                : "r"(a));
    }

    /* mine := the smaller of mine and other, or with upper the larger. */
    static __device__ __forceinline__ void keep(Code &mine, Code other, bool upper, const NetworkFactors &factors)
    {
        asm("{\n\t.reg .pred up, take;\n\t"
            "setp.ne.u32 up, %2, 0;\n\t"
            "setp.lt.xor.u32 take, %1, %0, up;\n\t"
            "@take mul.lo.u32 %0, %1, %3;\n\t}"
            : "+r"(mine)
            : "r"(other), "r"(uint32_t(upper)), "r"(factors.one));
    }
};

/* The devices on which minima can pass NaNs on. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr bool PLAIN_FLOATS = true;
#else
constexpr bool PLAIN_FLOATS = false;
#endif

/*
 * Minimum and maximum order -0 below +0.  A NaN comes out as the least key of its row,
 * whatever becomes of the others.
 */
template <int MULTIPLIED>
struct Floats32Of : Keys32Of<MULTIPLIED> {
    using Code = uint32_t;
    using Key = uint32_t;
    using Plain = void;
    static constexpr bool MENDS = false;
    static constexpr bool BY_ROW = true;

    static __device__ __forceinline__ Key first(const NetworkCoding &coding)
    {
        return coding.descending ? UINT32_C(0x7f800000) : UINT32_C(0xff800000);
    }

    static __device__ __forceinline__ Key last(const NetworkCoding &coding)
    {
        return coding.descending ? UINT32_C(0xff800000) : UINT32_C(0x7f800000);
    }

    static __device__ __forceinline__ Code make(const NetworkCoding &, Key bits, uint32_t)
    {
        return bits;
    }

    static __device__ __forceinline__ Key key(const NetworkCoding &, Code code)
    {
        return code;
    }

    /* Turns keys into what is sorted upwards, or back. */
    template <bool BACK, int ROW>
    static __device__ __forceinline__ void code_row(Code (&row)[ROW], const NetworkCoding &coding)
    {
        if (coding.descending) {
#pragma unroll
            for (int i = 0; i < ROW; i++)
                row[i] ^= UINT32_C(0x80000000);
        }
    }

    template <int ROW>
    static __device__ __forceinline__ bool has_nan(const Code (&sorted)[ROW])
    {
        return isnan(__uint_as_float(sorted[0]));
    }

    template <int INDEX>
    static __device__ __forceinline__ void exchange(Code &low, Code &high, const NetworkFactors &factors)
    {
        const uint32_t a = low;

        if (INDEX % 6 < MULTIPLIED)
            asm("min.NaN.f32 %0, %2, %1;\n\t"
                "mad.lo.u32 %1, %2, %3, %1;\n\t"
                "mad.lo.u32 %1, %0, %4, %1;"
                : "=&r"(low), "+r"(high)
                : "r"(a), "r"(factors.one), "r"(factors.minus_one));
        else
            asm("min.NaN.f32 %0, %2, %1;\n\t"
                "max.f32 %1, %2, %1;"
                : "=&r"(low), "+r"(high)
                : "r"(a));
    }

    /* Two instructions, for equal zeros may differ: one comparison does not tell both lanes which to take. */
    static __device__ __forceinline__ void keep(Code &mine, Code other, bool upper, const NetworkFactors &)
    {
        const float a = __uint_as_float(mine), b = __uint_as_float(other);

        mine = __float_as_uint(upper ? fmaxf(a, b) : fminf(a, b));
    }
};

template <class Element>
constexpr bool compares_floats = false;

template <int MULTIPLIED>
constexpr bool compares_floats<Floats32Of<MULTIPLIED>> = true;

/* 16-bit keys as 32-bit codes. */
template <int MULTIPLIED>
struct Keys16Of : Keys32Of<MULTIPLIED> {
    using Code = uint32_t;
    using Key = uint16_t;
    using Plain = void;
    static constexpr bool MENDS = false;

    static __device__ __forceinline__ Key first(const NetworkCoding &coding)
    {
        return Key(coding.first_high);
    }

    static __device__ __forceinline__ Key last(const NetworkCoding &coding)
    {
        return Key(coding.last_high);
    }

    static __device__ __forceinline__ Code make(const NetworkCoding &coding, Key bits, uint32_t)
    {
        return (uint32_t(bits) ^ coding.low_offset ^ 0x8000) & 0xffff;
    }

    static __device__ __forceinline__ Key key(const NetworkCoding &coding, Code code)
    {
        return Key(code ^ coding.low_offset ^ 0x8000);
    }
};

template <int MULTIPLIED>
struct Pairs16Of : Keys32Of<MULTIPLIED> {
    using Code = uint32_t;
    using Key = uint16_t;
    using Plain = void;
    static constexpr bool PAIRS = true;
    static constexpr bool MENDS = false;

    static __device__ __forceinline__ Key last(const NetworkCoding &coding)
    {
        return Key(coding.last_high);
    }

    static __device__ __forceinline__ Code make(const NetworkCoding &coding, Key bits, uint32_t position)
    {
        return (uint32_t(bits) << 16 ^ ((coding.high_offset ^ coding.low_offset) & UINT32_C(0x80000000)) ^
                coding.low_offset << 16) |
               position;
    }

    static __device__ __forceinline__ uint32_t position(Code code)
    {
        return code & 0xffff;
    }
};

struct Keys64 {
    using Key = uint64_t;
    using Code = uint64_t;
    using Plain = void;
    static constexpr bool PAIRS = false;
    static constexpr bool SHUFFLES = true;
    static constexpr bool MENDS = true;
    static constexpr bool BY_ROW = false;

    static __device__ __forceinline__ Key first(const NetworkCoding &coding)
    {
        return uint64_t(coding.first_high) << 32 | coding.first_low;
    }

    static __device__ __forceinline__ Key last(const NetworkCoding &coding)
    {
        return uint64_t(coding.last_high) << 32 | coding.last_low;
    }

    static __device__ __forceinline__ Code make(const NetworkCoding &coding, Key bits, uint32_t)
    {
        return code_of(coding, bits);
    }

    static __device__ __forceinline__ Key key(const NetworkCoding &coding, Code code)
    {
        return key_of(coding, code);
    }

    template <int INDEX>
    static __device__ __forceinline__ void exchange(Code &low, Code &high, const NetworkFactors &factors)
    {
        uint32_t a0 = uint32_t(low), a1 = uint32_t(low >> 32);
        uint32_t b0 = uint32_t(high), b1 = uint32_t(high >> 32);
        uint32_t low0, low1;

        asm("{\n\t.reg .pred swap;\n\t.reg .b64 a, b;\n\t"
            "mov.b64 a, {%4, %5};\n\t"
            "mov.b64 b, {%2, %3};\n\t"
            "setp.gt.u64 swap, a, b;\n\t"
            "selp.b32 %0, %2, %4, swap;\n\t"
            "selp.b32 %1, %3, %5, swap;\n\t"
            "@swap mul.lo.u32 %2, %4, %6;\n\t"
            "@swap mul.lo.u32 %3, %5, %6;\n\t}"
            : "=&r"(low0), "=&r"(low1), "+r"(b0), "+r"(b1)
            : "r"(a0), "r"(a1), "r"(factors.one));
        low = uint64_t(low1) << 32 | low0;
        high = uint64_t(b1) << 32 | b0;
    }

    static __device__ __forceinline__ void keep(Code &mine, Code other, bool upper, const NetworkFactors &factors)
    {
        uint32_t mine0 = uint32_t(mine), mine1 = uint32_t(mine >> 32);

        asm("{\n\t.reg .pred up, take;\n\t.reg .b64 a, b;\n\t"
            "setp.ne.u32 up, %4, 0;\n\t"
            "mov.b64 a, {%0, %1};\n\t"
            "mov.b64 b, {%2, %3};\n\t"
            "setp.lt.xor.u64 take, b, a, up;\n\t"
            "@take mul.lo.u32 %0, %2, %5;\n\t"
            "@take mul.lo.u32 %1, %3, %5;\n\t}"
            : "+r"(mine0), "+r"(mine1)
            : "r"(uint32_t(other)), "r"(uint32_t(other >> 32)), "r"(uint32_t(upper)), "r"(factors.one));
        mine = uint64_t(mine1) << 32 | mine0;
    }
};

/* Keys64 in a warp: codes are made of whole rows, for those of integers cost less. */
struct WarpKeys64 : Keys64 {
    static constexpr bool BY_ROW = true;

    static __device__ __forceinline__ Code make(const NetworkCoding &, Key bits, uint32_t)
    {
        return bits;
    }

    static __device__ __forceinline__ Key key(const NetworkCoding &, Code code)
    {
        return code;
    }

    template <bool BACK, int ROW>
    static __device__ __forceinline__ void code_row(Code (&row)[ROW], const NetworkCoding &coding)
    {
        if (coding.is_float) {
#pragma unroll
            for (int i = 0; i < ROW; i++)
                row[i] = BACK ? key_of(coding, row[i]) : code_of(coding, row[i]);
        } else {
#pragma unroll
            for (int i = 0; i < ROW; i++)
                row[i] = code_of_integer(coding, row[i]);
        }
    }
};

/* Where double precision runs at full rate. */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
constexpr bool FAST_DOUBLES = true;
#else
constexpr bool FAST_DOUBLES = false;
#endif

/*
 * Codes of 48 bits are subnormal numbers, ordered as the integers are, and their sums are
 * exact: with fast doubles those take most of a comparator.
 */
struct Pairs32 : Keys64 {
    using Key = uint32_t;
    static constexpr bool PAIRS = true;
    static constexpr bool MENDS = false;

    static __device__ __forceinline__ Key last(const NetworkCoding &coding)
    {
        return coding.last_high;
    }

    static __device__ __forceinline__ Code make(const NetworkCoding &coding, Key bits, uint32_t position)
    {
        return uint64_t(code_of(coding, coding.is_float ? canonical(bits) : bits)) << 16 | position;
    }

    static __device__ __forceinline__ uint32_t position(Code code)
    {
        return uint32_t(code) & 0xffff;
    }

    template <int INDEX>
    static __device__ __forceinline__ void exchange(Code &low, Code &high, const NetworkFactors &factors)
    {
        if constexpr (FAST_DOUBLES) {
            asm("{\n\t.reg .pred swap;\n\t.reg .f64 smaller, sum;\n\t"
                "setp.gt.f64 swap, %0, %1;\n\t"
                "selp.f64 smaller, %1, %0, swap;\n\t"
                "add.rn.f64 sum, %0, %1;\n\t"
                "sub.rn.f64 %1, sum, smaller;\n\t"
                "mov.b64 %0, smaller;\n\t}"
                : "+l"(low), "+l"(high));
        } else
            Keys64::exchange<INDEX>(low, high, factors);
    }

    /* By words, as of Keys64, it would tear the pairs of registers apart that doubles need. */
    static __device__ __forceinline__ void keep(Code &mine, Code other, bool upper, const NetworkFactors &)
    {
        asm("{\n\t.reg .pred up, take;\n\t"
            "setp.ne.u32 up, %2, 0;\n\t"
            "setp.lt.xor.u64 take, %1, %0, up;\n\t"
            "selp.b64 %0, %1, %0, take;\n\t}"
            : "+l"(mine)
            : "l"(other), "r"(uint32_t(upper)));
    }
};

/*
 * Pairs32 in a warp.  A comparison in double precision spares the integer pipe, but wants
 * codes in aligned pairs of registers, to which those that come round a loop must be moved:
 * so only FEW levels use it, which are unrolled.
 */
template <bool FEW>
struct WarpPairs32 : Pairs32 {
    template <int INDEX>
    static __device__ __forceinline__ void exchange(Code &low, Code &high, const NetworkFactors &factors)
    {
        if constexpr (FEW && FAST_DOUBLES) {
            double smaller, larger = __longlong_as_double(high);

            asm("{\n\t.reg .pred swap;\n\t.reg .b32 a0, a1, b0, b1;\n\t"
                "setp.gt.f64 swap, %2, %1;\n\t"
                "selp.f64 %0, %1, %2, swap;\n\t"
                "mov.b64 {a0, a1}, %2;\n\t"
                "mov.b64 {b0, b1}, %1;\n\t"
                "selp.b32 b0, a0, b0, swap;\n\t"
                "@swap mul.lo.u32 b1, a1, %3;\n\t"
                "mov.b64 %1, {b0, b1};\n\t}"
                : "=&d"(smaller), "+d"(larger)
                : "d"(__longlong_as_double(low)), "r"(factors.one));
            low = __double_as_longlong(smaller);
            high = __double_as_longlong(larger);
        } else
            Keys64::exchange<INDEX>(low, high, factors);
    }

    static __device__ __forceinline__ void keep(Code &mine, Code other, bool upper, const NetworkFactors &factors)
    {
        if constexpr (FEW && FAST_DOUBLES) {
            double kept = __longlong_as_double(mine);

            asm("{\n\t.reg .pred up, take;\n\t"
                "setp.ne.u32 up, %2, 0;\n\t"
                "setp.lt.xor.f64 take, %1, %0, up;\n\t"
                "selp.f64 %0, %1, %0, take;\n\t}"
                : "+d"(kept)
                : "d"(__longlong_as_double(other)), "r"(uint32_t(upper)));
            mine = __double_as_longlong(kept);
        } else
            Keys64::keep(mine, other, upper, factors);
    }
};

struct Pairs64 {
    using Key = uint64_t;
    struct alignas(16) Code {
        uint64_t code;
        uint32_t position;
        uint32_t unused;
    };
    using Plain = void;
    static constexpr bool PAIRS = true;
    static constexpr bool SHUFFLES = false;
    static constexpr bool MENDS = false;
    static constexpr bool BY_ROW = false;

    static __device__ __forceinline__ Key last(const NetworkCoding &coding)
    {
        return uint64_t(coding.last_high) << 32 | coding.last_low;
    }

    static __device__ __forceinline__ Code make(const NetworkCoding &coding, Key bits, uint32_t position)
    {
        return {code_of(coding, coding.is_float ? canonical(bits) : bits), position, 0};
    }

    static __device__ __forceinline__ uint32_t position(const Code &code)
    {
        return code.position;
    }

    static __device__ __forceinline__ bool less(const Code &a, const Code &b)
    {
        return a.code < b.code || (a.code == b.code && a.position < b.position);
    }

    template <int INDEX>
    static __device__ __forceinline__ void exchange(Code &low, Code &high, const NetworkFactors &)
    {
        const bool swap = less(high, low);
        const Code a = low, b = high;

        low.code = swap ? b.code : a.code;
        low.position = swap ? b.position : a.position;
        high.code = swap ? a.code : b.code;
        high.position = swap ? a.position : b.position;
    }

    static __device__ __forceinline__ void keep(Code &mine, const Code &other, bool upper, const NetworkFactors &)
    {
        const bool take = less(other, mine) != upper;

        mine.code = take ? other.code : mine.code;
        mine.position = take ? other.position : mine.position;
    }
};

/* What sorts rows in groups of 2^LEVELS lanes. */
template <class Element, int LEVELS>
struct InWarp {
    using Sorted = Element;
};

template <int LEVELS>
struct InWarp<Keys64, LEVELS> {
    using Sorted = std::conditional_t<(LEVELS >= 4), WarpKeys64, Keys64>; /* below that memory is the limit */
};

template <int LEVELS>
struct InWarp<Pairs32, LEVELS> {
    using Sorted = WarpPairs32<(LEVELS <= 2)>;
};

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_ELEMENTS_CUH */
