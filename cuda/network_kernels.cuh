/*
 * network_kernels.cuh
 *	  Bitonic merges of sorted rows, and the kernels made of them.
 *
 * A segment of up to THREADS x ROW keys is sorted by a group of THREADS threads,
 * each holding one row of ROW elements.  Rows are sorted in registers; then
 * level after level, runs of 2^(level-1) rows are merged in pairs: the upper run is
 * turned round, which makes the pair bitonic, and halvers follow with strides from
 * half the pair down to 1.  Strides below ROW are the row's own affair (merge_row).
 * Longer strides go through shared memory in passes of up to five or so: rows are
 * stored, each thread reads a few columns of all rows that the strides join, runs the
 * halvers in registers and writes the columns back.  The first pass of a level reads
 * the upper run mirrored, so turning it round costs nothing.
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
 * How a level's strides between rows are shared out among passes through shared
 * memory: with `rest` bits of the row number left to halve, the next pass takes the
 * upper ones and leaves step_of(rest).  Passes over more than 5 bits reach beyond a warp.
 */
template <class S>
constexpr __host__ __device__ int step_of(int rest)
{
    const int left = rest > S::COLUMN_BITS ? rest - S::COLUMN_BITS : 0;

    return rest > 5 && left < 4 ? 4 : left;
}

/* Whether a pass that turns nothing round, not the first of a level, can find `rest` bits left. */
template <class S>
constexpr __host__ __device__ bool can_remain(int rest, int levels, int cluster_bits)
{
    if (cluster_bits > 0 && rest == levels)
        return true;
    for (int level = 1; level <= levels; level++)
        for (int left = step_of<S>(level); left > 0; left = step_of<S>(left))
            if (left == rest)
                return true;
    return false;
}

/*
 * The columns that one thread takes in a pass: of 2^BITS rows, 2^STEP apart, in a group
 * of 2^(BITS+STEP) rows.  t is the thread's number in the group.
 */
template <class S, class Code, int BITS, int STEP>
struct Columns {
    static constexpr int ROWS = 1 << BITS;
    static constexpr int PER_ROW = S::ROW >> BITS;
    static constexpr int CHUNK = (PER_ROW & -PER_ROW) < S::CHUNK ? (PER_ROW & -PER_ROW) : S::CHUNK;
    static constexpr int DISTANCE = S::STRIDE << STEP;
    /* Far rows in few parts: neighbours take neighbouring rows, else neighbouring columns. */
    static constexpr bool ROWS_FIRST = BITS <= 2 && STEP >= 3;

    uint32_t row, column;

    __device__ __forceinline__ explicit Columns(uint32_t t)
    {
        row = ROWS_FIRST ? t % (1 << STEP) : t / ROWS;
        column = (ROWS_FIRST ? t >> STEP : t % ROWS) * CHUNK;
    }

    /* Reads them; with MIRROR the upper half of the rows turned round. */
    template <bool MIRROR>
    __device__ __forceinline__ void load(const Code *group, Code (&taken)[S::ROW]) const
    {
        const Code *low = group + row * S::STRIDE + column;
        const Code *high = group + ((1 << STEP) - 1 - row) * S::STRIDE + (S::ROW - CHUNK) - column;

#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int i = 0; i < PER_ROW / CHUNK; i++) {
                const bool mirrored = MIRROR && r >= ROWS / 2;
                const Code *source = mirrored ? high + (ROWS + ROWS / 2 - 1 - r) * DISTANCE - i * (CHUNK << BITS)
                                              : low + r * DISTANCE + i * (CHUNK << BITS);
                const Chunk<CHUNK, Code> chunk = *reinterpret_cast<const Chunk<CHUNK, Code> *>(source);

#pragma unroll
                for (int j = 0; j < CHUNK; j++)
                    taken[r * PER_ROW + i * CHUNK + j] = chunk.part[mirrored ? CHUNK - 1 - j : j];
            }
    }

    __device__ __forceinline__ void store(Code *group, const Code (&taken)[S::ROW]) const
    {
        Code *low = group + row * S::STRIDE + column;

#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int i = 0; i < PER_ROW / CHUNK; i++) {
                Chunk<CHUNK, Code> chunk;

#pragma unroll
                for (int j = 0; j < CHUNK; j++)
                    chunk.part[j] = taken[r * PER_ROW + i * CHUNK + j];
                *reinterpret_cast<Chunk<CHUNK, Code> *>(low + r * DISTANCE + i * (CHUNK << BITS)) = chunk;
            }
    }
};

template <class Element, int ROW, int STRIDE, int FIRST, int... I>
__device__ __forceinline__ void halve(typename Element::Code (&taken)[ROW], const typename Element::Factors &factors,
                                      std::integer_sequence<int, I...>)
{
    (Element::template exchange<FIRST + I>(taken[I / STRIDE * 2 * STRIDE + I % STRIDE],
                                           taken[I / STRIDE * 2 * STRIDE + I % STRIDE + STRIDE], factors),
     ...);
}

/* Halvers between the 2^BITS rows of a thread's columns. */
template <class Element, int ROW, int BITS, int DONE = 0>
__device__ __forceinline__ void halve_columns(typename Element::Code (&taken)[ROW],
                                              const typename Element::Factors &factors)
{
    if constexpr (DONE < BITS) {
        halve<Element, ROW, (ROW >> DONE) / 2, DONE *(ROW / 2)>(taken, factors,
                                                                std::make_integer_sequence<int, ROW / 2>());
        halve_columns<Element, ROW, BITS, DONE + 1>(taken, factors);
    }
}

/*
 * The pass that finds REST bits left, in groups of 2^REST threads; MIRROR: the upper half
 * is turned round.  Threads that do not join only keep the barriers.
 */
template <class Element, class S, int REST, bool MIRROR>
__device__ __forceinline__ void run_pass(typename Element::Code *rows, uint32_t t, bool joins,
                                         const typename Element::Factors &factors)
{
    constexpr int STEP = step_of<S>(REST), BITS = REST - STEP;
    constexpr bool ACROSS = REST > 5;
    const Columns<S, typename Element::Code, BITS, STEP> columns(t % (1 << REST));
    typename Element::Code *group = rows + (t >> REST << REST) * S::STRIDE;
    typename Element::Code taken[S::ROW];

    if (joins)
        columns.template load<MIRROR>(group, taken);
    else {
        /* Defined on all paths, or the registers would be held through the loops around. */
#pragma unroll
        for (int i = 0; i < S::ROW; i++)
            taken[i] = typename Element::Code();
    }
    if (MIRROR)
        synchronize(ACROSS);
    if (joins) {
        halve_columns<Element, S::ROW, BITS>(taken, factors);
        columns.store(group, taken);
    }
    synchronize(ACROSS);
}

/* Runs the pass of a level that finds `rest` bits left, from LEAST to MOST; MIRROR: the level's first. */
template <class Element, class S, int LEAST, int MOST, int LEVELS, int CLUSTER_BITS, bool MIRROR>
__device__ __forceinline__ void run_pass_of(int rest, typename Element::Code *rows, uint32_t t, bool joins,
                                            const typename Element::Factors &factors)
{
    if constexpr (MOST >= LEAST) {
        if constexpr (MIRROR || can_remain<S>(MOST, LEVELS, CLUSTER_BITS)) {
            if (rest == MOST) {
                run_pass<Element, S, MOST, MIRROR>(rows, t, joins, factors);
                return;
            }
        }
        run_pass_of<Element, S, LEAST, MOST - 1, LEVELS, CLUSTER_BITS, MIRROR>(rest, rows, t, joins, factors);
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
 * Merges the sorted rows of 2^LEVELS lanes: the first SHUFFLED levels by shuffles, the
 * others through the warp's rows of shared memory.  One piece of code merges the rows of
 * all levels, for code competes for the instruction cache.
 */
template <class Element, class S, int SHUFFLED, int LEVELS>
__device__ __forceinline__ void merge_in_warp(typename Element::Code *rows, uint32_t t,
                                              typename Element::Code (&row)[S::ROW],
                                              const typename Element::Factors &factors)
{
#pragma unroll(LEVELS <= 2 ? 2 : 1)
    for (int level = 1; level <= LEVELS; level++) {
        if (level <= SHUFFLED) {
            if constexpr (SHUFFLED > 0)
                merge_neighbours<Element, S>(t, (1u << level) - 1, row, factors);
            if constexpr (SHUFFLED > 1)
                halve_lanes<Element, S>(t, (1u << level) / 4, row, factors);
        } else if constexpr (SHUFFLED < LEVELS) {
            store_row<S>(rows, t, row);
            __syncwarp();
            run_pass_of<Element, S, SHUFFLED + 1, LEVELS, LEVELS, 0, true>(level, rows, t, true, factors);
            for (int rest = step_of<S>(level); rest > 0; rest = step_of<S>(rest))
                run_pass_of<Element, S, 1, LEVELS, LEVELS, 0, false>(rest, rows, t, true, factors);
            load_row<S>(rows, t, row);
        }
        merge_row<Element, S::ROW>(row, factors);
    }
}

/*
 * Strides between the blocks of a cluster, in the level that joins `reach` blocks: each
 * thread compares its row with one of another block's shared memory.
 */
template <class Element, class S, int THREADS, int BITS>
__device__ __forceinline__ void halve_blocks(typename Element::Code *rows, uint32_t reach,
                                             const typename Element::Factors &factors)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    using Code = typename Element::Code;
    auto cluster = cooperative_groups::this_cluster();
    const uint32_t rank = cluster.block_rank();

    for (uint32_t stride = reach; stride > 1; stride /= 2) {
        /* The first pass turns the upper run round; the others compare at equal places. */
        const bool turn = BITS == 1 || stride == reach;
        const uint32_t partner = turn ? rank ^ (reach - 1) : rank ^ (stride / 2);
        const bool upper = rank > partner;
        Code other[S::ROW];

        cluster.sync();
        load_row<S>(cluster.map_shared_rank(rows, partner), turn ? THREADS - 1 - threadIdx.x : threadIdx.x, other);
        cluster.sync();
        /* The thread's own row stays in shared memory meanwhile: both do not fit in registers. */
#pragma unroll
        for (int i = 0; i < S::CHUNKS; i++) {
            auto *own = reinterpret_cast<Chunk<S::CHUNK, Code> *>(rows + threadIdx.x * S::STRIDE + i * S::CHUNK);
            auto chunk = *own;

#pragma unroll
            for (int j = 0; j < S::CHUNK; j++) {
                const int place = i * S::CHUNK + j;

                Element::keep(chunk.part[j], turn ? other[S::ROW - 1 - place] : other[place], upper, factors);
            }
            *own = chunk;
        }
    }
#endif
}

/*
 * Merges the sorted warps of a block of 2^LEVELS threads, whose rows are in shared memory,
 * and then the blocks of a cluster of 2^CLUSTER_BITS; count: keys of a block.
 */
template <class Element, class S, int LEVELS, int CLUSTER_BITS>
__device__ __forceinline__ void merge_warps(typename Element::Code *rows, uint32_t t, uint32_t count,
                                            const typename Element::Factors &factors)
{
#pragma unroll 1
    for (int level = 6; level <= LEVELS + CLUSTER_BITS; level++) {
        /* Groups without an upper run have nothing to merge. */
        const bool joins = CLUSTER_BITS > 0 || ((t >> level << level) + (1u << level) / 2) * S::ROW < count;
        /* Warps beyond the end hold only what fills up once passes are within warps. */
        const bool goes_on = CLUSTER_BITS > 0 || (joins && (t & -32u) * S::ROW < count);
        int rest = LEVELS;

        if (CLUSTER_BITS > 0 && level > LEVELS)
            halve_blocks<Element, S, 1 << LEVELS, CLUSTER_BITS>(rows, 1u << (level - LEVELS), factors);
        __syncthreads();
        if (CLUSTER_BITS == 0 || level <= LEVELS) {
            run_pass_of<Element, S, 6, LEVELS, LEVELS, CLUSTER_BITS, true>(level, rows, t, joins, factors);
            rest = step_of<S>(level);
        }
#pragma unroll 1
        for (; rest > 0; rest = step_of<S>(rest))
            run_pass_of<Element, S, 1, LEVELS, LEVELS, CLUSTER_BITS, false>(rest, rows, t, rest > 5 ? joins : goes_on,
                                                                            factors);
        if (goes_on) {
            typename Element::Code row[S::ROW];

            load_row<S>(rows, t, row);
            merge_row<Element, S::ROW>(row, factors);
            store_row<S>(rows, t, row);
        }
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

/*
 * Joins the runs of two warps whose rows are no power of two long: half the strides
 * between lanes through shared memory, the others by shuffles.
 */
template <class Element, class S>
__device__ __forceinline__ void merge_two_warps(typename Element::Code *rows, uint32_t t,
                                                const typename Element::Factors &factors)
{
    const Columns<S, typename Element::Code, 1, 5> columns(t);
    typename Element::Code row[S::ROW];

    __syncthreads();
    columns.template load<true>(rows, row);
    __syncthreads();
    halve<Element, S::ROW, S::ROW / 2, 0>(row, factors, std::make_integer_sequence<int, S::ROW / 2>());
    columns.store(rows, row);
    __syncthreads();
    load_row<S>(rows, t, row);
    halve_lanes<Element, S>(t, 16, row, factors);
    merge_row<Element, S::ROW>(row, factors);
    store_row<S>(rows, t, row);
}

/*
 * Sorts the rows of 2^LEVELS threads, of a warp or a block, into shared memory.  The
 * first level is merged by shuffles, rows that are no power of two long all that are
 * within a warp: their columns cannot be dealt out to the lanes evenly.
 */
template <class Element, class S, int LEVELS, int CLUSTER_BITS = 0>
__device__ __forceinline__ void sort_rows(const NetworkTask &task, typename Element::Code *rows, uint32_t t,
                                          uint32_t count, typename Element::Code (&row)[S::ROW])
{
    constexpr bool WHOLE = (S::ROW & (S::ROW - 1)) == 0;
    constexpr int IN_WARP = LEVELS < 5 ? LEVELS : 5;
    constexpr int SHUFFLED = !WHOLE ? IN_WARP : Element::SHUFFLES ? 1 : 0;

    static_assert(WHOLE || LEVELS <= 6, "two warps at most");
    if (LEVELS <= 5 || (t & -32u) * S::ROW < count) {
        sort_and_mend<Element, S>(row, task.coding, task.factors);
        merge_in_warp<Element, S, SHUFFLED, IN_WARP>(rows, t, row, task.factors);
    }
    store_row<S>(rows, t, row);
    if constexpr (LEVELS > 5 && WHOLE)
        merge_warps<Element, S, LEVELS, CLUSTER_BITS>(rows, t, count, task.factors);
    else if constexpr (LEVELS > 5)
        merge_two_warps<Element, S>(rows, t, task.factors);
    __syncwarp();
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

    sort_rows<Element, S, LEVELS>(task, warp_rows, lane, LANES * ROW, row);
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
    sort_rows<Element, S, log2_of(THREADS), CLUSTER_BITS>(task, rows, threadIdx.x, count, row);
    write_rows<Element, S, 32>(task, parts, rows + (threadIdx.x & -32u) * S::STRIDE, lane, base + warp_first, [] {
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
