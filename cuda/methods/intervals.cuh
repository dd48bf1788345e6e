/*
 * intervals.cuh
 *	  Intervals of keys: the numbers by which the passes of an approximate sort order.
 */
#ifndef GPUSORT_METHOD_INTERVALS_CUH
#define GPUSORT_METHOD_INTERVALS_CUH

#include "keys/projection.h"
#include "methods/segment_batch.cuh"

namespace gpusort
{

/* The intervals of keys of an integer form or, if floating, of a float form. */
template <class Key, bool floating>
struct IntervalSource {
    using Code = Key;
    using Number = uint32_t;
    static constexpr bool may_be_by_tile = false;
    static constexpr int least_passes = 2, most_passes = 4;
    struct Context {
        GpusortProjection projection;
        uint32_t whole;  /* buckets / width of the range, rounded down */
        uint64_t factor; /* what that leaves of the quotient, in units of 2^-64, rounded up */
    };

    GpusortKeyForm form;
    bool descending;
    uint32_t buckets;

    static __device__ double real(Key bits)
    {
        if constexpr (sizeof(Key) == 4)
            return __uint_as_float(bits);
        else
            return __longlong_as_double((long long)bits);
    }

    /* True for keys that make the range: all integers, and finite floats. */
    __device__ bool in_range(Key bits) const
    {
        constexpr Key exponent = (Key)(sizeof(Key) == 4 ? 0x7f800000u : 0x7ff0000000000000u);
        return !floating || (bits & exponent) != exponent;
    }

    /* Orders as the key does, ascending whatever the sort's direction. */
    __device__ Code code(Key bits) const
    {
        if constexpr (sizeof(Key) == 2)
            return gpusort_encode16(bits);
        else if constexpr (sizeof(Key) == 4)
            return gpusort_encode32(form, bits);
        else
            return gpusort_encode64(form, bits);
    }

    __device__ uint32_t set_up(Context &context, Code least, Code greatest, bool any) const
    {
        GpusortProjection *projection = &context.projection;
        if constexpr (!floating) {
            gpusort_project_integers(projection, buckets, descending, least, greatest);
            if (sizeof(Key) <= 4) {
                uint64_t width = projection->range + 1;
                GpusortProjection rest;
                gpusort_project_integers(&rest, (uint32_t)(buckets % width), false, least, greatest);
                context.whole = (uint32_t)(buckets / width);
                context.factor = projection->range == 0 ? 0 : rest.factor;
            }
        } else if (!any)
            gpusort_project_floats(projection, buckets, descending, 0, 0);
        else if constexpr (sizeof(Key) == 4)
            gpusort_project_floats(projection, buckets, descending, real(gpusort_decode_float32(least)),
                                   real(gpusort_decode_float32(greatest)));
        else
            gpusort_project_floats(projection, buckets, descending, real(gpusort_decode_float64(least)),
                                   real(gpusort_decode_float64(greatest)));
        return 32 - __clz(buckets - 1);
    }

    /*
     * The projection of projection.h for floats and for integers of up to 32 bits, in few
     * instructions and without branches.  The result is the same to the last bit.  The range
     * of float32 keys is never so wide that it needs shrink, nor so narrow that it needs lift.
     * If all finite keys are equal, the scale 1 keeps -infinity what it is.
     */
    struct View {
        const IntervalSource &source;
        const GpusortProjection &projection;
        uint32_t step, offset; /* interval = place * step + offset; if descending, down from the last */
        Key origin;
        uint32_t whole, low, high; /* low and high are the halves of the factor */
        double shrink, float_origin, lift, scale, last;

        __device__ View(const IntervalSource &the_source, const Context &context)
            : source(the_source),
              projection(context.projection),
              step(the_source.descending ? ~0u : 1),
              offset(the_source.descending ? the_source.buckets - 1 : 0)
        {
            if constexpr (floating) {
                shrink = projection.shrink;
                float_origin = projection.float_origin;
                lift = projection.lift;
                scale = projection.scale > 0 ? projection.scale : 1;
                last = the_source.buckets - 1;
            } else if (sizeof(Key) <= 4) {
                /* Codes are as far apart as keys, because a code differs from its key in the sign bit only. */
                origin = (Key)projection.origin ^ the_source.code(0);
                whole = context.whole;
                low = (uint32_t)context.factor;
                high = (uint32_t)(context.factor >> 32);
            }
        }

        __device__ Number number(Key bits) const
        {
            if constexpr (floating) {
                double x = real(bits);
                double place =
                    sizeof(Key) == 4 ? (x - float_origin) * scale : (x * shrink - float_origin) * lift * scale;
                /* -infinity converts to 0. Infinity and NaN are not below `last`, so they get that. */
                return __double2uint_rz(place < last ? place : last) * step + offset;
            } else if constexpr (sizeof(Key) == 8)
                return gpusort_interval_of_code(&projection, source.code(bits));
            else {
                uint32_t distance = (Key)(bits - origin);
                uint64_t rest = (uint64_t)distance * high + ((uint64_t)distance * low >> 32);
                return (distance * whole + (uint32_t)(rest >> 32)) * step + offset;
            }
        }
    };
};

/* Calls visitor with the spec's source and a key of its width. */
template <class Visitor>
auto visit_interval_source(const GpusortSpec &spec, Visitor visitor)
{
    GpusortKeyForm form = spec.form;
    bool descending = spec.descending;
    uint32_t buckets = spec.buckets;
    if (form == GPUSORT_KEY_FLOAT32)
        return visitor(IntervalSource<uint32_t, true>{form, descending, buckets}, uint32_t());
    if (form == GPUSORT_KEY_FLOAT64)
        return visitor(IntervalSource<uint64_t, true>{form, descending, buckets}, uint64_t());
    switch (gpusort_key_width(form)) {
        case 2:
            return visitor(IntervalSource<uint16_t, false>{form, descending, buckets}, uint16_t());
        case 4:
            return visitor(IntervalSource<uint32_t, false>{form, descending, buckets}, uint32_t());
        default:
            return visitor(IntervalSource<uint64_t, false>{form, descending, buckets}, uint64_t());
    }
}

}  // namespace gpusort

#endif /* GPUSORT_METHOD_INTERVALS_CUH */
