/*
 * method_approximate.cu
 *	  Approximate sort (Xiao, Chen and Sun): the range of a segment's keys is cut
 *	  into intervals, and keys are put into the order of their intervals only.
 *
 * The paper reduces to the least and greatest key, projects each key to its
 * interval, takes its offset in the interval from an atomic counter, sums the
 * counters, and scatters key and value.  approximate_sort_atomic does just that,
 * for the benchmark: an interval's keys come out in any order, and each key costs
 * a random access to a counter and two random writes.
 *
 * The method does the same with radix passes over the bits of the interval number
 * alone (method_sweep.cuh): 10,000 intervals are two passes of 7 bits.  The input's
 * order is kept within an interval, and keys are written in runs.
 */
#include <cub/device/device_scan.cuh>

#include "keys/projection.h"
#include "method_numbers.cuh"
#include "method_variants.cuh"
#include "methods.cuh"

namespace gpusort
{
namespace
{

/* Numbers of an approximate sort: intervals. */
template <class Key>
struct IntervalSource {
    using Code = Key;
    using Number = uint32_t;
    using Context = GpusortProjection;

    GpusortKeyForm form;
    bool descending;
    uint32_t buckets;

    static __host__ __device__ bool floating(GpusortKeyForm form)
    {
        return form == GPUSORT_KEY_FLOAT32 || form == GPUSORT_KEY_FLOAT64;
    }

    static __device__ double real(Key bits)
    {
        if constexpr (sizeof(Key) == 4)
            return __uint_as_float(bits);
        else
            return __longlong_as_double((long long)bits);
    }

    /* Finite? */
    __device__ bool in_range(Key bits) const
    {
        if constexpr (sizeof(Key) == 4)
            return form != GPUSORT_KEY_FLOAT32 || (bits & 0x7f800000u) != 0x7f800000u;
        else if constexpr (sizeof(Key) == 8)
            return form != GPUSORT_KEY_FLOAT64 || (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u;
        else
            return true;
    }

    /* In ascending order whatever the sort's direction. */
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
        if (!floating(form))
            gpusort_project_integers(&context, buckets, descending, least, greatest);
        else if (!any)
            gpusort_project_floats(&context, buckets, descending, 0, 0);
        else if constexpr (sizeof(Key) == 4)
            gpusort_project_floats(&context, buckets, descending, real(gpusort_decode_float32(least)),
                                   real(gpusort_decode_float32(greatest)));
        else if constexpr (sizeof(Key) == 8)
            gpusort_project_floats(&context, buckets, descending, real(gpusort_decode_float64(least)),
                                   real(gpusort_decode_float64(greatest)));
        return 32 - __clz(buckets - 1);
    }

    __device__ Number number(const Context &context, Key bits) const
    {
        if constexpr (sizeof(Key) != 2)
            if (floating(form))
                return gpusort_interval_of_float(&context, real(bits));
        return gpusort_interval_of_code(&context, code(bits));
    }
};

/* Bits of an interval number. */
uint32_t interval_bits(uint32_t buckets)
{
    return ceil_log2(buckets);
}

template <class Key>
IntervalSource<Key> interval_source(const GpusortSpec &spec)
{
    return {spec.form, spec.descending, spec.buckets};
}

template <class Visitor>
auto visit_keys(const GpusortSpec &spec, Visitor visitor)
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

const char *approximate_refuses(const GpusortSpec &spec)
{
    return spec.buckets != 0 ? nullptr : "the approximate method sorts by intervals only, and none were asked for";
}

size_t approximate_workspace(const SegmentBatch &batch)
{
    return visit_keys(batch.spec, [&](auto key) {
        using Key = decltype(key);
        Workspace workspace(nullptr);
        NumberSort<IntervalSource<Key>, Key> sort(batch, interval_source<Key>(batch.spec),
                                                  interval_bits(batch.spec.buckets), workspace);
        return workspace.used();
    });
}

cudaError_t approximate_sort(const SegmentBatch &batch, void *memory, size_t, cudaStream_t stream)
{
    return visit_keys(batch.spec, [&](auto key) {
        using Key = decltype(key);
        Workspace workspace(memory);
        NumberSort<IntervalSource<Key>, Key> sort(batch, interval_source<Key>(batch.spec),
                                                  interval_bits(batch.spec.buckets), workspace);
        return sort.run(batch, stream);
    });
}

/* One segment: longest keys at slot 0. */
BinView whole_batch(const SegmentBatch &batch)
{
    return {batch.segments, nullptr, 1};
}

using PairSource = IntervalSource<uint32_t>;

/* Step 1: the interval of each key, and its offset in it. */
__global__ void assign_intervals(PairSource source, const GpusortProjection *projection, const uint32_t *keys,
                                 uint32_t count, uint32_t *counters, uint32_t *intervals, uint32_t *offsets)
{
    GpusortProjection own = *projection;
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += (uint64_t)gridDim.x * blockDim.x) {
        uint32_t interval = source.number(own, keys[k]);
        intervals[k] = interval;
        offsets[k] = atomicAdd(&counters[interval], 1);
    }
}

/* Step 3: keys and values go to the sums of the counters plus their offsets. */
__global__ void scatter_pairs(const uint32_t *starts, const uint32_t *intervals, const uint32_t *offsets,
                              uint32_t count, const uint32_t *keys, const uint32_t *values, uint32_t *to_keys,
                              uint32_t *to_values)
{
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += (uint64_t)gridDim.x * blockDim.x) {
        uint32_t to = starts[intervals[k]] + offsets[k];
        to_keys[to] = keys[k];
        to_values[to] = values[k];
    }
}

struct AtomicLayout {
    Sweeps<PairSource, uint32_t> ranges; /* only for the range of the keys */
    uint32_t *counters, *starts, *intervals, *offsets;
    char *scan;
    size_t scan_bytes = 0;

    AtomicLayout(const SegmentBatch &batch, Workspace &workspace)
        : ranges(batch, interval_source<uint32_t>(batch.spec), 1, 1, true, workspace),
          counters(workspace.take<uint32_t>(batch.spec.buckets)),
          starts(workspace.take<uint32_t>(batch.spec.buckets)),
          intervals(workspace.take<uint32_t>(batch.longest)),
          offsets(workspace.take<uint32_t>(batch.longest))
    {
        cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, counters, starts, (int)batch.spec.buckets);
        scan = workspace.take<char>(scan_bytes);
    }
};

}  // namespace

size_t approximate_pairs_workspace(const SegmentBatch &batch)
{
    Workspace workspace(nullptr);
    Sweeps<PairSource, uint32_t> sweeps(batch, interval_source<uint32_t>(batch.spec), 1,
                                        interval_bits(batch.spec.buckets), true, workspace);
    return workspace.used();
}

cudaError_t approximate_sort_pairs(const SegmentBatch &batch, void *memory, cudaStream_t stream, SortedPairs *sorted)
{
    Workspace workspace(memory);
    Sweeps<PairSource, uint32_t> sweeps(batch, interval_source<uint32_t>(batch.spec), 1,
                                        interval_bits(batch.spec.buckets), true, workspace);
    SweepResult<uint32_t> result;
    cudaError_t error = run_sweeps(batch, sweeps, whole_batch(batch), true, stream, &result);
    *sorted = {result.keys, result.payload};
    return error;
}

size_t approximate_atomic_workspace(const SegmentBatch &batch)
{
    Workspace workspace(nullptr);
    AtomicLayout layout(batch, workspace);
    return workspace.used();
}

cudaError_t approximate_sort_atomic(const SegmentBatch &batch, void *memory, cudaStream_t stream, SortedPairs *sorted)
{
    Workspace workspace(memory);
    AtomicLayout layout(batch, workspace);
    const uint32_t *keys = static_cast<const uint32_t *>(batch.keys);
    uint32_t blocks = ceil_div(batch.longest, 1024);
    cudaError_t error = find_ranges(batch, layout.ranges, whole_batch(batch), stream);
    if (error != cudaSuccess ||
        (error = cudaMemsetAsync(layout.counters, 0, batch.spec.buckets * sizeof(uint32_t), stream)) != cudaSuccess)
        return error;
    assign_intervals<<<blocks, 256, 0, stream>>>(layout.ranges.source, layout.ranges.contexts, keys, batch.longest,
                                                 layout.counters, layout.intervals, layout.offsets);
    error = cub::DeviceScan::ExclusiveSum(layout.scan, layout.scan_bytes, layout.counters, layout.starts,
                                          (int)batch.spec.buckets, stream);
    if (error != cudaSuccess)
        return error;
    *sorted = {layout.ranges.other_keys, layout.ranges.other_payload};
    scatter_pairs<<<blocks, 256, 0, stream>>>(layout.starts, layout.intervals, layout.offsets, batch.longest, keys,
                                              batch.payload, sorted->keys, sorted->payload);
    return cudaGetLastError();
}

const Method approximate_method = {approximate_refuses, approximate_workspace, approximate_sort};

}  // namespace gpusort
