/*
 * papers_approximate.cu
 *	  The approximate sort's figures 2 to 4, and far beyond their sizes: pairs of a
 *	  float32 key and a 32-bit value by intervals, beside exact sorts of the pairs.
 *
 * As the exact sorts may, the published form leaves its result in either buffer.  The method
 * sorts in place.
 */
#include <cub/device/device_for.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <thrust/device_ptr.h>
#include <thrust/extrema.h>

#include "keys/projection.h"
#include "kernels/bench.cuh"
#include "published/forms/forms.cuh"

using namespace bench;

namespace
{

/* Counts the keys whose interval is below their predecessor's. */
struct IntervalCheck {
    GpusortProjection projection;
    const float *keys;
    unsigned *wrong;

    __device__ void operator()(uint32_t i) const
    {
        if (gpusort_interval_of_float(&projection, keys[i]) > gpusort_interval_of_float(&projection, keys[i + 1]))
            atomicAdd(wrong, 1);
    }
};

/* Are keys in the order of their intervals? */
bool in_intervals(const float *keys, uint32_t n, uint32_t intervals)
{
    const thrust::device_ptr<const float> first(keys);
    const auto ends = thrust::minmax_element(first, first + n);
    Memory counter(sizeof(unsigned));
    IntervalCheck checker = {{}, keys, counter.as<unsigned>()};
    unsigned wrong = 0;

    gpusort_project_floats(&checker.projection, intervals, false, *ends.first, *ends.second);
    check(cudaMemset(counter.as(), 0, sizeof wrong), "checking");
    check(cub::DeviceFor::Bulk(n - 1, checker), "checking");
    check(cudaMemcpy(&wrong, counter.as(), sizeof wrong, cudaMemcpyDeviceToHost), "checking");
    return wrong == 0;
}

struct Less {
    __device__ bool operator()(float a, float b) const
    {
        return a < b;
    }
};

class Pairs
{
public:
    Pairs(uint32_t n, Keys the_keys) : keys(the_keys), data(GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_CARRIED, {n}, keys)
    {
    }

    void show(const char *what, uint32_t intervals, const Result &result) const
    {
        report(what, data, GPUSORT_KEY_FLOAT32, GPUSORT_PAYLOAD_CARRIED, std::to_string(intervals), keys, result);
    }

    void run_published(uint32_t intervals) const
    {
        const char *const what = "approximate published";
        SegmentBatch batch = data.batch(GPUSORT_METHOD_APPROXIMATE);

        batch.spec.buckets = intervals;

        const size_t bytes = approximate_atomic_workspace(batch);
        Memory workspace(bytes);
        SortedPairs sorted = {};

        /* The result's place is known after a first run. */
        check(approximate_sort_atomic(batch, workspace.as(), nullptr, &sorted), what);

        SegmentBatch result_batch = batch;

        result_batch.keys = sorted.keys;
        result_batch.payload = sorted.payload;

        Result result = measure(data, result_batch,
                                [&] { return approximate_sort_atomic(batch, workspace.as(), nullptr, &sorted); });

        result.right =
            result.right && in_intervals(reinterpret_cast<const float *>(sorted.keys), uint32_t(data.nkeys), intervals);
        result.workspace = bytes;
        show(what, intervals, result);
    }

    void run_intervals(uint32_t intervals) const
    {
        run_published(intervals);
        run_method(intervals);
    }

    void run_method(uint32_t intervals) const
    {
        SegmentBatch batch = data.batch(GPUSORT_METHOD_APPROXIMATE);

        batch.spec.buckets = intervals;
        show("approximate", intervals, measure_method(data, batch));
    }

    void run_exact(bool merge) const
    {
        const SegmentBatch batch = data.batch();
        const uint32_t n = uint32_t(data.nkeys);
        float *key = static_cast<float *>(batch.keys);
        Memory other_keys(size_t(n) * 4), other_values(size_t(n) * 4);
        SegmentBatch sorted = batch;
        const auto radix = [&](void *temporary, size_t &bytes) {
            cub::DoubleBuffer<float> both_keys(key, other_keys.as<float>());
            cub::DoubleBuffer<uint32_t> both_values(batch.payload, other_values.as<uint32_t>());
            const cudaError_t error = cub::DeviceRadixSort::SortPairs(temporary, bytes, both_keys, both_values, n);

            sorted.keys = both_keys.Current();
            sorted.payload = both_values.Current();
            return error;
        };
        const auto merging = [&](void *temporary, size_t &bytes) {
            return cub::DeviceMergeSort::StableSortPairs(temporary, bytes, key, batch.payload, n, Less());
        };
        size_t bytes = 0;

        check(merge ? merging(nullptr, bytes) : radix(nullptr, bytes), "CUB");

        Memory temporary(bytes);
        Result result;

        if (merge)
            result = measure(data, sorted, [&] { return merging(temporary.as(), bytes); });
        else {
            check(radix(temporary.as(), bytes), "CUB");
            result = measure(data, sorted, [&] { return radix(temporary.as(), bytes); });
        }
        result.workspace = bytes + (merge ? 0 : size_t(n) * 8);
        show(merge ? "CUB merge pairs" : "CUB radix pairs", 0, result);
    }

private:
    Keys keys;
    Data data;
};

}  // namespace

SECTION(approximate, "approximate sort, figures 2 to 4: 1M, 2M, 4M pairs, and 2^20 to 2^28")
{
    for (Keys keys : {Keys::UNIFORM, Keys::GAUSSIAN})
        for (uint32_t n : {1000000u, 2000000u, 4000000u, 1u << 20, 1u << 22, 1u << 24, 1u << 28}) {
            const Pairs pairs(n, keys);

            pairs.run_exact(false);
            pairs.run_exact(true);
            for (uint32_t intervals = 10000; intervals <= 90000; intervals += 10000)
                if (intervals == 10000 || n <= 4000000 || n == 1u << 28)
                    pairs.run_intervals(intervals);
            if (n >= 1u << 24)
                pairs.run_intervals(256);
        }
}
