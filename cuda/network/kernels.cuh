/*
 * kernels.cuh
 *	  The kernels: groups of threads that read, sort and write segments.
 *
 * Groups of up to a warp share a warp (warp_sort).  Longer segments have a block,
 * in which warps beyond the segment's end idle (block_sort); still longer ones a
 * cluster of blocks that exchange rows through distributed shared memory.
 */
#ifndef GPUSORT_NETWORK_KERNELS_CUH
#define GPUSORT_NETWORK_KERNELS_CUH

#include "network/merges.cuh"
#include "network/payload.cuh"

namespace gpusort
{

/* Rows a power of two long can be dealt out by columns. */
template <class S>
constexpr bool is_whole = (S::ROW & (S::ROW - 1)) == 0;

/* Whether to try an element's plain form: not where device memory, or a cluster's barriers, are the limit. */
template <class Element, int ROW, int LEVELS, int CLUSTER_BITS = 0>
constexpr bool has_plain = PLAIN_FLOATS && !std::is_void_v<typename Element::Plain> &&
                           (LEVELS == 3 || (ROW >= 32 && LEVELS >= 4)) && CLUSTER_BITS == 0;

/*
 * Sorts the row of a lane, or with HALVES its halves, and puts NaNs right where keys are
 * sorted alone; false for a NaN among plain floats.
 */
template <class Element, class S, bool HALVES = false>
__device__ __forceinline__ bool sort_own_row(typename Element::Code (&row)[S::ROW], const NetworkTask &task)
{
    if constexpr (compares_floats<Element>) {
        sort_row<Element, S::ROW>(row, task.factors);
        return !Element::has_nan(row);
    } else {
        bool again;

        do {
            if constexpr (HALVES)
                sort_halves<Element, S::ROW>(row, task.factors);
            else
                sort_row<Element, S::ROW>(row, task.factors);
            again = false;
            if constexpr (Element::MENDS) {
                constexpr int ROW = S::ROW;

                again = mend_row(row, HALVES ? min(row[0], row[ROW - 1]) : row[0],
                                 HALVES ? max(row[ROW / 2 - 1], row[ROW / 2]) : row[ROW - 1], task.coding);
            }
        } while (again);
        return true;
    }
}

/*
 * Sorts the rows of 2^LEVELS threads into shared memory, of which `count` keys are the segment's,
 * and merges those of a cluster of up to 2^CLUSTER_BITS blocks.  All levels share the code that merges rows,
 * those above 5 also the pass of level 5.  Rows lie in shared memory between passes, those of
 * warps without keys as well: registers that live on would be moved about.  False if there is
 * a NaN among plain floats.
 */
template <class Element, class S, int LEVELS, int CLUSTER_BITS>
__device__ __forceinline__ bool sort_rows_of_block(const NetworkTask &task, typename Element::Code *rows, uint32_t t,
                                                   uint32_t count, typename Element::Code (&row)[S::ROW])
{
    using Code = typename Element::Code;
    constexpr int FIRST = Element::SHUFFLES ? 2 : 1;
    const uint32_t lane = t % 32;
    Code *warp_rows = rows + (t - lane) * S::STRIDE;
    /* A vote, so that the compiler knows the condition is uniform in the warp. */
    const bool works = __any_sync(UINT32_MAX, (t - lane) * S::ROW < count);
    /* Up to level 4 the upper lanes have their rows in reverse order, and after that in order. */
    const uint32_t place = lane < 16 ? lane : 47 - lane;
    Code *own = warp_rows + place * S::STRIDE;
    int refused = 0;

    if constexpr (Element::BY_ROW)
        Element::template code_row<false>(row, task.coding);
    if (works) {
        refused = !sort_own_row<Element, S>(row, task);
        if constexpr (Element::SHUFFLES)
            merge_by_shuffles<Element, S, 1>(place, row, task.factors);
    }
#pragma unroll 1
    for (int level = FIRST; level <= LEVELS + cluster_bits_of<CLUSTER_BITS>(task); level++) {
        bool merges = works;

        if (level == 5) {
            __syncwarp();
            own = warp_rows + lane * S::STRIDE;
        }
        store_row<S>(own, 0, row);
        if (level <= 5)
            __syncwarp();
        else if (CLUSTER_BITS > 0 && level > LEVELS) {
            synchronize_cluster();
            halve_blocks<Element, S, 1 << LEVELS, CLUSTER_BITS>(rows, 1u << (level - LEVELS), task.factors);
            join_warps<Element, S, LEVELS - 5, false>(rows, t, task.factors);
            __syncthreads();
        } else {
            if constexpr (compares_floats<Element>)
                if (level == LEVELS)
                    refused = __syncthreads_or(refused);

            /* Groups without an upper run have nothing to merge. */
            const bool joins = __any_sync(UINT32_MAX, ((t >> level << level) + (1u << level) / 2) * S::ROW < count);

            join_warps_of<Element, S, 1, LEVELS>(level - 5, rows, t, joins, task.factors);
            merges = works && joins;
        }
        if (merges && level >= 5)
            run_warp_pass<Element, S>(warp_rows, lane, level > 5, task.factors);
        else if (merges)
            run_pass_of<Element, S, FIRST, 4, 4, 0, true>(level, warp_rows, lane, true, task.factors);
        load_row<S>(own, 0, row);
        if (merges)
            merge_row<Element, S::ROW>(row, task.factors);
    }
    if constexpr (compares_floats<Element>) {
        if (__any_sync(UINT32_MAX, refused)) {
            __syncwarp();
            return false;
        }
    }
    if constexpr (Element::BY_ROW)
        Element::template code_row<true>(row, task.coding);
    store_row<S>(own, 0, row);
    __syncwarp();
    return true;
}

/*
 * Sorts the rows of 2^LEVELS threads, of a warp or a block, into shared memory; of a warp's
 * pairs only the positions.  The first level is merged by shuffles.  So are all within a
 * warp where rows are no power of two long, for their columns cannot be dealt out to the
 * lanes evenly, and where they are 32 codes of 64 bits, for the passes would not fit the
 * instruction cache.  False if there is a NaN among plain floats.
 */
template <class Element, class S, int LEVELS, int CLUSTER_BITS = 0>
__device__ __forceinline__ bool sort_rows(const NetworkTask &task, typename Element::Code *rows, uint32_t t,
                                          uint32_t count, typename Element::Code (&row)[S::ROW])
{
    constexpr int IN_WARP = LEVELS < 5 ? LEVELS : 5;
    constexpr bool WIDE = LEVELS <= 5 && S::ROW == 32 && sizeof(typename Element::Code) == 8;
    constexpr bool HALVES = WIDE && LEVELS > 2;

    static_assert(is_whole<S> || LEVELS <= 5, "such rows are merged by shuffles");
    if constexpr (LEVELS > 5 && S::COLUMN_BITS == 5)
        return sort_rows_of_block<Element, S, LEVELS, CLUSTER_BITS>(task, rows, t, count, row);
    else {
        if constexpr (Element::BY_ROW)
            Element::template code_row<false>(row, task.coding);
        if (LEVELS <= 5 || (t & -32u) * S::ROW < count) {
            const bool sorted = sort_own_row<Element, S, HALVES>(row, task);

            if constexpr (compares_floats<Element>)
                if (__any_sync(UINT32_MAX, !sorted))
                    return false;
            if constexpr (is_whole<S> && !WIDE)
                merge_in_warp<Element, S, IN_WARP>(rows, t, row, task.factors);
            else
                merge_by_shuffles<Element, S, IN_WARP, HALVES>(t, row, task.factors);
        }
        if constexpr (Element::BY_ROW)
            Element::template code_row<true>(row, task.coding);
        if constexpr (LEVELS <= 5 && Element::PAIRS) {
            __syncwarp();
            store_positions<Element, S>(rows, t, row);
        } else
            store_row<S>(rows, t, row);
        if constexpr (LEVELS > 5)
            merge_warps<Element, S, LEVELS, CLUSTER_BITS>(task, rows, t, count);
        __syncwarp();
        return true;
    }
}

constexpr int WARP_SORT_THREADS = 128;

/* Sorts the segments of one warp as sort_in_warp does; false, and nothing written, if plain floats do not serve. */
template <class Element, int ROW, int LEVELS, int LEAST>
__device__ __forceinline__ bool sort_warp_of(const NetworkTask &task, const Part &part, const Part *warp_parts,
                                             typename Element::Code *warp_rows)
{
    using S = Shape<Element, ROW>;
    constexpr uint32_t LANES = 1 << LEVELS;
    const uint32_t lane = threadIdx.x % 32, t = lane % LANES;
    bool whole = false, framed = false;
    typename Element::Code row[ROW];

    if constexpr (ALONE<Element>) {
        whole = all_whole<S>(part);
        if constexpr (LEVELS > 1)
            framed = !whole && all_framed<S>(part, LANES * ROW);
    }
    if constexpr (Element::PAIRS)
        read_row<Element, KeyShape<Element, ROW>, LEAST>(task, part, t, LANES, LANES * ROW, row);
    else if (whole && LEVELS > 1)
        read_chunks<Element, S, LANES, false, LEAST>(task, part, 0, t, row);
    else if (framed)
        read_chunks<Element, S, LANES, true, LEAST>(task, {part.start, part.count + skew_of<S>(part)}, 0, t, row);
    else if constexpr (LEVELS <= 3)
        read_steps<Element, S, LANES>(task, warp_parts, warp_rows, lane, row);
    else
        read_scattered<Element, S, LANES>(task, part, t, row);
    if (!sort_rows<Element, S, LEVELS>(task, warp_rows, lane, LANES * ROW, row))
        return false;
    if constexpr (Element::PAIRS)
        write_positions<S, LANES>(task, part, warp_rows, lane);
    else
        write_keys<Element, S, LANES>(task, part, warp_parts, warp_rows, lane, 0, whole, framed);
    return true;
}

/*
 * Sorts the segments of one warp, 2^LEVELS lanes for each, in its rows of shared memory;
 * warp_parts: the segments of all lanes, in shared memory, where keys are alone.  LEAST: see read_keys.
 */
template <class Element, int ROW, int LEVELS, int LEAST = 0>
__device__ __forceinline__ void sort_in_warp(const NetworkTask &task, const Part &part, const Part *warp_parts,
                                             typename Element::Code *warp_rows)
{
    if constexpr (has_plain<Element, ROW, LEVELS>)
        if (task.coding.is_float &&
            sort_warp_of<typename Element::Plain, ROW, LEVELS, LEAST>(task, part, warp_parts, warp_rows))
            return;
    sort_warp_of<typename InWarp<Element, LEVELS>::Sorted, ROW, LEVELS, LEAST>(task, part, warp_parts, warp_rows);
}

/*
 * Sorts segments of up to ROW << LEVELS keys, each by 2^LEVELS lanes.  Warps whose
 * segments all fit in shorter rows use those, if such warps lie together, for the code for both
 * would not fit the instruction cache, or if the other code relies on it.
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
    constexpr int LEAST = ROW == 32 && HAS_SHORT_ROW && LEVELS == 5 ? SHORT_ROW * 32 : 0;
    constexpr bool SHARES_PARTS = ALONE<Element> && LEVELS < 5;
    __shared__ alignas(16) Code shared[WARP_SORT_THREADS * S::STRIDE];
    __shared__ alignas(16) Part shared_parts[SHARES_PARTS ? WARP_SORT_THREADS / LANES : 1];

    const Part part = part_of(task, (blockIdx.x * WARP_SORT_THREADS + threadIdx.x) / LANES);
    Code *warp_rows = shared + (threadIdx.x & -32u) * S::STRIDE;
    const Part *warp_parts = shared_parts + (threadIdx.x & -32u) / LANES;

    if constexpr (SHARES_PARTS) {
        if (threadIdx.x % LANES == 0)
            shared_parts[threadIdx.x / LANES] = part;
        __syncwarp();
    }
    if constexpr (HAS_SHORT_ROW)
        if (__all_sync(UINT32_MAX, (LEAST > 0 || task.grouped) && part.count <= SHORT_ROW * LANES)) {
            sort_in_warp<Element, SHORT_ROW, LEVELS>(task, part, warp_parts, warp_rows);
            return;
        }
    sort_in_warp<Element, ROW, LEVELS, LEAST>(task, part, warp_parts, warp_rows);
}

/* Sorts as sort_in_block does; false, and nothing written, for NaNs among plain floats. */
template <class Element, int ROW, int THREADS, int CLUSTER_BITS>
__device__ __forceinline__ bool sort_block_of(const NetworkTask &task, const Part &part, typename Element::Code *rows)
{
    using S = Shape<Element, ROW>;
    constexpr uint32_t BLOCK = THREADS * ROW;
    const int cluster_bits = cluster_bits_of<CLUSTER_BITS>(task);
    const uint32_t lane = threadIdx.x % 32, warp_first = (threadIdx.x & -32u) * ROW;
    const uint32_t rank = CLUSTER_BITS == 0 ? 0 : blockIdx.x & ((1 << cluster_bits) - 1);
    const bool framed = ALONE<Element> && all_framed<S>(part, BLOCK << cluster_bits);
    typename Element::Code row[ROW];

    /* Keys of this block, warps that have any, and the frame that those fill. */
    const uint32_t base = rank * BLOCK, first = base + warp_first;
    const uint32_t keys = framed ? part.count + skew_of<S>(part) : part.count;
    const uint32_t count = CLUSTER_BITS == 0 ? keys : BLOCK;
    const uint32_t slots = CLUSTER_BITS == 0 ? (keys + 32 * ROW - 1) / (32 * ROW) * (32 * ROW) : BLOCK << cluster_bits;

    if constexpr (!ALONE<Element>)
        read_row<Element, S>(task, {part.start, warp_first < count ? part.count : 0}, first / S::CHUNK + lane, 32,
                             slots, row);
    else if (framed)
        read_chunks<Element, S, 32, true>(task, {part.start, first < keys ? keys : 0}, first / S::CHUNK, lane, row);
    else
        read_scattered<Element, S, 32>(task, {part.start + first, part.count > first ? part.count - first : 0}, lane,
                                       row);
    if (!sort_rows<Element, S, log2_of(THREADS), CLUSTER_BITS>(task, rows, threadIdx.x, count, row))
        return false;
    write_rows<Element, S>(task, part, rows + (threadIdx.x & -32u) * S::STRIDE, lane, first, framed, [] {
        if constexpr (CLUSTER_BITS > 0)
            synchronize_cluster();
        else
            __syncthreads();
    });
    return true;
}

/*
 * Sorts segments of up to THREADS * ROW keys a block each or, with CLUSTER_BITS, longer ones a
 * cluster of up to 2^CLUSTER_BITS blocks each.  Warps beyond a segment's end idle.
 */
template <class Element, int ROW, int THREADS, int CLUSTER_BITS, int BLOCKS_PER_MULTIPROCESSOR>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_MULTIPROCESSOR)
    block_sort(const __grid_constant__ NetworkTask task)
{
    extern __shared__ uint4 shared_memory[];
    typename Element::Code *rows = reinterpret_cast<typename Element::Code *>(shared_memory);
    const Part part = part_of(task, blockIdx.x >> cluster_bits_of<CLUSTER_BITS>(task));

    if constexpr (has_plain<Element, ROW, log2_of(THREADS), CLUSTER_BITS>)
        if (task.coding.is_float &&
            sort_block_of<typename Element::Plain, ROW, THREADS, CLUSTER_BITS>(task, part, rows))
            return;
    sort_block_of<Element, ROW, THREADS, CLUSTER_BITS>(task, part, rows);
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_KERNELS_CUH */
