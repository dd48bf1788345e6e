/*
 * networks.cuh
 *	  Batcher's two sorting networks on the GPU, as the sorts that HMP is compared
 *	  with: a power of two of keys, the first 1024 in shared memory, the strides
 *	  above that in device memory, one kernel each.
 */
#ifndef GPUSORT_BENCH_NETWORKS_CUH
#define GPUSORT_BENCH_NETWORKS_CUH

#include <cstdint>

#include "methods/common.cuh"

namespace bench
{

constexpr uint32_t NETWORK_TILE = 1024;

template <class Code>
__device__ void order(Code &a, Code &b, bool ascending)
{
    if ((b < a) == ascending) {
        const Code swapped = a;

        a = b;
        b = swapped;
    }
}

/* One comparator of the bitonic sort: pair i of the stage that makes runs of size. */
template <class Code>
__device__ void bitonic_comparator(Code *keys, uint32_t i, uint32_t first, uint32_t size, uint32_t stride)
{
    const uint32_t place = 2 * i - (i & (stride - 1));

    order(keys[place], keys[place + stride], !((first + place) & size));
}

/* One comparator of the odd-even merge sort. */
template <class Code>
__device__ void odd_even_comparator(Code *keys, uint32_t i, uint32_t size, uint32_t stride)
{
    const uint32_t place = 2 * i - (i & (stride - 1));

    if (stride == size / 2)
        order(keys[place], keys[place + stride], true);
    else if ((i & (size / 2 - 1)) >= stride)
        order(keys[place - stride], keys[place], true);
}

/* Stages from one size to another within tiles of NETWORK_TILE keys. */
template <class Code, bool odd_even>
__global__ void __launch_bounds__(NETWORK_TILE / 2) network_tiles(Code *keys, uint32_t from_size, uint32_t to_size)
{
    __shared__ Code tile[NETWORK_TILE];
    const uint32_t first = blockIdx.x * NETWORK_TILE;

    for (uint32_t k = threadIdx.x; k < NETWORK_TILE; k += blockDim.x)
        tile[k] = keys[first + k];
    for (uint32_t size = from_size; size <= to_size; size *= 2)
        for (uint32_t stride = min(size, NETWORK_TILE) / 2; stride > 0; stride /= 2) {
            __syncthreads();
            if (odd_even)
                odd_even_comparator(tile, threadIdx.x, size, stride);
            else
                bitonic_comparator(tile, threadIdx.x, first, size, stride);
        }
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < NETWORK_TILE; k += blockDim.x)
        keys[first + k] = tile[k];
}

template <class Code, bool odd_even>
__global__ void __launch_bounds__(256) network_stride(Code *keys, uint32_t size, uint32_t stride)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (odd_even)
        odd_even_comparator(keys, i, size, stride);
    else
        bitonic_comparator(keys, i, 0, size, stride);
}

template <class Code>
__global__ void __launch_bounds__(256) recode(Code *keys, gpusort::Coding coding, bool back)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    keys[i] = back ? gpusort::decode(coding, keys[i]) : gpusort::encode(coding, keys[i]);
}

/* Sorts n keys, a power of two from 1024 up. */
template <class Code, bool odd_even>
cudaError_t network_sort(Code *keys, uint32_t n, const gpusort::Coding &coding)
{
    recode<<<n / 256, 256>>>(keys, coding, false);
    network_tiles<Code, odd_even><<<n / NETWORK_TILE, NETWORK_TILE / 2>>>(keys, 2, NETWORK_TILE);
    for (uint64_t size = 2 * NETWORK_TILE; size <= n; size *= 2) {
        /* The odd-even merge's strides reach across tiles until the last. */
        const uint32_t least = odd_even ? 1 : NETWORK_TILE;

        for (uint32_t stride = uint32_t(size / 2); stride >= least; stride /= 2)
            network_stride<Code, odd_even><<<n / 512, 256>>>(keys, uint32_t(size), stride);
        if (!odd_even)
            network_tiles<Code, odd_even><<<n / NETWORK_TILE, NETWORK_TILE / 2>>>(keys, uint32_t(size), uint32_t(size));
    }
    recode<<<n / 256, 256>>>(keys, coding, true);
    return cudaGetLastError();
}

}  // namespace bench

#endif /* GPUSORT_BENCH_NETWORKS_CUH */
