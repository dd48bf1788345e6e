/*
 * array_sort.cuh
 *	  GPU-ArraySort's sample, and small sorts by a block.  The method and its published
 *	  form share them.
 */
#ifndef GPUSORT_METHOD_ARRAY_SORT_CUH
#define GPUSORT_METHOD_ARRAY_SORT_CUH

#include "methods/common.cuh"

namespace gpusort
{

constexpr int sample_every = 10; /* one key in ten is sampled: the paper's section 5.1 finds 10 % best */

/* Batcher's bitonic sort of any length. All comparators point upwards, and those past the end are left out. */
template <class Element>
__device__ void bitonic_sort(Element *element, uint32_t count)
{
    uint32_t pairs = 1u << (ceil_log2(count) - (count > 1));
    for (uint32_t size = 2; size < 2 * count; size *= 2)
        for (uint32_t stride = size / 2; stride > 0; stride /= 2) {
            for (uint32_t k = threadIdx.x; k < pairs; k += blockDim.x) {
                uint32_t lower = k / stride * (2 * stride) + k % stride;
                uint32_t upper = stride == size / 2 ? lower ^ (size - 1) : lower + stride;
                if (upper < count && element[upper] < element[lower]) {
                    Element swapped = element[lower];
                    element[lower] = element[upper];
                    element[upper] = swapped;
                }
            }
            __syncthreads();
        }
}

/* How many of element[first .. end) come before element k, whose value is `own`. Equal ones keep their order. */
template <class Element>
__device__ uint32_t rank_among(const Element *element, uint32_t first, uint32_t end, uint32_t k, const Element &own)
{
    uint32_t rank = 0;
#pragma unroll 4
    for (uint32_t j = first; j < end; j++) {
        Element other = element[j];
        rank += other < own || (j < k && !(own < other));
    }
    return rank;
}

/* Entries for a sample and for its sorted copy behind it. The copy starts at a multiple of four, for rank_among. */
__host__ __device__ inline uint32_t sample_entries(uint32_t count)
{
    return 2 * (count / sample_every + 1) + 4;
}

/* Sorts the sample, and returns where the sorted one lies. */
template <class Element>
__device__ Element *sort_sample(Element *sample, uint32_t count)
{
    if (count > 4 * blockDim.x || count > 256) {
        bitonic_sort(sample, count);
        return sample;
    }
    Element *sorted = sample + (count + 3) / 4 * 4;
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
        Element own = sample[k];
        sorted[rank_among(sample, 0, count, k, own)] = own;
    }
    __syncthreads();
    return sorted;
}

}  // namespace gpusort

#endif /* GPUSORT_METHOD_ARRAY_SORT_CUH */
