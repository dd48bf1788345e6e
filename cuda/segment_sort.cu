/*
 * segment_sort.cu
 *	  The device's methods, and which one a batch gets.
 *
 * `auto` is the network method.  It sorts segments of up to 2^16 keys by networks, and hands
 * longer ones to methods/numbers.cu.  Approximate order is a method of its own,
 * whatever spec.method says.
 */
#include "methods/methods.cuh"

namespace gpusort
{

namespace
{

const Method &method_of(const GpusortSpec &spec)
{
    if (spec.buckets > 0)
        return number_method;
    switch (spec.method) {
        case GPUSORT_METHOD_ARRAY_SORT:
            return array_sort_method;
        case GPUSORT_METHOD_TAGGED:
            return tagged_method;
        case GPUSORT_METHOD_HYBRID:
            return hybrid_method;
        case GPUSORT_METHOD_MATRIX:
            return matrix_method;
        case GPUSORT_METHOD_COUNTING:
        case GPUSORT_METHOD_RADIX:
            return number_method;
        default:
            return network_method;
    }
}

/* The name of the method that was used.  For auto it is that which sorted most of the keys. */
GpusortMethod name_of(const SegmentBatch &batch)
{
    if (batch.spec.buckets > 0)
        return GPUSORT_METHOD_APPROXIMATE;
    if (batch.spec.method != GPUSORT_METHOD_AUTO && batch.spec.method != GPUSORT_METHOD_NETWORK)
        return batch.spec.method;

    double short_keys = 0, long_keys = 0;

    for (uint32_t c = 0; c < GPUSORT_LENGTH_CLASSES; c++)
        (c <= 16 ? short_keys : long_keys) +=
            double(gpusort_class_count(batch.length_histogram, c)) * double(UINT64_C(1) << c);
    return long_keys > short_keys ? GPUSORT_METHOD_RADIX : GPUSORT_METHOD_NETWORK;
}

}  // namespace

size_t workspace_bytes(const SegmentBatch &batch)
{
    return method_of(batch.spec).workspace_bytes(batch);
}

cudaError_t sort_segments(const SegmentBatch &batch, void *workspace, cudaStream_t stream, GpusortMethod *used)
{
    if (used)
        *used = name_of(batch);
    if (batch.nsegments == 0)
        return cudaSuccess;
    return method_of(batch.spec).sort(batch, workspace, stream);
}

}  // namespace gpusort
