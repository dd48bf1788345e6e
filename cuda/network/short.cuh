/*
 * short.cuh
 *	  Sorts the short segments among neighbours of any lengths: those that one lane sorts.
 *
 * Short segments cost less to sort than to fetch.  So a block takes a run of
 * consecutive segments, and keys that share a sector of memory are read and written
 * at about the same time, whatever their segments' lengths.  It asks for their keys at once, groups
 * the short ones by length class in shared memory and deals them out to its warps, 32
 * of a class at a time; longer ones it leaves alone.  More classes than these would
 * not fit the instruction cache together.
 */
#ifndef GPUSORT_NETWORK_SHORT_CUH
#define GPUSORT_NETWORK_SHORT_CUH

#include "network/kernels.cuh"

namespace gpusort
{

constexpr int SHORT_THREADS = 256;
constexpr uint32_t SHORT_PER_THREAD = 4;
constexpr uint32_t SHORT_LEAST_SEGMENTS = 64; /* of a block */
constexpr uint32_t SHORT_MOST_SEGMENTS = SHORT_PER_THREAD * SHORT_THREADS;
constexpr int SHORTEST_CLASS = 3; /* the classes below belong to it */

__device__ __forceinline__ void prefetch(const void *address)
{
    asm volatile("prefetch.global.L2 [%0];" : : "l"(address));
}

/* A block's short segments by class: group 0 holds the longest class. */
template <class Element, int ROW>
struct ShortGroups {
    static constexpr int GROUPS = log2_of(ROW) - SHORTEST_CLASS + 1;
    static constexpr uint32_t PER_UNIT = 32 * Element::SEGMENTS; /* what a warp sorts at a time */

    alignas(16) Part parts[SHORT_MOST_SEGMENTS + GROUPS * PER_UNIT]; /* in units, filled up by empty ones */
    uint32_t counts[GROUPS];

    static __device__ __forceinline__ int group_of(uint32_t length)
    {
        return length <= (1u << SHORTEST_CLASS) ? GROUPS - 1 : log2_of(ROW) - (32 - __clz(length - 1));
    }

    /* Takes those of `count` segments that are not empty and have up to ROW keys. */
    __device__ __forceinline__ void fill(const NetworkTask &task, const GpusortSegment *segments, uint32_t count)
    {
        Part own[SHORT_PER_THREAD];
        uint32_t rank[SHORT_PER_THREAD];

        if (threadIdx.x < GROUPS)
            counts[threadIdx.x] = 0;
#pragma unroll
        for (uint32_t i = 0; i < SHORT_PER_THREAD; i++) {
            const uint32_t number = i * SHORT_THREADS + threadIdx.x;

            own[i] = {0, 0};
            if (number < count)
                own[i] = {segments[number].start, segments[number].count};
            if (own[i].count > ROW)
                own[i].count = 0;
        }
        for (uint32_t i = threadIdx.x; i < SHORT_MOST_SEGMENTS + GROUPS * PER_UNIT; i += SHORT_THREADS)
            parts[i] = {0, 0};
#pragma unroll
        for (uint32_t i = 0; i < SHORT_PER_THREAD; i++)
            if (own[i].count > 0) {
                prefetch(keys_of<Element>(task, own[i]));
                prefetch(keys_of<Element>(task, own[i]) + own[i].count - 1);
            }
        __syncthreads();
#pragma unroll
        for (uint32_t i = 0; i < SHORT_PER_THREAD; i++)
            if (own[i].count > 0)
                rank[i] = atomicAdd(&counts[group_of(own[i].count)], 1);
        __syncthreads();
#pragma unroll
        for (uint32_t i = 0; i < SHORT_PER_THREAD; i++)
            if (own[i].count > 0)
                parts[first_unit(group_of(own[i].count)) * PER_UNIT + rank[i]] = own[i];
        __syncthreads();
    }

    /* The first unit of a group; of group GROUPS: how many units there are. */
    __device__ __forceinline__ uint32_t first_unit(int group) const
    {
        uint32_t units = 0;

#pragma unroll
        for (int i = 0; i < GROUPS; i++)
            if (i < group)
                units += (counts[i] + PER_UNIT - 1) / PER_UNIT;
        return units;
    }
};

/*
 * Sorts the segments of up to ROW keys among the task's; each block takes `per_block`
 * of them, at most SHORT_MOST_SEGMENTS.
 */
template <class Element, int ROW, int BLOCKS_PER_MULTIPROCESSOR>
__global__ void __launch_bounds__(SHORT_THREADS, BLOCKS_PER_MULTIPROCESSOR)
    short_sort(const __grid_constant__ NetworkTask task, uint32_t per_block)
{
    using Code = typename Element::Code;
    using Groups = ShortGroups<Element, ROW>;
    constexpr int GROUPS = Groups::GROUPS;
    __shared__ alignas(16) Code shared[SHORT_THREADS * Shape<Element, ROW>::STRIDE];
    __shared__ Groups groups;
    const uint32_t lane = threadIdx.x % 32;
    Code *warp_rows = shared + (threadIdx.x & -32u) * Shape<Element, ROW>::STRIDE;
    uint32_t end[GROUPS]; /* of each group's units */

    groups.fill(task, task.segments + blockIdx.x * per_block, min(per_block, task.count - blockIdx.x * per_block));
#pragma unroll
    for (int group = 0; group < GROUPS; group++)
        end[group] = groups.first_unit(group + 1);
    for (uint32_t unit = threadIdx.x / 32; unit < end[GROUPS - 1]; unit += SHORT_THREADS / 32) {
        const Part *warp_parts = groups.parts + unit * Groups::PER_UNIT;
        Part parts[Element::SEGMENTS];

#pragma unroll
        for (int half = 0; half < Element::SEGMENTS; half++)
            parts[half] = warp_parts[lane * Element::SEGMENTS + half];
        if (unit < end[0])
            sort_in_warp<Element, ROW, 0, false>(task, parts, warp_parts, warp_rows);
        if constexpr (GROUPS > 1)
            if (unit >= end[0] && unit < end[1])
                sort_in_warp<Element, ROW / 2, 0, false>(task, parts, warp_parts, warp_rows);
        if constexpr (GROUPS > 2)
            if (unit >= end[1])
                sort_in_warp<Element, ROW / 4, 0, false>(task, parts, warp_parts, warp_rows);
        __syncwarp();
    }
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_SHORT_CUH */
