/*
 * digest.cuh
 *	  A sum that tells whether bytes are what they were, where they were.
 *
 * The bytes are taken as 32-bit words, numbered from where they begin.  Each word is
 * multiplied by a factor that its number gives, and the products are added up:
 *
 *	  One changed bit always changes the sum: a factor times a power of two below
 *	  2^32 is not 0 in 64 bits.
 *	  Any other change, move or loss is missed about once in 2^32 times.
 *
 * A sum can be taken in any order and in parts, down to a single entry at its place.
 * So the digest of values that have moved can be taken as if they had not.
 */
#ifndef GPUSORT_DIGEST_CUH
#define GPUSORT_DIGEST_CUH

#include <stdint.h>

#include <cuda_runtime.h>

namespace gpusort
{

/* The factor of a word, which is odd and so never 0. */
__device__ __forceinline__ uint32_t digest_factor(uint64_t word)
{
    uint32_t factor = uint32_t(word) * UINT32_C(0x9e3779b1) + uint32_t(word >> 32) * UINT32_C(0x85ebca6b);

    factor = (factor ^ factor >> 15) * UINT32_C(0x2c1b3c6d);
    return (factor ^ factor >> 14) | 1;
}

/* What entry number i adds to the digest of an array of such entries. */
__device__ __forceinline__ uint64_t digest_at(uint64_t i, uint32_t value)
{
    return uint64_t{digest_factor(i)} * value;
}

__device__ __forceinline__ uint64_t digest_at(uint64_t i, uint8_t value)
{
    return digest_at(i / 4, uint32_t{value} << 8 * (i % 4));
}

__device__ __forceinline__ uint64_t digest_at(uint64_t i, uint16_t value)
{
    return digest_at(i / 2, uint32_t{value} << 16 * (i % 2));
}

__device__ __forceinline__ uint64_t digest_at(uint64_t i, uint64_t value)
{
    return digest_at(2 * i, uint32_t(value)) + digest_at(2 * i + 1, uint32_t(value >> 32));
}

__device__ __forceinline__ uint64_t digest_at(uint64_t i, ulonglong2 value)
{
    return digest_at(2 * i, uint64_t{value.x}) + digest_at(2 * i + 1, uint64_t{value.y});
}

/* Adds what the threads of a block have summed up to *total, unless that is null. All threads of the block call. */
__device__ __forceinline__ void add_digest(uint64_t *total, uint64_t sum)
{
    __shared__ unsigned long long all;

    if (!total)
        return;
    __syncthreads();
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(UINT32_MAX, sum, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&all, static_cast<unsigned long long>(sum));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(reinterpret_cast<unsigned long long *>(total), all);
}

}  // namespace gpusort

#endif /* GPUSORT_DIGEST_CUH */
