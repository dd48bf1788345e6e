/*
 * network_short.cuh
 *	  Sorts the short segments among neighbours of any lengths: those that one lane sorts.
 *
 * Short segments cost less to sort than to fetch.  So a block takes a run of
 * consecutive segments, and keys that share a sector of memory are read and written
 * at about the same time, whatever their segments' lengths.  It groups the numbers of
 * the short ones by length class in shared memory and deals them out to its warps, 32
 * of a class at a time; longer ones it leaves alone.  More classes than these would
 * not fit the instruction cache together.
 */
#ifndef GPUSORT_NETWORK_SHORT_CUH
#define GPUSORT_NETWORK_SHORT_CUH

#include "network_kernels.cuh"

namespace gpusort
{

constexpr int SHORT_THREADS = 256;
constexpr uint32_t SHORT_LEAST_SEGMENTS = 64; /* of a block */
constexpr uint32_t SHORT_MOST_SEGMENTS = 2048;
constexpr int SHORTEST_CLASS = 3; /* the classes below belong to it */

/* A block's short segments by class: group 0 holds the longest class. */
template <int GROUPS>
struct ShortGroups {
    uint16_t numbers[SHORT_MOST_SEGMENTS]; /* group by group, from the block's first segment */
    uint32_t first[GROUPS], end[GROUPS];   /* of a group's numbers */
    uint32_t first_unit[GROUPS + 1];       /* of each group, and how many there are */
    uint32_t next_unit;                    /* not yet taken by a warp */
};

/* Groups `count` segments; those of more than 2^LONGEST_CLASS keys and empty ones are left out. */
template <int LONGEST_CLASS, int PER_UNIT, int GROUPS>
__device__ __forceinline__ void group_short(const GpusortSegment *segments, uint32_t count, ShortGroups<GROUPS> *groups)
{
    const auto is_member = [](uint32_t length) { return length > 0 && length <= (1u << LONGEST_CLASS); };
    const auto group_of = [](uint32_t length) {
        return length <= (1u << SHORTEST_CLASS) ? GROUPS - 1 : LONGEST_CLASS - (32 - __clz(length - 1));
    };

    if (threadIdx.x < GROUPS)
        groups->end[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += SHORT_THREADS)
        if (is_member(segments[i].count))
            atomicAdd(&groups->end[group_of(segments[i].count)], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t members = 0, units = 0;

        for (int group = 0; group < GROUPS; group++) {
            const uint32_t own = groups->end[group];

            groups->first[group] = groups->end[group] = members;
            groups->first_unit[group] = units;
            members += own;
            units += (own + PER_UNIT - 1) / PER_UNIT;
        }
        groups->first_unit[GROUPS] = units;
        groups->next_unit = 0;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += SHORT_THREADS)
        if (is_member(segments[i].count))
            groups->numbers[atomicAdd(&groups->end[group_of(segments[i].count)], 1)] = uint16_t(i);
    __syncthreads();
}

/*
 * Sorts the segments of up to ROW keys among the task's; each block takes `per_block`
 * of them, at most SHORT_MOST_SEGMENTS.
 */
template <class Element, int ROW, int BLOCKS_PER_MULTIPROCESSOR>
__global__ void __launch_bounds__(SHORT_THREADS, BLOCKS_PER_MULTIPROCESSOR)
    short_sort(const __grid_constant__ NetworkTask task, uint32_t per_block)
{
    using Code = typename Element::Code;
    constexpr int LONGEST_CLASS = log2_of(ROW), GROUPS = LONGEST_CLASS - SHORTEST_CLASS + 1;
    constexpr int PER_UNIT = 32 * Element::SEGMENTS;
    __shared__ alignas(16) Code shared[SHORT_THREADS * Shape<Element, ROW>::STRIDE];
    __shared__ ShortGroups<GROUPS> groups;
    const GpusortSegment *segments = task.segments + blockIdx.x * per_block;
    const uint32_t lane = threadIdx.x % 32;
    Code *warp_rows = shared + (threadIdx.x & -32u) * Shape<Element, ROW>::STRIDE;

    group_short<LONGEST_CLASS, PER_UNIT>(segments, min(per_block, task.count - blockIdx.x * per_block), &groups);
    for (;;) {
        Part parts[Element::SEGMENTS];
        uint32_t unit = 0;
        int group = 0;

        if (lane == 0)
            unit = atomicAdd(&groups.next_unit, 1);
        unit = __shfl_sync(UINT32_MAX, unit, 0);
        if (unit >= groups.first_unit[GROUPS])
            break;
        while (unit >= groups.first_unit[group + 1])
            group++;
#pragma unroll
        for (int half = 0; half < Element::SEGMENTS; half++) {
            const uint32_t member =
                groups.first[group] + (unit - groups.first_unit[group]) * PER_UNIT + lane * Element::SEGMENTS + half;

            parts[half] = {0, 0};
            if (member < groups.end[group]) {
                const GpusortSegment segment = segments[groups.numbers[member]];

                parts[half] = {segment.start, segment.count};
            }
        }
        if (group == 0)
            sort_in_warp<Element, ROW, 0>(task, parts, warp_rows);
        if constexpr (GROUPS > 1)
            if (group == 1)
                sort_in_warp<Element, ROW / 2, 0>(task, parts, warp_rows);
        if constexpr (GROUPS > 2)
            if (group == 2)
                sort_in_warp<Element, ROW / 4, 0>(task, parts, warp_rows);
        __syncwarp();
    }
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_SHORT_CUH */
