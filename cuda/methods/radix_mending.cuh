/*
 * radix_mending.cuh
 *	  Floats that CUB has sorted, brought into our order.
 *
 * CUB sorts NaNs with a sign below -infinity, and treats both zeros as one key, whose order
 * it keeps.  In our order all NaNs are at one end, and -0 comes before 0.  One pass finds
 * such keys; if there are none, nothing is written.
 */
#ifndef GPUSORT_RADIX_MENDING_CUH
#define GPUSORT_RADIX_MENDING_CUH

#include <cuda_runtime.h>

#include <cstdint>

namespace gpusort
{

constexpr int LOOKING_THREADS = 1024;
constexpr int MENDING_THREADS = 512;
constexpr unsigned MOST_MENDING_BLOCKS = 1024;

/* The keys that have another place in our order. */
struct Mending {
    uint32_t turn;              /* how many NaNs are at the wrong end: all keys are rotated by this many places */
    uint32_t first_zero, zeros; /* place of the first zero, and how many there are */
    uint32_t negative;          /* how many of the zeros are negative */
};

/* True for NaNs that CUB puts below -infinity. */
__device__ __forceinline__ bool misplaced(float key)
{
    return __float_as_uint(key) > UINT32_C(0xff800000);
}

/* -1, 0 or 1 if the key is before, among or after the zeros in CUB's order. */
__device__ __forceinline__ int beside_zeros(float key, bool descending)
{
    const int bits = __float_as_int(key);

    if ((bits & INT32_MAX) == 0)
        return 0;
    return (bits < 0) != descending ? -1 : 1;
}

/* The first place from low on that is past, or high. All threads of the block call, and each looks at one place. */
template <class Past>
__device__ uint32_t first_past(uint32_t low, uint32_t high, Past past)
{
    while (low < high) {
        const uint32_t step = (high - low - 1) / LOOKING_THREADS + 1;
        const uint64_t place = low + uint64_t(threadIdx.x) * step;
        const uint32_t before = __syncthreads_count(place < high && !past(uint32_t(place)));
        const uint64_t end = low + uint64_t(before) * step;

        if (before == 0)
            return low;
        high = uint32_t(min(uint64_t(high), end));
        low = uint32_t(end - step + 1);
    }
    return low;
}

static __global__ void __launch_bounds__(LOOKING_THREADS)
    look(const float *keys, uint32_t count, bool descending, Mending *mending)
{
    const bool nans = misplaced(keys[descending ? count - 1 : 0]);
    const uint32_t turn =
        nans ? first_past(0, count, [&](uint32_t i) { return misplaced(keys[i]) == descending; }) % count : 0;
    const uint32_t first = first_past(0, count, [&](uint32_t i) { return beside_zeros(keys[i], descending) >= 0; });
    const uint32_t end = first_past(first, count, [&](uint32_t i) { return beside_zeros(keys[i], descending) > 0; });

    if (threadIdx.x == 0)
        *mending = {turn, first, end - first, 0};
}

/* Counts negative zeros, and copies the keys rotated if necessary. */
static __global__ void __launch_bounds__(MENDING_THREADS)
    turn_keys(const float *keys, float *target, uint32_t count, Mending *mending)
{
    const uint32_t turn = mending->turn, first_zero = mending->first_zero, zeros = mending->zeros;
    const uint64_t start = uint64_t(blockIdx.x) * MENDING_THREADS + threadIdx.x, step = gridDim.x * MENDING_THREADS;
    uint32_t negative = 0;

    for (uint64_t i = start; i < zeros; i += step)
        negative += __float_as_uint(keys[first_zero + i]) != 0;
    for (int distance = 16; distance > 0; distance /= 2)
        negative += __shfl_xor_sync(~0u, negative, distance);
    if (threadIdx.x % 32 == 0 && negative > 0)
        atomicAdd(&mending->negative, negative);
    for (uint64_t i = start; turn > 0 && i < count; i += step) {
        const uint64_t from = i + turn;

        target[i] = keys[from < count ? from : from - count];
    }
}

/* Copies rotated keys back, and writes the zeros in order if both signs occur. */
static __global__ void __launch_bounds__(MENDING_THREADS)
    take_turned(float *keys, const float *turned, uint32_t count, bool descending, const Mending *mending)
{
    const uint32_t turn = mending->turn, first = mending->first_zero;
    const uint32_t first_zero = first >= turn ? first - turn : first + (count - turn);
    const uint32_t zeros = mending->negative % max(mending->zeros, 1u) > 0 ? mending->zeros : 0;
    const uint32_t leading = descending ? zeros - mending->negative : mending->negative;
    const uint32_t begin = turn > 0 ? 0 : first_zero, end = turn > 0 ? count : first_zero + zeros;

    for (uint64_t i = begin + uint64_t(blockIdx.x) * MENDING_THREADS + threadIdx.x; i < end;
         i += gridDim.x * MENDING_THREADS) {
        const uint32_t zero = uint32_t(i) - first_zero;

        if (zero < zeros)
            keys[i] = (zero < leading) != descending ? -0.0f : 0.0f;
        else
            keys[i] = turned[i];
    }
}

constexpr size_t MENDING_BYTES = sizeof(Mending) + alignof(Mending); /* with any alignment */

/* Brings count keys, at least one, into our order. Needs a second buffer of their size. */
inline cudaError_t mend_order(float *keys, float *turned, uint32_t count, bool descending, Mending *mending,
                              cudaStream_t stream)
{
    const unsigned useful = (count - 1) / MENDING_THREADS + 1;
    const unsigned blocks = useful < MOST_MENDING_BLOCKS ? useful : MOST_MENDING_BLOCKS;

    look<<<1, LOOKING_THREADS, 0, stream>>>(keys, count, descending, mending);
    turn_keys<<<blocks, MENDING_THREADS, 0, stream>>>(keys, turned, count, mending);
    take_turned<<<blocks, MENDING_THREADS, 0, stream>>>(keys, turned, count, descending, mending);
    return cudaGetLastError();
}

}  // namespace gpusort

#endif /* GPUSORT_RADIX_MENDING_CUH */
