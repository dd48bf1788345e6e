/*
 * numbers.cu
 *	  The methods that sort by a number of each key: the comparison-free sort, and the
 *	  approximate sort.
 *
 * A short segment is sorted by one block in its shared memory, long ones by sweeps.
 *
 * The comparison-free sort (Abdel-hafeez, Gordon-Ross and Abubaker) counts how often each
 * value occurs, sums the counts, and writes values where the sums say.  The paper's method 2
 * has one counter for each possible value, so the range of values must not be much wider than
 * the input is long.  It writes values anew from their counters, so it cannot carry a payload.
 * The method here counts, sums and writes digit by digit, from the lowest to the highest.  So
 * it takes any width of key (the paper's M > N) and, because each pass is stable, any payload.
 * Only as many digits are sorted as the segment's range of values has, whatever the key's
 * type.  That is a radix sort from the least significant digit, so method radix is this one.
 *
 * The approximate sort (Xiao, Chen and Sun) cuts the range of a segment's keys into intervals,
 * and sorts keys by their interval only.  The paper finds the least and greatest key, projects
 * each key to its interval, takes its offset in the interval from an atomic counter, sums the
 * counters, and scatters key and value.  So an interval's keys come out in any order, and each
 * key costs a random access to a counter and two random writes.  The method does the same with
 * radix passes over the bits of the interval number alone: 10,000 intervals are two passes of
 * 7 bits.  The input's order is kept within an interval, and keys are written in runs.
 */
#include <cub/block/block_radix_sort.cuh>

#include "methods/intervals.cuh"
#include "methods/methods.cuh"
#include "methods/sweep.cuh"

namespace gpusort
{

/* One block per segment finds the range, makes the numbers, and radix-sorts them with their positions. */
template <class Source, class Key, int threads, int items>
__global__ void __launch_bounds__(threads)
    sort_by_number(Source source, Key *keys, uint32_t *payload, bool carried, BinView bin)
{
    using Code = typename Source::Code;
    using Number = typename Source::Number;
    using Sort = cub::BlockRadixSort<Number, threads, items, uint16_t>;
    __shared__ typename Sort::TempStorage storage;
    __shared__ typename Source::Context context;
    __shared__ Code least_of[threads / 32], greatest_of[threads / 32];
    __shared__ uint32_t bits;

    GpusortSegment segment = bin[blockIdx.x];
    const Key *key = keys + segment.start;
    Code least = (Code) ~(Code)0, greatest = 0;
    bool any = false;
    for (uint32_t k = threadIdx.x; k < segment.count; k += threads)
        if (source.in_range(key[k])) {
            least = min(least, source.code(key[k]));
            greatest = max(greatest, source.code(key[k]));
            any = true;
        }
    block_range(least, greatest, least_of, greatest_of);
    any = __syncthreads_or(any);
    if (threadIdx.x == 0)
        bits = source.set_up(context, least, greatest, any);
    __syncthreads();

    typename Source::View view(source, context);
    Number number[items];
    uint16_t from[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
        uint32_t k = threadIdx.x * items + i;
        number[i] = k < segment.count ? (Number)view.number(key[k]) : (Number) ~(Number)0;
        from[i] = (uint16_t)k;
    }
    if (bits > 0)
        Sort(storage).SortBlockedToStriped(number, from, 0, bits);
    else {
#pragma unroll
        for (int i = 0; i < items; i++)
            from[i] = (uint16_t)(i * threads + threadIdx.x);
    }
    if (payload != nullptr) {
        uint32_t value[items];
#pragma unroll
        for (int i = 0; i < items; i++)
            if (i * threads + threadIdx.x < segment.count)
                value[i] = carried ? payload[segment.start + from[i]] : from[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; i++)
            if (i * threads + threadIdx.x < segment.count)
                payload[segment.start + i * threads + threadIdx.x] = value[i];
    } else {
        Key sorted[items];
#pragma unroll
        for (int i = 0; i < items; i++)
            if (i * threads + threadIdx.x < segment.count)
                sorted[i] = key[from[i]];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; i++)
            if (i * threads + threadIdx.x < segment.count)
                keys[segment.start + i * threads + threadIdx.x] = sorted[i];
    }
}

/* The bins and sweeps of a batch. One block each sorts the segments of all bins but the last. */
template <class Source, class Key>
struct NumberSort {
    static constexpr int most_items = sizeof(typename Source::Number) == 8 ? 8 : 16;
    static constexpr int last_class[] = {5, 8, 11, most_items == 8 ? 12 : 13};

    BinLists bins;
    Sweeps<Source, Key> sweeps;

    NumberSort(const SegmentBatch &batch, const Source &source, uint32_t bits, Workspace &workspace)
        : bins(batch, last_class, 5, workspace), sweeps(batch, source, bins.count[4], bits, workspace)
    {
    }

    cudaError_t run(const SegmentBatch &batch, cudaStream_t stream) const
    {
        const bool carried = batch.spec.payload == GPUSORT_PAYLOAD_CARRIED;
        Key *keys = static_cast<Key *>(batch.keys);
        cudaError_t error = bins.fill(batch, stream);
        if (error != cudaSuccess)
            return error;
        auto launch = [&](auto kernel, int b, int threads) {
            if (bins.count[b] != 0)
                kernel<<<bins.count[b], threads, 0, stream>>>(sweeps.source, keys, batch.payload, carried,
                                                              bins.view(batch, b));
        };
        launch(sort_by_number<Source, Key, 32, 1>, 0, 32);
        launch(sort_by_number<Source, Key, 32, 8>, 1, 32);
        launch(sort_by_number<Source, Key, 128, 16>, 2, 128);
        launch(sort_by_number<Source, Key, 512, most_items>, 3, 512);
        if ((error = cudaGetLastError()) == cudaSuccess && bins.count[4] != 0)
            error = run_sweeps(batch, sweeps, bins.view(batch, 4), batch.spec.payload == GPUSORT_PAYLOAD_NONE, stream);
        return error;
    }
};

namespace
{

/* Calls visitor with the source of the batch's codes, and a key. */
template <class Visitor>
auto visit_codes(const SegmentBatch &batch, Visitor visitor)
{
    return visit_key(batch.spec,
                     [&](auto key) { return visitor(CodeSource<decltype(key)>{coding_of(batch.spec)}, key); });
}

/* Calls visitor with the source of the batch's method, a key, and how many bits its numbers have. */
template <class Visitor>
auto visit_source(const SegmentBatch &batch, Visitor visitor)
{
    if (batch.spec.buckets > 0)
        return visit_interval_source(
            batch.spec, [&](auto source, auto key) { return visitor(source, key, ceil_log2(batch.spec.buckets)); });
    return visit_codes(batch, [&](auto source, auto key) { return visitor(source, key, 8 * sizeof key); });
}

size_t number_workspace(const SegmentBatch &batch)
{
    return visit_source(batch, [&](auto source, auto key, uint32_t bits) {
        Workspace workspace(nullptr);
        NumberSort<decltype(source), decltype(key)> sort(batch, source, bits, workspace);
        return workspace.used();
    });
}

cudaError_t number_sort(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    return visit_source(batch, [&](auto source, auto key, uint32_t bits) {
        Workspace workspace(memory);
        NumberSort<decltype(source), decltype(key)> sort(batch, source, bits, workspace);
        return sort.run(batch, stream);
    });
}

}  // namespace

size_t counting_bytes(const SegmentBatch &batch, uint32_t count)
{
    return visit_codes(batch, [&](auto source, auto key) {
        Workspace workspace(nullptr);
        Sweeps<decltype(source), decltype(key)> sweeps(batch, source, count, 8 * sizeof key, workspace);
        return workspace.used();
    });
}

cudaError_t sort_by_counting(const SegmentBatch &batch, const BinView &bin, void *memory, cudaStream_t stream)
{
    return visit_codes(batch, [&](auto source, auto key) {
        Workspace workspace(memory);
        Sweeps<decltype(source), decltype(key)> sweeps(batch, source, bin.count, 8 * sizeof key, workspace);
        return run_sweeps(batch, sweeps, bin, batch.spec.payload == GPUSORT_PAYLOAD_NONE, stream);
    });
}

const Method number_method = {number_workspace, number_sort};

}  // namespace gpusort
