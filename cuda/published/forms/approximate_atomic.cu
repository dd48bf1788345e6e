/*
 * approximate_atomic.cu
 *	  Approximate sort of 32-bit keys with values as published: offsets in intervals are
 *	  taken from atomic counters.
 *
 * Like a radix sort between two buffers, it does not copy the result back to where the
 * input was.
 */
#include <cub/device/device_scan.cuh>

#include "methods/intervals.cuh"
#include "methods/digits.cuh"
#include "published/forms/forms.cuh"

namespace gpusort
{
namespace
{

/* Calls visitor with the source of 32-bit keys. */
template <class Visitor>
auto visit_pair_source(const GpusortSpec &spec, Visitor visitor)
{
    if (spec.form == GPUSORT_KEY_FLOAT32)
        return visitor(IntervalSource<uint32_t, true>{spec.form, spec.descending, spec.buckets});
    return visitor(IntervalSource<uint32_t, false>{spec.form, spec.descending, spec.buckets});
}

/* Step 1: the interval of each key, and its offset in it. */
template <class Source>
__global__ void assign_intervals(Source source, const typename Source::Context *context, const uint32_t *keys,
                                 uint32_t count, uint32_t *counters, uint32_t *intervals, uint32_t *offsets)
{
    typename Source::View view(source, *context);
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += (uint64_t)gridDim.x * blockDim.x) {
        uint32_t interval = view.number(keys[k]);
        intervals[k] = interval;
        offsets[k] = atomicAdd(&counters[interval], 1);
    }
}

/* Step 3: a key and its value go to their interval's start plus their offset in it. */
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

template <class Source>
struct AtomicLayout {
    Sweeps<Source, uint32_t> ranges; /* only for the range of the keys */
    uint32_t *counters, *starts, *intervals, *offsets;
    char *scan;
    size_t scan_bytes = 0;

    AtomicLayout(const SegmentBatch &batch, const Source &source, Workspace &workspace)
        : ranges(batch, source, 1, 1, workspace),
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

size_t approximate_atomic_workspace(const SegmentBatch &batch)
{
    return visit_pair_source(batch.spec, [&](auto source) {
        Workspace workspace(nullptr);
        AtomicLayout<decltype(source)> layout(batch, source, workspace);
        return workspace.used();
    });
}

cudaError_t approximate_sort_atomic(const SegmentBatch &batch, void *memory, cudaStream_t stream, SortedPairs *sorted)
{
    return visit_pair_source(batch.spec, [&](auto source) -> cudaError_t {
        Workspace workspace(memory);
        AtomicLayout<decltype(source)> layout(batch, source, workspace);
        const uint32_t *keys = static_cast<const uint32_t *>(batch.keys);
        uint32_t blocks = ceil_div(batch.longest, 1024), buckets = batch.spec.buckets;
        cudaError_t error = find_ranges(batch, layout.ranges, whole_batch(batch), stream);
        if (error != cudaSuccess ||
            (error = cudaMemsetAsync(layout.counters, 0, buckets * sizeof(uint32_t), stream)) != cudaSuccess)
            return error;
        assign_intervals<<<blocks, 256, 0, stream>>>(source, layout.ranges.contexts, keys, batch.longest,
                                                     layout.counters, layout.intervals, layout.offsets);
        error = cub::DeviceScan::ExclusiveSum(layout.scan, layout.scan_bytes, layout.counters, layout.starts,
                                              (int)buckets, stream);
        if (error != cudaSuccess)
            return error;
        *sorted = {layout.ranges.other_keys, layout.ranges.other_payload};
        scatter_pairs<<<blocks, 256, 0, stream>>>(layout.starts, layout.intervals, layout.offsets, batch.longest, keys,
                                                  batch.payload, sorted->keys, sorted->payload);
        return cudaGetLastError();
    });
}

}  // namespace gpusort
