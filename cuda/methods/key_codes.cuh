/*
 * key_codes.cuh
 *	  Keys of any form as unsigned codes, on the device.
 *
 * A kernel is compiled per width of key (uint16_t, uint32_t, uint64_t).  It takes the
 * form and the direction as an argument, the same for the whole launch, so a form
 * costs no code of its own.  With a payload, ties can be seen: `tied` gives -0 and 0
 * one code.  Descending order inverts the code.
 */
#ifndef GPUSORT_KEY_CODES_CUH
#define GPUSORT_KEY_CODES_CUH

#include "keys/sort_spec.h"

namespace gpusort
{

struct Coding {
    GpusortKeyForm form;
    bool descending;
    bool tied;
};

inline Coding coding_of(const GpusortSpec &spec)
{
    return {spec.form, spec.descending, spec.payload != GPUSORT_PAYLOAD_NONE};
}

__device__ __forceinline__ uint16_t encode(const Coding &coding, uint16_t bits)
{
    uint16_t code = gpusort_encode16(bits);
    return coding.descending ? ~code : code;
}

__device__ __forceinline__ uint32_t encode(const Coding &coding, uint32_t bits)
{
    uint32_t code = coding.tied ? gpusort_encode32_tied(coding.form, bits) : gpusort_encode32(coding.form, bits);
    return coding.descending ? ~code : code;
}

__device__ __forceinline__ uint64_t encode(const Coding &coding, uint64_t bits)
{
    uint64_t code = coding.tied ? gpusort_encode64_tied(coding.form, bits) : gpusort_encode64(coding.form, bits);
    return coding.descending ? ~code : code;
}

__device__ __forceinline__ uint16_t decode(const Coding &coding, uint16_t code)
{
    return (coding.descending ? ~code : code) ^ UINT16_C(0x8000);
}

__device__ __forceinline__ uint32_t decode(const Coding &coding, uint32_t code)
{
    return gpusort_decode32(coding.form, coding.descending ? ~code : code);
}

__device__ __forceinline__ uint64_t decode(const Coding &coding, uint64_t code)
{
    return gpusort_decode64(coding.form, coding.descending ? ~code : code);
}

/* Calls visitor with a key of the form's width. */
template <class Visitor>
auto visit_key(const GpusortSpec &spec, Visitor visitor)
{
    switch (gpusort_key_width(spec.form)) {
        case 2:
            return visitor(uint16_t());
        case 4:
            return visitor(uint32_t());
        default:
            return visitor(uint64_t());
    }
}

}  // namespace gpusort

#endif /* GPUSORT_KEY_CODES_CUH */
