/*
 * network_kernels.cuh
 *	  Bitonic merges of sorted rows, and the kernels made of them.
 *
 * A segment of up to THREADS x ROW keys is sorted by a group of THREADS threads,
 * each holding one row of ROW elements.  Rows are sorted in registers; then
 * level after level, runs of 2^(level-1) rows are merged in pairs: the upper run is
 * turned round, which makes the pair bitonic, and halvers follow with strides from
 * half the pair down to 1.  Strides below ROW are the row's own affair (merge_row).
 * Longer strides go through shared memory, five or so at a time: rows are stored,
 * each thread reads a few columns of all rows that the strides join, runs the
 * halvers in registers and writes the columns back.  The upper run is read
 * mirrored, so turning it round costs nothing.
 *
 * Rows are padded by 16 bytes in shared memory and read and written in 16-byte
 * chunks, which keeps rows and columns free of bank conflicts.
 *
 * Groups of up to a warp share a warp (warp_sort).  Longer segments have a block,
 * in which warps beyond the segment's end idle (block_sort); still longer ones a
 * cluster of blocks that exchange rows through distributed shared memory.
 */
#ifndef GPUSORT_NETWORK_KERNELS_CUH
#define GPUSORT_NETWORK_KERNELS_CUH

#include <cooperative_groups.h>

#include "network_io.cuh"
#include "network_row.cuh"

namespace gpusort
{

__device__ __forceinline__ void synchronize(bool block)
{
    if (block)
        __syncthreads();
    else
        __syncwarp();
}

/*
 * The columns of one thread: 2^BITS rows, 2^step apart, from a group of
 * 2^(BITS+step) rows.  t is the thread's number in the group.
 */
template <class S, class Code, int BITS>
struct Columns {
    static constexpr int ROWS = 1 << BITS;
    static constexpr int PER_ROW = S::ROW >> BITS;
    static constexpr int CHUNK = (PER_ROW & -PER_ROW) < S::CHUNK ? (PER_ROW & -PER_ROW) : S::CHUNK;

    uint32_t row, column;
    int step, distance;

    __device__ __forceinline__ Columns(uint32_t t, int step_) : step(step_), distance(S::STRIDE << step_)
    {
        /* Far rows in few parts: neighbours take neighbouring rows, else neighbouring columns. */
        const bool rows_first = BITS <= 2 && step >= 3;

        row = rows_first ? t & ((1 << step) - 1) : t >> BITS;
        column = (rows_first ? t >> step : t & (ROWS - 1)) * CHUNK;
    }

    /* Reads them; with MIRROR the upper half of the rows turned round. */
    template <bool MIRROR>
    __device__ __forceinline__ void load(const Code *rows, Code (&taken)[S::ROW]) const
    {
        const Code *low = rows + row * S::STRIDE + column;
        const Code *high = rows + ((1 << step) - 1 - row) * S::STRIDE + (S::ROW - CHUNK) - column;

#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int i = 0; i < PER_ROW / CHUNK; i++) {
                const bool mirrored = MIRROR && r >= ROWS / 2;
                const Code *source = mirrored ? high + (ROWS + ROWS / 2 - 1 - r) * distance - i * (CHUNK << BITS)
                                              : low + r * distance + i * (CHUNK << BITS);
                const Chunk<CHUNK, Code> chunk = *reinterpret_cast<const Chunk<CHUNK, Code> *>(source);

#pragma unroll
                for (int j = 0; j < CHUNK; j++)
                    taken[r * PER_ROW + i * CHUNK + j] = chunk.part[mirrored ? CHUNK - 1 - j : j];
            }
    }

    __device__ __forceinline__ void store(Code *rows, const Code (&taken)[S::ROW]) const
    {
        Code *low = rows + row * S::STRIDE + column;

#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int i = 0; i < PER_ROW / CHUNK; i++) {
                Chunk<CHUNK, Code> chunk;

#pragma unroll
                for (int j = 0; j < CHUNK; j++)
                    chunk.part[j] = taken[r * PER_ROW + i * CHUNK + j];
                *reinterpret_cast<Chunk<CHUNK, Code> *>(low + r * distance + i * (CHUNK << BITS)) = chunk;
            }
    }
};

template <class Element, int ROW, int STRIDE, int... I>
__device__ __forceinline__ void halve(typename Element::Code (&taken)[ROW], const typename Element::Factors &factors,
                                      std::integer_sequence<int, I...>)
{
    (Element::template exchange<I>(taken[I / STRIDE * 2 * STRIDE + I % STRIDE],
                                   taken[I / STRIDE * 2 * STRIDE + I % STRIDE + STRIDE], factors),
     ...);
}

/* Halvers between the 2^BITS rows of a thread's columns. */
template <class Element, int ROW, int BITS, int ROWS_APART = (1 << BITS) / 2>
__device__ __forceinline__ void halve_columns(typename Element::Code (&taken)[ROW],
                                              const typename Element::Factors &factors)
{
    if constexpr (ROWS_APART > 0) {
        halve<Element, ROW, (ROW >> BITS) * ROWS_APART>(taken, factors, std::make_integer_sequence<int, ROW / 2>());
        halve_columns<Element, ROW, BITS, ROWS_APART / 2>(taken, factors);
    }
}

/*
 * Halvers over the bits step + BITS - 1 … step of the row number, among the 2^(BITS +
 * step) rows of a group in shared memory; t is the thread's number in the group.
 * BLOCK: the group spreads over warps.  Threads that are not active only keep the
 * barriers.  Ends with the columns stored and synchronized.
 */
template <class Element, class S, int BITS, bool MIRROR>
__device__ __forceinline__ void halve_rows(typename Element::Code *group, uint32_t t, int step, bool block, bool active,
                                           typename Element::Code (&row)[S::ROW],
                                           const typename Element::Factors &factors)
{
    using Code = typename Element::Code;
    constexpr int TOP = BITS < S::COLUMN_BITS ? BITS : S::COLUMN_BITS;
    const Columns<S, Code, TOP> columns(t, step + BITS - TOP);

    if (active)
        columns.template load<MIRROR>(group, row);
    if (MIRROR)
        synchronize(block);
    if (active) {
        halve_columns<Element, S::ROW, TOP>(row, factors);
        columns.store(group, row);
    }
    synchronize(block);
    if constexpr (BITS > TOP) {
        const int rest = step + BITS - TOP;

        halve_rows<Element, S, BITS - TOP, false>(group + (t >> rest << rest) * S::STRIDE, t & ((1 << rest) - 1), step,
                                                  block, active, row, factors);
    }
}

/* Compares the rows of lanes whose numbers differ in all bits of the mask, one turned round. */
template <class Element, class S>
__device__ __forceinline__ void merge_neighbours(uint32_t lane, uint32_t mask, typename Element::Code (&row)[S::ROW],
                                                 const typename Element::Factors &factors)
{
    using Code = typename Element::Code;
    const bool upper = (lane & (mask + 1) / 2) != 0;

#pragma unroll
    for (int i = 0; i < S::ROW / 2; i++) {
        const Code first = __shfl_xor_sync(UINT32_MAX, row[S::ROW - 1 - i], mask);
        const Code second = __shfl_xor_sync(UINT32_MAX, row[i], mask);

        Element::keep(row[i], first, upper, factors);
        Element::keep(row[S::ROW - 1 - i], second, upper, factors);
    }
}

/* Halvers between lanes' rows, with strides from `stride` lanes down to 1, by shuffles. */
template <class Element, class S>
__device__ __forceinline__ void halve_lanes(uint32_t lane, uint32_t stride, typename Element::Code (&row)[S::ROW],
                                            const typename Element::Factors &factors)
{
#pragma unroll 1
    for (; stride > 0; stride /= 2) {
#pragma unroll
        for (int i = 0; i < S::ROW; i++)
            Element::keep(row[i], __shfl_xor_sync(UINT32_MAX, row[i], stride), (lane & stride) != 0, factors);
    }
}

/*
 * As merge_rows does, by shuffles alone: for rows whose columns cannot be dealt out to
 * the lanes evenly.
 */
template <class Element, class S, int LEVELS>
__device__ __forceinline__ void merge_rows_shuffling(typename Element::Code *rows, uint32_t t,
                                                     typename Element::Code (&row)[S::ROW],
                                                     const typename Element::Factors &factors)
{
    static_assert(LEVELS <= 6, "two warps at most");

#pragma unroll 1
    for (int level = 1; level <= LEVELS; level++) {
        if (LEVELS > 5 && level > 5) {
            store_row<S>(rows, t, row);
            __syncthreads();
            halve_rows<Element, S, 1, true>(rows, t, 5, true, true, row, factors);
            load_row<S>(rows, t, row);
            halve_lanes<Element, S>(t, 16, row, factors);
        } else {
            merge_neighbours<Element, S>(t, (1u << level) - 1, row, factors);
            halve_lanes<Element, S>(t, (1u << level) / 4, row, factors);
        }
        merge_row<Element, S::ROW>(row, factors);
    }
}

/*
 * Merges the sorted rows of 2^LEVELS threads numbered t, of a warp or a block, whose
 * rows of shared memory are given; count: keys that the threads have together.
 *
 * Warps' code is as short as can be, for it competes for the instruction cache: the
 * levels between warps use the code of those within warps, with rows 32 apart, and
 * all the last five strides of a level between warps that of level 5.
 */
template <class Element, class S, int LEVELS>
__device__ __forceinline__ void merge_rows(typename Element::Code *rows, uint32_t t, uint32_t count,
                                           typename Element::Code (&row)[S::ROW],
                                           const typename Element::Factors &factors)
{
    const uint32_t lane = t % 32;
    const bool present = (t & -32u) * S::ROW < count;

#pragma unroll(LEVELS <= 2 ? 2 : 1)
    for (int level = 1; level <= LEVELS; level++) {
        const bool across = LEVELS > 5 && level > 5;
        const uint32_t first = t >> level << level;
        /* Groups without an upper run have nothing to merge. */
        const bool joins = across ? (first + (1u << level) / 2) * S::ROW < count : present;

        if (Element::SHUFFLES && level == 1) {
            if constexpr (Element::SHUFFLES)
                if (joins)
                    merge_neighbours<Element, S>(lane, 1, row, factors);
        } else {
            typename Element::Code *group = rows + first * S::STRIDE;
            const uint32_t number = t & ((1u << level) - 1);
            /* One level between two warps is short enough for code of its own. */
            constexpr bool SHARED = LEVELS > 6;
            const int step = SHARED && across ? 5 : 0;

            if (joins)
                store_row<S>(rows, t, row);
            synchronize(across);
            if (!SHARED && across)
                halve_rows<Element, S, 1, true>(group, number, 5, true, joins, row, factors);
            else
                switch (level - step) {
                    case 1:
                        if constexpr (SHARED || !Element::SHUFFLES)
                            halve_rows<Element, S, 1, true>(group, number, step, SHARED && across, joins, row, factors);
                        break;
                    case 2:
                        if constexpr (LEVELS >= 2)
                            halve_rows<Element, S, 2, true>(group, number, step, SHARED && across, joins, row, factors);
                        break;
                    case 3:
                        if constexpr (LEVELS >= 3)
                            halve_rows<Element, S, 3, true>(group, number, step, SHARED && across, joins, row, factors);
                        break;
                    case 4:
                        if constexpr (LEVELS >= 4)
                            halve_rows<Element, S, 4, true>(group, number, step, SHARED && across, joins, row, factors);
                        break;
                    default:
                        if constexpr (LEVELS >= 10)
                            if (across)
                                halve_rows<Element, S, 5, true>(group, number, 5, true, joins, row, factors);
                        break;
                }
            if constexpr (LEVELS >= 5)
                if (level >= 5 && present && joins) {
                    constexpr int TOP = S::COLUMN_BITS < 5 ? S::COLUMN_BITS : 5;
                    typename Element::Code *warp_rows = rows + (t & -32u) * S::STRIDE;
                    const Columns<S, typename Element::Code, TOP> columns(lane, 5 - TOP);

                    if (across)
                        columns.template load<false>(warp_rows, row);
                    else
                        columns.template load<true>(warp_rows, row);
                    __syncwarp();
                    halve_columns<Element, S::ROW, TOP>(row, factors);
                    columns.store(warp_rows, row);
                    __syncwarp();
                    if constexpr (TOP < 5)
                        halve_rows<Element, S, 5 - TOP, false>(warp_rows + (lane >> (5 - TOP) << (5 - TOP)) * S::STRIDE,
                                                               lane & ((1 << (5 - TOP)) - 1), 0, false, true, row,
                                                               factors);
                }
            if (joins)
                load_row<S>(rows, t, row);
        }
        if (present && joins)
            merge_row<Element, S::ROW>(row, factors);
    }
}

/* Sorts the row of each lane, and puts NaNs right where keys are sorted alone. */
template <class Element, class S>
__device__ __forceinline__ void sort_and_mend(typename Element::Code (&row)[S::ROW], const NetworkCoding &coding,
                                              const typename Element::Factors &factors)
{
    bool again;

    do {
        sort_row<Element, S::ROW>(row, factors);
        again = false;
        if constexpr (Element::MENDS)
            again = Element::template mend_row<S::ROW>(row, coding);
    } while (again);
}

constexpr int WARP_SORT_THREADS = 128;

/* Sorts the segments of one warp, 2^LEVELS lanes for each, in its rows of shared memory. */
template <class Element, int ROW, int LEVELS>
__device__ __forceinline__ void sort_in_warp(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                             typename Element::Code *warp_rows)
{
    using S = Shape<Element, ROW>;
    using Key = typename Element::Key;
    using Code = typename Element::Code;
    constexpr uint32_t LANES = 1 << LEVELS;
    constexpr bool STAGED = LEVELS <= 1 && Element::SEGMENTS == 1 && sizeof(Key) == sizeof(Code);
    const uint32_t lane = threadIdx.x % 32, t = lane % LANES;
    Code row[ROW];

    if constexpr (STAGED && LANES == 1)
        read_staged<Element, S>(task, parts[0], warp_rows, lane, row);
    else if constexpr (STAGED)
        read_frames<Element, S, LANES>(task, parts[0], warp_rows, lane, row);
    else
        read_row<Element, S>(task, parts, t, LANES, LANES * ROW, row);

    sort_and_mend<Element, S>(row, task.coding, task.factors);
    if constexpr ((ROW & (ROW - 1)) != 0)
        merge_rows_shuffling<Element, S, LEVELS>(warp_rows, lane, row, task.factors);
    else
        merge_rows<Element, S, LEVELS>(warp_rows, lane, UINT32_MAX, row, task.factors);

    __syncwarp();
    store_row<S>(warp_rows, lane, row);
    __syncwarp();
    write_rows<Element, S, LANES>(task, parts, warp_rows, lane, 0, [] { __syncwarp(); });
}

/*
 * Sorts segments of up to ROW << LEVELS keys, each by 2^LEVELS lanes.  Warps whose
 * segments all fit in three quarters of that use rows of three quarters.
 */
template <class Element, int ROW, int LEVELS, int BLOCKS_PER_MULTIPROCESSOR>
__global__ void __launch_bounds__(WARP_SORT_THREADS, BLOCKS_PER_MULTIPROCESSOR)
    warp_sort(const __grid_constant__ NetworkTask task)
{
    using S = Shape<Element, ROW>;
    using Code = typename Element::Code;
    constexpr uint32_t LANES = 1 << LEVELS;
    constexpr int SHORT_ROW = ROW / 4 * 3;
    constexpr bool HAS_SHORT_ROW = LEVELS >= 2 && SHORT_ROW % 8 == 0;
    __shared__ alignas(16) Code shared[WARP_SORT_THREADS * S::STRIDE];

    const uint32_t group = (blockIdx.x * WARP_SORT_THREADS + threadIdx.x) / LANES;
    Code *warp_rows = shared + (threadIdx.x & -32u) * S::STRIDE;
    Part parts[Element::SEGMENTS];
    bool fits = HAS_SHORT_ROW;

#pragma unroll
    for (int half = 0; half < Element::SEGMENTS; half++) {
        parts[half] = part_of(task, group * Element::SEGMENTS + half);
        fits = fits && parts[half].count <= SHORT_ROW * LANES;
    }
    if constexpr (HAS_SHORT_ROW)
        if (__all_sync(UINT32_MAX, fits)) {
            sort_in_warp<Element, SHORT_ROW, LEVELS>(task, parts, warp_rows);
            return;
        }
    sort_in_warp<Element, ROW, LEVELS>(task, parts, warp_rows);
}

/*
 * Merges the sorted blocks of a cluster of 2^BITS, each of whose threads holds a
 * row: strides between blocks here, through each other's shared memory.
 */
template <class Element, class S, int THREADS, int BITS>
__device__ __forceinline__ void merge_cluster(typename Element::Code *rows, typename Element::Code (&row)[S::ROW],
                                              const typename Element::Factors &factors)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    using Code = typename Element::Code;
    constexpr int LEVELS = log2_of(THREADS);
    auto cluster = cooperative_groups::this_cluster();
    const uint32_t rank = cluster.block_rank();

#pragma unroll 1
    for (uint32_t reach = 2; reach <= (1u << BITS); reach *= 2) {
#pragma unroll 1
        for (uint32_t stride = reach; stride > 1; stride /= 2) {
            /* The first pass turns the upper run round; the others compare at equal places. */
            const bool turn = stride == reach;
            const uint32_t partner = turn ? rank ^ (reach - 1) : rank ^ (stride / 2);
            const bool upper = rank > partner;
            const Code *theirs;

            __syncthreads();
            store_row<S>(rows, threadIdx.x, row);
            cluster.sync();
            theirs =
                cluster.map_shared_rank(rows, partner) + (turn ? THREADS - 1 - threadIdx.x : threadIdx.x) * S::STRIDE;
#pragma unroll
            for (int i = 0; i < S::CHUNKS; i++) {
                const auto chunk = *reinterpret_cast<const Chunk<S::CHUNK, Code> *>(
                    theirs + (turn ? S::CHUNKS - 1 - i : i) * S::CHUNK);

#pragma unroll
                for (int j = 0; j < S::CHUNK; j++)
                    Element::keep(row[i * S::CHUNK + j], turn ? chunk.part[S::CHUNK - 1 - j] : chunk.part[j], upper,
                                  factors);
            }
            cluster.sync();
        }
        store_row<S>(rows, threadIdx.x, row);
        __syncthreads();
        halve_rows<Element, S, LEVELS - 5, false>(rows, threadIdx.x, 5, true, true, row, factors);
        halve_rows<Element, S, 5, false>(rows + (threadIdx.x & -32u) * S::STRIDE, threadIdx.x & 31, 0, false, true, row,
                                         factors);
        load_row<S>(rows, threadIdx.x, row);
        merge_row<Element, S::ROW>(row, factors);
    }
#endif
}

/* Sorts one segment (Keys16: two) by a block, or by a cluster of 2^CLUSTER_BITS. */
template <class Element, int ROW, int THREADS, int CLUSTER_BITS>
__device__ __forceinline__ void sort_in_block(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                              uint32_t longest, typename Element::Code *rows)
{
    using S = Shape<Element, ROW>;
    constexpr uint32_t BLOCK = THREADS * ROW;
    const uint32_t lane = threadIdx.x % 32, warp_first = (threadIdx.x & -32u) * ROW;
    const uint32_t rank = CLUSTER_BITS == 0 ? 0 : blockIdx.x & ((1 << CLUSTER_BITS) - 1);
    typename Element::Code row[ROW];

    /* Keys of this block, warps that have any, and the frame that those fill. */
    const uint32_t base = rank * BLOCK;
    const uint32_t count = CLUSTER_BITS == 0 ? longest : BLOCK;
    const uint32_t slots =
        CLUSTER_BITS == 0 ? (longest + 32 * ROW - 1) / (32 * ROW) * (32 * ROW) : BLOCK << CLUSTER_BITS;
    Part present[Element::SEGMENTS];

#pragma unroll
    for (int half = 0; half < Element::SEGMENTS; half++) {
        present[half] = parts[half];
        if (warp_first >= count)
            present[half].count = 0;
    }
    read_row<Element, S>(task, present, (base + warp_first) / S::CHUNK + lane, 32, slots, row);
    if (warp_first < count)
        sort_and_mend<Element, S>(row, task.coding, task.factors);
    if constexpr ((ROW & (ROW - 1)) != 0)
        merge_rows_shuffling<Element, S, log2_of(THREADS)>(rows, threadIdx.x, row, task.factors);
    else
        merge_rows<Element, S, log2_of(THREADS)>(rows, threadIdx.x, count, row, task.factors);
    if constexpr (CLUSTER_BITS > 0)
        merge_cluster<Element, S, THREADS, CLUSTER_BITS>(rows, row, task.factors);

    typename Element::Code *warp_rows = rows + (threadIdx.x & -32u) * S::STRIDE;

    __syncwarp();
    store_row<S>(warp_rows, lane, row);
    __syncwarp();
    write_rows<Element, S, 32>(task, parts, warp_rows, lane, base + warp_first, [] {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
        if (CLUSTER_BITS > 0)
            cooperative_groups::this_cluster().sync();
        else
#endif
            __syncthreads();
    });
}

/*
 * Sorts segments of up to (THREADS * ROW) << CLUSTER_BITS keys, a cluster of
 * 2^CLUSTER_BITS blocks each.  Where there are but two warps, segments that fit in
 * three quarters of that get rows of three quarters; else whole warps idle.
 */
template <class Element, int ROW, int THREADS, int CLUSTER_BITS, int BLOCKS_PER_MULTIPROCESSOR>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_MULTIPROCESSOR)
    block_sort(const __grid_constant__ NetworkTask task)
{
    constexpr int SHORT_ROW = ROW / 4 * 3;
    constexpr bool HAS_SHORT_ROW = THREADS == 64 && CLUSTER_BITS == 0 && SHORT_ROW % 8 == 0;
    extern __shared__ uint4 shared_memory[];
    typename Element::Code *rows = reinterpret_cast<typename Element::Code *>(shared_memory);
    Part parts[Element::SEGMENTS];
    uint32_t longest = 0;

#pragma unroll
    for (int half = 0; half < Element::SEGMENTS; half++) {
        parts[half] = part_of(task, (blockIdx.x >> CLUSTER_BITS) * Element::SEGMENTS + half);
        longest = max(longest, parts[half].count);
    }
    if constexpr (HAS_SHORT_ROW)
        if (longest <= SHORT_ROW * THREADS) {
            sort_in_block<Element, SHORT_ROW, THREADS, CLUSTER_BITS>(task, parts, longest, rows);
            return;
        }
    sort_in_block<Element, ROW, THREADS, CLUSTER_BITS>(task, parts, longest, rows);
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_KERNELS_CUH */
