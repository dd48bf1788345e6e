/*
 * public.cu
 *	  The public code beside ours, on the same data: CUB's segmented sorts, one CUB
 *	  block sort per segment, CUB's sort of one large array.
 */
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "kernels/bench.cuh"

using namespace bench;

namespace
{

struct Times {
    int n;

    __host__ __device__ int operator()(int i) const
    {
        return i * n;
    }
};

auto offsets_of(int n)
{
    return thrust::make_transform_iterator(thrust::make_counting_iterator(0), Times{n});
}

/* Runs a CUB call of the form call(temporary, bytes) with its temporary memory. */
template <class Call>
void run_cub(const char *what, const Data &data, const SegmentBatch &sorted, uint32_t n, size_t beside,
             const Call &call)
{
    size_t bytes = 0;

    check(call(nullptr, bytes), what);

    Memory temporary(bytes);
    Result result = measure(data, sorted, [&] { return call(temporary.as(), bytes); });

    result.workspace = bytes + beside;
    report(what, data, sorted.spec.form, sorted.spec.payload, std::to_string(n), Keys::UNIFORM, result);
}

template <int THREADS, int ITEMS>
__global__ void __launch_bounds__(THREADS) merge_sort_blocks(float *keys, int n)
{
    using Sort = cub::BlockMergeSort<float, THREADS, ITEMS>;
    __shared__ typename Sort::TempStorage temporary;
    float mine[ITEMS];
    float *segment = keys + size_t(blockIdx.x) * n;

    for (int i = 0; i < ITEMS; i++) {
        const int place = i * THREADS + threadIdx.x;

        mine[i] = place < n ? segment[place] : INFINITY;
    }
    Sort(temporary).Sort(mine, [](float a, float b) { return a < b; });
    for (int i = 0; i < ITEMS; i++) {
        const int place = threadIdx.x * ITEMS + i;

        if (place < n)
            segment[place] = mine[i];
    }
}

template <int THREADS, int ITEMS>
__global__ void __launch_bounds__(THREADS) radix_sort_blocks(float *keys, int n)
{
    using Sort = cub::BlockRadixSort<float, THREADS, ITEMS>;
    __shared__ typename Sort::TempStorage temporary;
    float mine[ITEMS];
    float *segment = keys + size_t(blockIdx.x) * n;

    for (int i = 0; i < ITEMS; i++) {
        const int place = i * THREADS + threadIdx.x;

        mine[i] = place < n ? segment[place] : INFINITY;
    }
    Sort(temporary).SortBlockedToStriped(mine);
    for (int i = 0; i < ITEMS; i++) {
        const int place = i * THREADS + threadIdx.x;

        if (place < n)
            segment[place] = mine[i];
    }
}

template <int THREADS, int ITEMS>
void run_blocks(uint32_t n)
{
    const Data data(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, equal_counts(total_keys, n), Keys::UNIFORM);
    const SegmentBatch batch = data.batch();
    float *keys = static_cast<float *>(batch.keys);

    report("CUB BlockMergeSort", data, GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, std::to_string(n), Keys::UNIFORM,
           measure(data, batch, [&] {
               merge_sort_blocks<THREADS, ITEMS><<<batch.nsegments, THREADS>>>(keys, n);
               return cudaGetLastError();
           }));
    report("CUB BlockRadixSort", data, GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, std::to_string(n), Keys::UNIFORM,
           measure(data, batch, [&] {
               radix_sort_blocks<THREADS, ITEMS><<<batch.nsegments, THREADS>>>(keys, n);
               return cudaGetLastError();
           }));
}

}  // namespace

SECTION(copy, "the roofline: a copy of the same bytes on the device")
{
    const Data data(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, equal_counts(total_keys, 1), Keys::EQUAL);
    const SegmentBatch batch = data.batch();
    Memory target(data.key_bytes());

    report("copy", data, GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, "1", Keys::EQUAL, measure(data, batch, [&] {
               return cudaMemcpyAsync(target.as(), batch.keys, data.key_bytes(), cudaMemcpyDeviceToDevice);
           }));
}

SECTION(segmented, "CUB's segmented sorts, float32")
{
    for (uint32_t n : {32, 64, 100, 128, 256, 500, 1000, 2000, 4000, 8192, 16384, 65536}) {
        const Data data(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_NONE, equal_counts(total_keys / 4, n), Keys::UNIFORM);
        SegmentBatch sorted = data.batch();
        Memory target(data.key_bytes());
        const float *keys = static_cast<const float *>(sorted.keys);
        const auto offsets = offsets_of(n);

        sorted.keys = target.as();
        run_cub("CUB SegmentedSort", data, sorted, n, data.key_bytes(), [&](void *temporary, size_t &bytes) {
            return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, keys, target.as<float>(), int(data.nkeys),
                                                      int(sorted.nsegments), offsets, offsets + 1);
        });
        run_cub("CUB SegmentedRadixSort", data, sorted, n, data.key_bytes(), [&](void *temporary, size_t &bytes) {
            return cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, keys, target.as<float>(), int(data.nkeys),
                                                           int(sorted.nsegments), offsets, offsets + 1);
        });
    }
}

SECTION(blocks, "one CUB block sort per segment, float32")
{
    run_blocks<32, 4>(128);
    run_blocks<32, 8>(256);
    run_blocks<64, 8>(500);
    run_blocks<128, 8>(1000);
    run_blocks<256, 8>(2000);
    run_blocks<512, 8>(4000);
    run_blocks<512, 16>(8192);
}

SECTION(large, "one segment: ours beside CUB's DeviceRadixSort")
{
    for (GpusortKeyForm form : {GPUSORT_KEY_FLOAT32, GPUSORT_KEY_INT32})
        for (int bits : {20, 24, 28, 30}) {
            const uint32_t n = 1u << bits;
            const Data data(form, GPUSORT_PAYLOAD_NONE, {n}, Keys::UNIFORM);
            SegmentBatch sorted = data.batch();
            Memory target(data.key_bytes());

            report("auto", data, form, GPUSORT_PAYLOAD_NONE, std::to_string(n), Keys::UNIFORM,
                   measure_method(data, sorted));
            sorted.keys = target.as();
            run_cub("CUB DeviceRadixSort", data, sorted, n, data.key_bytes(), [&](void *temporary, size_t &bytes) {
                if (form == GPUSORT_KEY_FLOAT32)
                    return cub::DeviceRadixSort::SortKeys(temporary, bytes, static_cast<float *>(data.batch().keys),
                                                          target.as<float>(), n);
                return cub::DeviceRadixSort::SortKeys(temporary, bytes, static_cast<int *>(data.batch().keys),
                                                      target.as<int>(), n);
            });
        }
    for (int bits : {20, 28}) {
        const uint32_t n = 1u << bits;
        const Data data(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_INDEX, {n}, Keys::UNIFORM);

        report("auto", data, GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_INDEX, std::to_string(n), Keys::UNIFORM,
               measure_method(data, data.batch()));
    }
}
