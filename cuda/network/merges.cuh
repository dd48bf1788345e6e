/*
 * merges.cuh
 *	  Bitonic merges of sorted rows.
 *
 * A segment of up to THREADS x ROW keys is sorted by a group of THREADS threads,
 * each holding one row of ROW elements.  Rows are sorted in registers; then
 * level after level, runs of 2^(level-1) rows are merged in pairs: the upper run is
 * turned round, which makes the pair bitonic, and halvers follow with strides from
 * half the pair down to 1.  Strides below ROW are the row's own affair (merge_row).
 * Longer strides go through shared memory in passes of up to five or so: rows are
 * stored, each thread reads a few columns of all rows that the strides join, runs the
 * halvers in registers and writes the columns back.  The first pass of a level reads
 * the upper run mirrored, so turning it round costs nothing, and writes it so: a
 * bitonic run is bitonic backwards as well.  Each thread writes just where it read, and no
 * pass needs a barrier in its middle.
 *
 * Rows are padded by 16 bytes in shared memory and read and written in 16-byte
 * chunks, which keeps rows and columns free of bank conflicts.
 */
#ifndef GPUSORT_NETWORK_MERGES_CUH
#define GPUSORT_NETWORK_MERGES_CUH

#include "network/io.cuh"
#include "network/row.cuh"

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
    /* Far rows in few parts: neighbors take neighboring rows, else neighboring columns. */
    static constexpr bool ROWS_FIRST = BITS <= 2 && STEP >= 3;

    uint32_t row, column;

    __device__ __forceinline__ explicit Columns(uint32_t t)
    {
        row = ROWS_FIRST ? t % (1 << STEP) : t / ROWS;
        column = (ROWS_FIRST ? t >> STEP : t % ROWS) * CHUNK;
    }

    /* The column of a row that is turned round. */
    __device__ __forceinline__ uint32_t mirrored_column() const
    {
        return S::ROW - CHUNK - column;
    }

    /* Reads them; with MIRROR the upper half of the rows turned round. */
    template <bool MIRROR>
    __device__ __forceinline__ void load(const Code *group, Code (&taken)[S::ROW]) const
    {
        const Code *low = group + row * S::STRIDE + column;
        const Code *high = group + ((1 << STEP) - 1 - row) * S::STRIDE + mirrored_column();

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

    /* Writes them where load read: with MIRROR the upper half of the rows stays turned round. */
    template <bool MIRROR>
    __device__ __forceinline__ void store(Code *group, const Code (&taken)[S::ROW]) const
    {
        Code *low = group + row * S::STRIDE + column;
        Code *high = group + ((1 << STEP) - 1 - row) * S::STRIDE + mirrored_column();

#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int i = 0; i < PER_ROW / CHUNK; i++) {
                const bool mirrored = MIRROR && r >= ROWS / 2;
                Code *target =
                    mirrored ? high + r * DISTANCE - i * (CHUNK << BITS) : low + r * DISTANCE + i * (CHUNK << BITS);
                Chunk<CHUNK, Code> chunk;

#pragma unroll
                for (int j = 0; j < CHUNK; j++)
                    chunk.part[j] = taken[r * PER_ROW + i * CHUNK + (mirrored ? CHUNK - 1 - j : j)];
                *reinterpret_cast<Chunk<CHUNK, Code> *>(target) = chunk;
            }
    }
};

template <class Element, int ROW, int STRIDE, int FIRST, int... I>
__device__ __forceinline__ void halve(typename Element::Code (&taken)[ROW], const NetworkFactors &factors,
                                      std::integer_sequence<int, I...>)
{
    (Element::template exchange<(FIRST + I) % 6>(taken[I / STRIDE * 2 * STRIDE + I % STRIDE],
                                                 taken[I / STRIDE * 2 * STRIDE + I % STRIDE + STRIDE], factors),
     ...);
}

/* Halvers between the 2^BITS rows of a thread's columns. */
template <class Element, int ROW, int BITS, int DONE = 0>
__device__ __forceinline__ void halve_columns(typename Element::Code (&taken)[ROW], const NetworkFactors &factors)
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
                                         const NetworkFactors &factors)
{
    constexpr int STEP = step_of<S>(REST), BITS = REST - STEP;
    constexpr bool ACROSS = REST > 5;
    const Columns<S, typename Element::Code, BITS, STEP> columns(t % (1 << REST));
    typename Element::Code *group = rows + (t >> REST << REST) * S::STRIDE;
    typename Element::Code taken[S::ROW];

    if (joins) {
        columns.template load<MIRROR>(group, taken);
        halve_columns<Element, S::ROW, BITS>(taken, factors);
        columns.template store<MIRROR>(group, taken);
    }
    synchronize(ACROSS);
}

/* Runs the pass of a level that finds `rest` bits left, from LEAST to MOST; MIRROR: the level's first. */
template <class Element, class S, int LEAST, int MOST, int LEVELS, int CLUSTER_BITS, bool MIRROR>
__device__ __forceinline__ void run_pass_of(int rest, typename Element::Code *rows, uint32_t t, bool joins,
                                            const NetworkFactors &factors)
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
                                                 const NetworkFactors &factors)
{
    using Code = typename Element::Code;
    const bool upper = (lane & (mask + 1) / 2) != 0;

    if constexpr (compares_floats<Element>) {
        /* A lane compares half of the pairs and gives back what is the other's. */
#pragma unroll
        for (int i = 0; i < S::ROW / 2; i++) {
            const Code other = __shfl_xor_sync(UINT32_MAX, row[S::ROW - 1 - i], mask);
            const Code sum = row[i] * factors.one + other;

            Element::keep(row[i], other, upper, factors);
            row[S::ROW - 1 - i] = __shfl_xor_sync(UINT32_MAX, row[i] * factors.minus_one + sum, mask);
        }
    } else {
#pragma unroll
        for (int i = 0; i < S::ROW / 2; i++) {
            const Code first = __shfl_xor_sync(UINT32_MAX, row[S::ROW - 1 - i], mask);
            const Code second = __shfl_xor_sync(UINT32_MAX, row[i], mask);

            Element::keep(row[i], first, upper, factors);
            Element::keep(row[S::ROW - 1 - i], second, upper, factors);
        }
    }
}

/* Halvers between lanes' rows, with strides from `stride` lanes down to 1, by shuffles. */
template <class Element, class S>
__device__ __forceinline__ void halve_lanes(uint32_t lane, uint32_t stride, typename Element::Code (&row)[S::ROW],
                                            const NetworkFactors &factors)
{
#pragma unroll 1
    for (; stride > 0; stride /= 2) {
#pragma unroll
        for (int i = 0; i < S::ROW; i++)
            Element::keep(row[i], __shfl_xor_sync(UINT32_MAX, row[i], stride), (lane & stride) != 0, factors);
    }
}

/* Merges the sorted rows of 2^LEVELS lanes by shuffles; with HALVES, only the rows' halves are sorted. */
template <class Element, class S, int LEVELS, bool HALVES = false>
__device__ __forceinline__ void merge_by_shuffles(uint32_t t, typename Element::Code (&row)[S::ROW],
                                                  const NetworkFactors &factors)
{
#pragma unroll(LEVELS <= 2 ? 2 : 1)
    for (int level = HALVES ? 0 : 1; level <= LEVELS; level++) {
        if (!HALVES || level > 0)
            merge_neighbours<Element, S>(t, (1u << level) - 1, row, factors);
        halve_lanes<Element, S>(t, (1u << level) / 4, row, factors);
        merge_row<Element, S::ROW>(row, factors);
    }
}

/*
 * Merges the sorted rows of 2^LEVELS lanes: if the element has SHUFFLES the first level by shuffles, the
 * others through the warp's rows of shared memory.  One piece of code merges the rows of
 * these levels, for code competes for the instruction cache; the first has its own where
 * that leaves room, for sharing costs moves.
 */
template <class Element, class S, int LEVELS>
__device__ __forceinline__ void merge_in_warp(typename Element::Code *rows, uint32_t t,
                                              typename Element::Code (&row)[S::ROW], const NetworkFactors &factors)
{
    constexpr int FIRST = Element::SHUFFLES ? 2 : 1;
    constexpr bool APART = Element::SHUFFLES && (sizeof(typename Element::Code) == 4 || Element::PAIRS);

    if constexpr (APART && LEVELS > 0)
        merge_by_shuffles<Element, S, 1>(t, row, factors);
#pragma unroll(LEVELS <= 2 ? 2 : 1)
    for (int level = APART ? 2 : 1; level <= LEVELS; level++) {
        const bool by_shuffles = level < FIRST;

        if constexpr (Element::SHUFFLES && !APART) {
            if (by_shuffles)
                merge_neighbours<Element, S>(t, 1, row, factors);
        }
        if constexpr (FIRST <= LEVELS) {
            if (!by_shuffles) {
                store_row<S>(rows, t, row);
                __syncwarp();
                run_pass_of<Element, S, FIRST, LEVELS, LEVELS, 0, true>(level, rows, t, true, factors);
                for (int rest = step_of<S>(level); rest > 0; rest = step_of<S>(rest))
                    run_pass_of<Element, S, 1, LEVELS, LEVELS, 0, false>(rest, rows, t, true, factors);
                load_row<S>(rows, t, row);
            }
        }
        merge_row<Element, S::ROW>(row, factors);
    }
}

/*
 * A barrier of the 2^LEVEL threads whose rows a level merges, in a block of 2^LEVELS: the others need not
 * wait.  A block has 16 barriers, enough for its halves, quarters and eighths; a
 * multiprocessor has 64, too few for many small blocks.
 */
template <int LEVEL, int LEVELS>
__device__ __forceinline__ void synchronize_group(uint32_t t)
{
    constexpr int BITS = LEVEL < LEVELS - 3 ? LEVELS - 3 : LEVEL;

    if constexpr (LEVELS < 8 || BITS == LEVELS)
        __syncthreads();
    else
        asm volatile("bar.sync %0, %1;" : : "r"((1u << (LEVELS - BITS)) - 1 + (t >> BITS)), "n"(1 << BITS) : "memory");
}

/* The strides from half of 2^BITS warps' rows down to a warp's; MIRROR: the upper half is turned round. */
template <class Element, class S, int BITS, bool MIRROR>
__device__ __forceinline__ void join_warps(typename Element::Code *rows, uint32_t t, const NetworkFactors &factors)
{
    constexpr uint32_t GROUP = 32 << BITS;
    const Columns<S, typename Element::Code, BITS, 5> columns(t % GROUP);
    typename Element::Code *group = rows + t / GROUP * GROUP * S::STRIDE;
    typename Element::Code taken[S::ROW];

    columns.template load<MIRROR>(group, taken);
    halve_columns<Element, S::ROW, BITS>(taken, factors);
    columns.template store<MIRROR>(group, taken);
}

/*
 * The same for 2^bits warps, with a barrier before and one after; plain floats had another before
 * the block's last level, which told of NaNs.
 */
template <class Element, class S, int BITS, int LEVELS>
__device__ __forceinline__ void join_warps_of(int bits, typename Element::Code *rows, uint32_t t, bool joins,
                                              const NetworkFactors &factors)
{
    constexpr int LEVEL = BITS + 5;

    if (LEVEL == LEVELS || bits == BITS) {
        if (LEVEL < LEVELS || !compares_floats<Element>)
            synchronize_group<LEVEL, LEVELS>(t);
        if (joins)
            join_warps<Element, S, BITS, true>(rows, t, factors);
        synchronize_group<LEVEL, LEVELS>(t);
    } else if constexpr (LEVEL < LEVELS)
        join_warps_of<Element, S, BITS + 1, LEVELS>(bits, rows, t, joins, factors);
}

/*
 * The strides between a warp's 32 rows, a column a lane, in level 5 and, where warps were joined, in
 * the levels above.  Level 5 turns the upper 16 rows round, which are stored in reverse order.
 */
template <class Element, class S>
__device__ __forceinline__ void run_warp_pass(typename Element::Code *rows, uint32_t lane, bool joined,
                                              const NetworkFactors &factors)
{
    using Code = typename Element::Code;
    Code *low = rows + lane, *high = rows + 16 * S::STRIDE + (joined ? lane : 31 - lane);
    Code taken[S::ROW];

    static_assert(S::ROW == 32, "as many columns as lanes");
#pragma unroll
    for (int r = 0; r < 16; r++) {
        taken[r] = low[r * S::STRIDE];
        taken[16 + r] = high[r * S::STRIDE];
    }
    halve_columns<Element, S::ROW, 5>(taken, factors);
#pragma unroll
    for (int r = 0; r < 16; r++) {
        low[r * S::STRIDE] = taken[r];
        high[r * S::STRIDE] = taken[16 + r];
    }
    __syncwarp();
}

/* A barrier of the cluster.  One warp's fence serves its block: each warp's own would take longer. */
__device__ __forceinline__ void synchronize_cluster()
{
    __syncthreads();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    if (threadIdx.x < 32)
        asm volatile("fence.acq_rel.cluster;" : : : "memory");
    asm volatile(
        "barrier.cluster.arrive.relaxed.aligned;\n\t"
        "barrier.cluster.wait.acquire.aligned;"
        :
        :
        : "memory");
#endif
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/*
 * Where the block `rank` of the cluster has what lies at an address of this block's shared memory.  As
 * cooperative_groups has it, but its header takes longer to compile than many a kernel.
 */
template <class T>
__device__ __forceinline__ T *shared_of_block(T *own, uint32_t rank)
{
    return static_cast<T *>(__cluster_map_shared_rank(own, rank));
}
#endif

/*
 * The stride between this block's rows and those of the block `partner` in the cluster; TURN: the
 * upper block's are turned round.  Each warp compares half of its rows, in the order of memory.
 */
template <class Element, class S, int THREADS, bool TURN>
__device__ __forceinline__ void halve_two_blocks(typename Element::Code *rows, uint32_t rank, uint32_t partner,
                                                 const NetworkFactors &factors)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    using Code = typename Element::Code;
    using CodeChunk = Chunk<S::CHUNK, Code>;
    constexpr uint32_t WARPS = THREADS / 32, WARP = 32 * S::STRIDE;
    constexpr int HALF = S::ROW / 2, DISTANCE = 32 * S::CHUNK / S::ROW * S::STRIDE / S::CHUNK;
    const uint32_t warp = threadIdx.x / 32, first = place_of_chunk<S>(0, threadIdx.x % 32);
    const bool upper = rank > partner;
    /* The lower block's warps take the lower half of the pairs. */
    const uint32_t low_place = (upper ? WARP / 2 : 0) + first;
    const uint32_t high_place = TURN ? WARP - 2 * S::CHUNK - low_place : low_place;
    Code *own = rows + warp * WARP;
    Code *other = shared_of_block(rows, partner) + (TURN ? WARPS - 1 - warp : warp) * WARP;
    Code *low = (upper ? other : own) + low_place, *high = (upper ? own : other) + high_place;
    Code taken[S::ROW];

#pragma unroll
    for (int i = 0; i < HALF; i += S::CHUNK) {
        const auto low_chunk = *reinterpret_cast<CodeChunk *>(low + i * DISTANCE);
        const auto high_chunk = *reinterpret_cast<CodeChunk *>(TURN ? high - i * DISTANCE : high + i * DISTANCE);

#pragma unroll
        for (int j = 0; j < S::CHUNK; j++) {
            taken[i + j] = low_chunk.part[j];
            taken[HALF + i + j] = high_chunk.part[TURN ? S::CHUNK - 1 - j : j];
        }
    }
    halve_columns<Element, S::ROW, 1>(taken, factors);
#pragma unroll
    for (int i = 0; i < HALF; i += S::CHUNK) {
        CodeChunk low_chunk, high_chunk;

#pragma unroll
        for (int j = 0; j < S::CHUNK; j++) {
            low_chunk.part[j] = taken[i + j];
            high_chunk.part[TURN ? S::CHUNK - 1 - j : j] = taken[HALF + i + j];
        }
        *reinterpret_cast<CodeChunk *>(low + i * DISTANCE) = low_chunk;
        *reinterpret_cast<CodeChunk *>(TURN ? high - i * DISTANCE : high + i * DISTANCE) = high_chunk;
    }
#endif
}

/* The strides between the blocks of a cluster of up to 2^BITS in the level that joins `reach` of them. */
template <class Element, class S, int THREADS, int BITS>
__device__ __forceinline__ void halve_blocks(typename Element::Code *rows, uint32_t reach,
                                             const NetworkFactors &factors)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const uint32_t rank = __clusterRelativeBlockRank();

    halve_two_blocks<Element, S, THREADS, true>(rows, rank, rank ^ (reach - 1), factors);
    synchronize_cluster();
    if constexpr (BITS > 1)
        for (uint32_t stride = reach / 4; stride > 0; stride /= 2) {
            halve_two_blocks<Element, S, THREADS, false>(rows, rank, rank ^ stride, factors);
            synchronize_cluster();
        }
#endif
}

/*
 * Merges the sorted warps of a block of 2^LEVELS threads, whose rows are in shared memory,
 * and then the blocks of a cluster of up to 2^CLUSTER_BITS; count: keys of a block.
 */
template <class Element, class S, int LEVELS, int CLUSTER_BITS>
__device__ __forceinline__ void merge_warps(const NetworkTask &task, typename Element::Code *rows, uint32_t t,
                                            uint32_t count)
{
#pragma unroll 1
    for (int level = 6; level <= LEVELS + cluster_bits_of<CLUSTER_BITS>(task); level++) {
        /* Groups without an upper run have nothing to merge. */
        const bool joins = CLUSTER_BITS > 0 || ((t >> level << level) + (1u << level) / 2) * S::ROW < count;
        /* Warps beyond the end hold only what fills up once passes are within warps. */
        const bool goes_on = CLUSTER_BITS > 0 || (joins && (t & -32u) * S::ROW < count);
        int rest = LEVELS;

        if (CLUSTER_BITS > 0 && level > LEVELS) {
            synchronize_cluster();
            halve_blocks<Element, S, 1 << LEVELS, CLUSTER_BITS>(rows, 1u << (level - LEVELS), task.factors);
        } else
            __syncthreads();
        if (CLUSTER_BITS == 0 || level <= LEVELS) {
            run_pass_of<Element, S, 6, LEVELS, LEVELS, CLUSTER_BITS, true>(level, rows, t, joins, task.factors);
            rest = step_of<S>(level);
        }
#pragma unroll 1
        for (; rest > 0; rest = step_of<S>(rest))
            run_pass_of<Element, S, 1, LEVELS, LEVELS, CLUSTER_BITS, false>(rest, rows, t, rest > 5 ? joins : goes_on,
                                                                            task.factors);
        if (goes_on) {
            typename Element::Code row[S::ROW];

            load_row<S>(rows, t, row);
            merge_row<Element, S::ROW>(row, task.factors);
            store_row<S>(rows, t, row);
        }
    }
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_MERGES_CUH */
