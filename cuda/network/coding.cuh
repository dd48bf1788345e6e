/*
 * coding.cuh
 *	  How the networks' codes are made of raw keys, and keys of codes.
 */
#ifndef GPUSORT_NETWORK_CODING_CUH
#define GPUSORT_NETWORK_CODING_CUH

#include "keys/sort_spec.h"

namespace gpusort
{

/*
 * How raw keys and codes turn into each other.  With s the sign of a word,
 *
 *	  code = (bits ^ (s & float_mask)) * factor + offset		per 32-bit word
 *
 * covers every form and direction: floats below zero are inverted but for the sign,
 * factor -1 with its offset inverts all bits, and 2^31 flips the sign.  The map of the
 * sum is its own inverse.  Subtleties of floats are handled apart: a payload calls for
 * canonical keys; keys alone keep the bits of NaNs, of which those with a sign come
 * first and are found by one look at the sorted row (see mend_row).
 */
struct NetworkCoding {
    uint32_t float_low, float_high;
    uint32_t factor;
    uint32_t low_offset, high_offset;
    /* The raw keys that sort first and last, to fill up segments: equal to whatever real keys sort so, they
     * change places unseen.  Of floats upwards -infinity is first, which does not pass for a NaN. */
    uint32_t first_low, first_high;
    uint32_t last_low, last_high;
    bool is_float, descending;
};

/* The upper word of the key that sorts last. */
inline uint32_t last_high_of(GpusortKeyForm form, bool descending)
{
    switch (form) {
        case GPUSORT_KEY_INT16:
            return descending ? 0x8000 : 0x7fff;
        case GPUSORT_KEY_UINT32:
        case GPUSORT_KEY_UINT64:
            return descending ? 0 : UINT32_MAX;
        case GPUSORT_KEY_FLOAT32:
            return descending ? UINT32_C(0xff800000) : UINT32_C(0x7fffffff);
        case GPUSORT_KEY_FLOAT64:
            return descending ? UINT32_C(0xfff00000) : UINT32_C(0x7fffffff);
        default:
            return descending ? UINT32_C(0x80000000) : UINT32_C(0x7fffffff);
    }
}

inline NetworkCoding network_coding(const GpusortSpec &spec)
{
    const GpusortKeyForm form = spec.form;
    const bool is_signed = form != GPUSORT_KEY_UINT32 && form != GPUSORT_KEY_UINT64;
    NetworkCoding coding = {};

    coding.is_float = form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64;
    coding.descending = spec.descending;
    coding.float_low = coding.is_float ? UINT32_MAX : 0;
    coding.float_high = coding.is_float ? INT32_MAX : 0;
    coding.factor = spec.descending ? UINT32_MAX : 1;
    coding.low_offset = spec.descending ? UINT32_MAX : 0;
    coding.high_offset = (is_signed ? UINT32_C(0x80000000) : 0) ^ coding.low_offset;
    coding.first_low = spec.descending ? UINT32_MAX : 0;
    coding.first_high = last_high_of(form, !spec.descending);
    coding.last_low = ~coding.first_low;
    coding.last_high = last_high_of(form, spec.descending);
    return coding;
}

__device__ __forceinline__ uint32_t sign_of(uint32_t word)
{
    return uint32_t(int32_t(word) >> 31);
}

__device__ __forceinline__ uint32_t code_word(uint32_t bits, uint32_t sign, uint32_t float_mask, uint32_t factor,
                                              uint32_t offset)
{
    return (bits ^ (sign & float_mask)) * factor + offset;
}

__device__ __forceinline__ uint32_t code_of(const NetworkCoding &coding, uint32_t bits)
{
    return code_word(bits, sign_of(bits), coding.float_high, coding.factor, coding.high_offset);
}

__device__ __forceinline__ uint32_t key_of(const NetworkCoding &coding, uint32_t code)
{
    const uint32_t bits = code * coding.factor + coding.high_offset;

    return bits ^ (sign_of(bits) & coding.float_high);
}

__device__ __forceinline__ uint64_t code_of(const NetworkCoding &coding, uint64_t bits)
{
    const uint32_t low = uint32_t(bits), high = uint32_t(bits >> 32), sign = sign_of(high);

    return uint64_t(code_word(high, sign, coding.float_high, coding.factor, coding.high_offset)) << 32 |
           code_word(low, sign, coding.float_low, coding.factor, coding.low_offset);
}

/* The code of a key that is no float, and the key of its code. */
__device__ __forceinline__ uint64_t code_of_integer(const NetworkCoding &coding, uint64_t bits)
{
    return uint64_t(uint32_t(bits >> 32) * coding.factor + coding.high_offset) << 32 |
           (uint32_t(bits) * coding.factor + coding.low_offset);
}

__device__ __forceinline__ uint64_t key_of(const NetworkCoding &coding, uint64_t code)
{
    const uint32_t high = uint32_t(code >> 32) * coding.factor + coding.high_offset;
    const uint32_t low = uint32_t(code) * coding.factor + coding.low_offset;
    const uint32_t sign = sign_of(high);

    return uint64_t(high ^ (sign & coding.float_high)) << 32 | (low ^ (sign & coding.float_low));
}

/* A float's bits with one zero and one NaN. */
__device__ __forceinline__ uint32_t canonical(uint32_t bits)
{
    return __float_as_uint(__fadd_rn(__uint_as_float(bits), 0.0f));
}

__device__ __forceinline__ uint64_t canonical(uint64_t bits)
{
    if ((bits & INT64_MAX) > UINT64_C(0x7ff0000000000000))
        return UINT64_C(0x7ff8000000000000);
    return bits == UINT64_C(0x8000000000000000) ? 0 : bits;
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_CODING_CUH */
