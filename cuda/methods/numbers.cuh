/*
 * numbers.cuh
 *	  Sorts whole batches by the numbers that a Source makes of keys.
 *
 * A short segment is sorted by one block in its shared memory, long ones by sweeps.
 */
#ifndef GPUSORT_METHOD_NUMBERS_CUH
#define GPUSORT_METHOD_NUMBERS_CUH

#include <cub/block/block_radix_sort.cuh>

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

/* Bins by length for segments that one block sorts. The last bin is for the sweeps. */
template <class Number>
struct NumberBins {
    static constexpr int nbins = 5;
    static constexpr int last_class[nbins - 1] = {5, 8, 11, sizeof(Number) == 8 ? 12 : 13};
};

template <class Source, class Key>
cudaError_t sort_short_by_number(const SegmentBatch &batch, const Source &source, const BinLists &bins,
                                 cudaStream_t stream)
{
    constexpr int items = sizeof(typename Source::Number) == 8 ? 8 : 16;
    Key *keys = static_cast<Key *>(batch.keys);
    uint32_t *payload = batch.spec.payload == GPUSORT_PAYLOAD_NONE ? nullptr : batch.payload;
    const bool carried = batch.spec.payload == GPUSORT_PAYLOAD_CARRIED;
    auto launch = [&](auto kernel, int b, int threads) {
        if (bins.count[b] != 0)
            kernel<<<bins.count[b], threads, 0, stream>>>(source, keys, payload, carried, bins.view(batch, b));
    };
    launch(sort_by_number<Source, Key, 32, 1>, 0, 32);
    launch(sort_by_number<Source, Key, 32, 8>, 1, 32);
    launch(sort_by_number<Source, Key, 128, 16>, 2, 128);
    launch(sort_by_number<Source, Key, 512, items>, 3, 512);
    return cudaGetLastError();
}

/* The bins and sweeps of a batch, for a method that sorts by numbers. */
template <class Source, class Key>
struct NumberSort {
    using Bins = NumberBins<typename Source::Number>;

    BinLists bins;
    Sweeps<Source, Key> sweeps;

    NumberSort(const SegmentBatch &batch, const Source &source, uint32_t bits, Workspace &workspace)
        : bins(batch, Bins::last_class, Bins::nbins, workspace),
          sweeps(batch, source, bins.count[Bins::nbins - 1], bits, workspace)
    {
    }

    cudaError_t run(const SegmentBatch &batch, cudaStream_t stream) const;
};

template <class Source, class Key>
cudaError_t NumberSort<Source, Key>::run(const SegmentBatch &batch, cudaStream_t stream) const
{
    bool payload = batch.spec.payload != GPUSORT_PAYLOAD_NONE;
    cudaError_t error = bins.fill(batch, stream);
    if (error == cudaSuccess)
        error = sort_short_by_number<Source, Key>(batch, sweeps.source, bins, stream);
    if (error == cudaSuccess && sweeps.tiles.nsegments != 0)
        error = run_sweeps(batch, sweeps, bins.view(batch, Bins::nbins - 1), !payload, stream);
    return error;
}

}  // namespace gpusort

#endif /* GPUSORT_METHOD_NUMBERS_CUH */
