/*
 * together.cuh
 *	  Sorts segments of up to 512 keys among neighbours of any lengths, all by one piece of code.
 *
 * Where lengths vary, the segments of one class lie apart, and a launch for each class fetches what lies between them
 * in vain.  So a block takes a run of consecutive segments, groups them in shared memory and deals
 * them out to its warps: every key is fetched and written once.  More than one piece of code would not fit the
 * instruction cache.  So all rows are of 32 keys, two segments share one that has room for both, and a warp merges
 * its lanes' rows as many times as its longest segment wants: groups of fewer rows sit the last levels out.
 */
#ifndef GPUSORT_NETWORK_TOGETHER_CUH
#define GPUSORT_NETWORK_TOGETHER_CUH

#include "network/kernels.cuh"

namespace gpusort
{

constexpr int TOGETHER_LEVELS = 4;
constexpr int TOGETHER_ROW = 32;
constexpr uint32_t TOGETHER_LONGEST = TOGETHER_ROW << TOGETHER_LEVELS;
constexpr int TOGETHER_THREADS = 256;
constexpr uint32_t TOGETHER_PER_THREAD = 4;
constexpr uint32_t TOGETHER_LEAST_SEGMENTS = 128; /* of a block */
constexpr uint32_t TOGETHER_MOST_SEGMENTS = TOGETHER_PER_THREAD * TOGETHER_THREADS;

/* Segments of the kind k fill 2^(LEVELS - k) rows or, of the last two kinds, one row or half a row. */
constexpr int KIND_ROW = TOGETHER_LEVELS, KIND_HALF = TOGETHER_LEVELS + 1, KINDS = TOGETHER_LEVELS + 2;
constexpr int NO_KIND = KINDS;

/* What a warp sorts at a time. */
struct Unit {
    bool framed;       /* segments of several rows, else of one or of half a row */
    bool halves;       /* of half a row */
    uint32_t level;    /* binary logarithm of the rows of the lane's segment */
    uint32_t most;     /* the highest level in the warp */
    Part part;         /* the lane's segment, if of several rows */
    const Part *parts; /* else: the segments of the 32 rows, of the half that the lane reads and writes */
    uint32_t place;    /* and its place there */
};

/* A block's segments by kind, in shared memory. */
template <class Element>
struct TogetherGroups {
    static constexpr uint32_t CHUNK = 16 / sizeof(typename Element::Key);
    static constexpr uint32_t APART = 34; /* what 32 parts take, so that two such meet no bank conflicts */

    alignas(16) Part parts[(TOGETHER_MOST_SEGMENTS + 32 + 64) / 32 * APART + 2];
    uint32_t counts[KINDS + 1];
    uint32_t first_part[KINDS];
    uint32_t first_row[KIND_ROW + 1]; /* of the kinds of several rows, and where the last ends */
    uint32_t row_units, half_units, units;
    uint32_t taken; /* units, by the warps */

    /* NO_KIND for what is empty or too long. */
    static __device__ __forceinline__ int kind_of(const Part &part)
    {
        const uint32_t frame = min(part.count + part.start % CHUNK, TOGETHER_LONGEST);
        const uint32_t slots = max(part.count <= TOGETHER_ROW ? part.count : frame, uint32_t(TOGETHER_ROW / 2));
        const int kind = TOGETHER_LEVELS + log2_of(TOGETHER_ROW) - (32 - __clz(slots - 1));

        return part.count - 1 < TOGETHER_LONGEST ? kind : NO_KIND;
    }

    /* The place of the i-th part of a kind of one row or less. */
    static __device__ __forceinline__ uint32_t apart(uint32_t i)
    {
        return i + i / 32 * (APART - 32);
    }

    /* Groups `count` segments; by all threads. */
    __device__ __forceinline__ void fill(const GpusortSegment *segments, uint32_t count)
    {
        const uint32_t before = (1u << threadIdx.x % 32) - 1; /* lanes */
        Part own[TOGETHER_PER_THREAD];
        int kind[TOGETHER_PER_THREAD];
        uint32_t rank[TOGETHER_PER_THREAD];

        if (threadIdx.x <= NO_KIND)
            counts[threadIdx.x] = 0;
#pragma unroll
        for (uint32_t i = 0; i < TOGETHER_PER_THREAD; i++) {
            const uint32_t number = i * TOGETHER_THREADS + threadIdx.x;

            own[i] = {0, 0};
            if (number < count)
                own[i] = {segments[number].start, segments[number].count};
        }
        __syncthreads();
#pragma unroll
        for (uint32_t i = 0; i < TOGETHER_PER_THREAD; i++) {
            kind[i] = kind_of(own[i]);

            const uint32_t alike = __match_any_sync(UINT32_MAX, kind[i]);

            rank[i] = 0;
            if ((alike & before) == 0)
                rank[i] = atomicAdd(&counts[kind[i]], __popc(alike));
            rank[i] = __shfl_sync(UINT32_MAX, rank[i], __ffs(alike) - 1) + __popc(alike & before);
        }
        __syncthreads();
        if (threadIdx.x == 0)
            share_out();
        __syncthreads();
        for (uint32_t i = counts[KIND_ROW] + threadIdx.x; i < (half_units - row_units) * 32; i += TOGETHER_THREADS)
            parts[first_part[KIND_ROW] + apart(i)] = {0, 0};
        for (uint32_t i = counts[KIND_HALF] + threadIdx.x; i < (units - half_units) * 64; i += TOGETHER_THREADS)
            parts[first_part[KIND_HALF] + apart(i)] = {0, 0};
#pragma unroll
        for (uint32_t i = 0; i < TOGETHER_PER_THREAD; i++)
            if (kind[i] != NO_KIND)
                parts[first_part[kind[i]] + (kind[i] < KIND_ROW ? rank[i] : apart(rank[i]))] = own[i];
        __syncthreads();
    }

    /* Places for the counted segments, the longest first, so that each has its rows aligned. */
    __device__ __forceinline__ void share_out()
    {
        uint32_t part = 0, row = 0;

#pragma unroll
        for (int kind = 0; kind < KIND_ROW; kind++) {
            first_part[kind] = part;
            first_row[kind] = row;
            part += counts[kind];
            row += counts[kind] << (TOGETHER_LEVELS - kind);
        }
        first_row[KIND_ROW] = row;
        row_units = (row + 31) / 32;
        half_units = row_units + (counts[KIND_ROW] + 31) / 32;
        units = half_units + (counts[KIND_HALF] + 63) / 64;
        first_part[KIND_ROW] = (part + 1) & -2u;
        first_part[KIND_HALF] = first_part[KIND_ROW] + (half_units - row_units) * APART;
        taken = 0;
    }

    /* The warp's next unit, as a lane sees it; false if there is none. */
    __device__ __forceinline__ bool take(uint32_t lane, Unit *unit)
    {
        uint32_t number = 0;

        *unit = {};
        if (lane == 0)
            asm volatile("atom.shared.add.u32 %0, [%1], 1;"
                         : "=r"(number)
                         : "r"(uint32_t(__cvta_generic_to_shared(&taken)))
                         : "memory");
        number = __shfl_sync(UINT32_MAX, number, 0);
        if (number >= units)
            return false;
        unit->framed = number < row_units;
        unit->halves = number >= half_units;
        if (unit->framed) {
            const uint32_t row = number * 32 + lane;
            uint32_t kind = 0;

#pragma unroll
            for (int i = 1; i < KIND_ROW; i++)
                kind += row >= first_row[i];
            unit->level = TOGETHER_LEVELS - kind;
            unit->most = __shfl_sync(UINT32_MAX, unit->level, 0);
            if (row < first_row[KIND_ROW])
                unit->part = parts[first_part[kind] + ((row - first_row[kind]) >> unit->level)];
        } else {
            const uint32_t bits = unit->halves ? 4 : 5;
            const uint32_t first = unit->halves ? first_part[KIND_HALF] + (number - half_units) * (2 * APART)
                                                : first_part[KIND_ROW] + (number - row_units) * APART;

            unit->parts = parts + first + (lane >> bits) * APART;
            unit->place = lane & ((1u << bits) - 1);
        }
        return true;
    }
};

/*
 * Reads the lane's chunks of its segment's frame, which 2^level lanes share, as read_chunks does where that many
 * lanes are known.
 */
template <class Element, class S>
__device__ __forceinline__ void read_frame(const NetworkTask &task, const Unit &unit, uint32_t t,
                                           typename Element::Code (&row)[S::ROW])
{
    using Key = typename Element::Key;
    using KeyChunk = RawChunk<S::CHUNK, Key>;
    const int step_bits = int(unit.level) + log2_of(S::CHUNK), most = (S::CHUNKS - 1) << step_bits;
    const int skew = int(skew_of<S>(unit.part)), frame = int(unit.part.count) + skew;
    const int first = int(t) * S::CHUNK, left = (frame & -S::CHUNK) - first;
    const bool takes_last = t + 1 == 1u << unit.level;
    const int far = takes_last ? min(left, most) : most;
    const int rest = left - far + (takes_last ? frame & (S::CHUNK - 1) : 0);
    const int whole = (left - 1) >> step_bits; /* the last of the lane's chunks that is whole */
    const Key *keys = as_address(keys_of<Element>(task, unit.part) - skew + first);
    const uint32_t step = sizeof(Key) << step_bits;
    const Key last = Element::last(task.coding);
    KeyChunk raw[S::CHUNKS];

#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++)
#pragma unroll
        for (int j = 0; j < S::CHUNK; j++)
            raw[i].put(j, last);
#pragma unroll
    for (int i = 0; i < S::CHUNKS - 1; i++)
        if (whole >= i)
            raw[i] = *reinterpret_cast<const KeyChunk *>(reinterpret_cast<const char *>(keys) + size_t(step) * i);
    if (rest > 0)
        raw[S::CHUNKS - 1] = *reinterpret_cast<const KeyChunk *>(keys + far);
#pragma unroll
    for (int j = 0; j < S::CHUNK - 1; j++) {
        if (first == 0 && j < skew)
            raw[0].put(j, Element::first(task.coding));
        if (rest <= 1 + j)
            raw[S::CHUNKS - 1].put(1 + j, last);
    }
#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++)
#pragma unroll
        for (int j = 0; j < S::CHUNK; j++)
            row[i * S::CHUNK + j] = Element::make(task.coding, raw[i].part(j), 0);
}

/* Writes sorted frames: their whole chunks, and then what there is of the last and of the first. */
template <class Element, class S>
__device__ __forceinline__ void write_frames(const NetworkTask &task, const Unit &unit, uint32_t t,
                                             const typename Element::Code *warp_rows, uint32_t lane)
{
    using Key = typename Element::Key;
    using Code = typename Element::Code;
    constexpr uint32_t PARTIAL = S::CHUNK - 1; /* places of a chunk that is not whole */
    const uint32_t skew = skew_of<S>(unit.part), end = min(unit.part.count, task.limit) + skew;
    const uint32_t own_start = unit.part.start - skew + t * S::ROW;
    const int own_count = max(0, min(int(end) - int(t * S::ROW), S::ROW));
    const uint32_t own_whole = ((1u << own_count / S::CHUNK) - 1) & ~uint32_t(t == 0 && skew > 0);
    const uint32_t chunk = lane % S::CHUNKS;
    Key *keys = keys_from<Element>(task, chunk * S::CHUNK);

#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        const uint32_t source = (i * 32 + lane) / S::CHUNKS;
        const uint32_t start = __shfl_sync(UINT32_MAX, own_start, source);
        const uint32_t whole = __shfl_sync(UINT32_MAX, own_whole, source);
        const auto codes = *reinterpret_cast<const Chunk<S::CHUNK, Code> *>(warp_rows + place_of_chunk<S>(i, lane));

        store_if(whole >> chunk & 1, keys + start, keys_of_codes<Element, S::CHUNK>(task.coding, codes.part, 0));
    }
#pragma unroll 1
    for (uint32_t i = t; i < (skew > 0 ? 2 : 1) * PARTIAL; i += 1u << unit.level) {
        const uint32_t position = i < PARTIAL ? end / S::CHUNK * S::CHUNK + i : i - PARTIAL + 1;

        if (position >= skew && position < end)
            keys_of<Element>(task, unit.part)[position - skew] =
                Element::key(task.coding, warp_rows[(lane - t + position / S::ROW) * S::STRIDE + position % S::ROW]);
    }
}

constexpr int IN_FLIGHT = 16; /* keys that a lane asks for before it looks at any */

/* Reads rows of one segment or two, a key each lane: see read_steps. */
template <class Element, class S>
__device__ __forceinline__ void read_unit_rows(const NetworkTask &task, const Unit &unit,
                                               typename Element::Code *warp_rows, uint32_t lane,
                                               typename Element::Code (&row)[S::ROW])
{
    using Key = typename Element::Key;
    Key *staged = reinterpret_cast<Key *>(warp_rows) + lane;
    const Key *keys = keys_from<Element>(task, unit.place);
#pragma unroll 1
    for (int begin = 0; begin < 32; begin += IN_FLIGHT) {
        Key taken[IN_FLIGHT];

#pragma unroll
        for (int r = 0; r < IN_FLIGHT; r += 2) {
            const uint4 two = *reinterpret_cast<const uint4 *>(unit.parts + begin + r);

            taken[r] = taken[r + 1] = Element::last(task.coding);
            load_if(unit.place < two.y, keys + two.x, &taken[r]);
            load_if(unit.place < two.w, keys + two.z, &taken[r + 1]);
        }
#pragma unroll
        for (int r = 0; r < IN_FLIGHT; r++)
            staged[(begin + r) * S::STRIDE] = taken[r];
    }
    __syncwarp();
    load_row<S>(reinterpret_cast<Key *>(warp_rows), lane, row);
#pragma unroll
    for (int i = 0; i < S::ROW; i++)
        row[i] = Element::make(task.coding, row[i], 0);
    __syncwarp();
}

/* Writes them. */
template <class Element, class S>
__device__ __forceinline__ void write_unit_rows(const NetworkTask &task, const Unit &unit,
                                                const typename Element::Code *warp_rows, uint32_t lane)
{
    typename Element::Key *keys = keys_from<Element>(task, unit.place);
    const bool wanted = unit.place < task.limit;

#pragma unroll(IN_FLIGHT / 2)
    for (int r = 0; r < 32; r += 2) {
        const uint4 two = *reinterpret_cast<const uint4 *>(unit.parts + r);

        store_if(wanted && unit.place < two.y, keys + two.x,
                 Element::key(task.coding, warp_rows[r * S::STRIDE + lane]));
        store_if(wanted && unit.place < two.w, keys + two.z,
                 Element::key(task.coding, warp_rows[(r + 1) * S::STRIDE + lane]));
    }
}

/* Reads and writes segments of several rows whose frames do not fit those; there are few. */
template <class Element, class S>
__device__ __forceinline__ void read_unframed(const NetworkTask &task, const Unit &unit, uint32_t t,
                                              typename Element::Code *warp_rows, uint32_t lane,
                                              typename Element::Code (&row)[S::ROW])
{
#pragma unroll 1
    for (uint32_t i = t; i < uint32_t(S::ROW) << unit.level; i += 1u << unit.level)
        warp_rows[(lane - t + i / S::ROW) * S::STRIDE + i % S::ROW] = Element::make(
            task.coding, i < unit.part.count ? keys_of<Element>(task, unit.part)[i] : Element::last(task.coding), 0);
    __syncwarp();
    load_row<S>(warp_rows, lane, row);
    __syncwarp();
}

template <class Element, class S>
__device__ __forceinline__ void write_unframed(const NetworkTask &task, const Unit &unit, uint32_t t,
                                               const typename Element::Code *warp_rows, uint32_t lane)
{
#pragma unroll 1
    for (uint32_t i = t; i < min(unit.part.count, task.limit); i += 1u << unit.level)
        keys_of<Element>(task, unit.part)[i] =
            Element::key(task.coding, warp_rows[(lane - t + i / S::ROW) * S::STRIDE + i % S::ROW]);
}

/* Sorts the halves of a lane's row; false for a NaN among plain floats. */
template <class Element>
__device__ __forceinline__ bool sort_both_halves(typename Element::Code (&row)[TOGETHER_ROW], const NetworkTask &task)
{
    if constexpr (compares_floats<Element>) {
        sort_sixteens<Element>(row, task.factors);
        return !isnan(__uint_as_float(row[0])) && !isnan(__uint_as_float(row[16]));
    } else {
        bool again;

        do {
            sort_sixteens<Element>(row, task.factors);
            again =
                Element::template mend_row<TOGETHER_ROW>(row, min(row[0], row[16]), max(row[15], row[31]), task.coding);
        } while (again);
        return true;
    }
}

/* Sorts a unit; false, and nothing written, for NaNs among plain floats. */
template <class Element>
__device__ __forceinline__ bool sort_unit(const NetworkTask &task, const Unit &unit, typename Element::Code *warp_rows,
                                          uint32_t lane)
{
    using S = Shape<Element, TOGETHER_ROW>;
    const uint32_t t = lane & ((1u << unit.level) - 1);
    const bool fits =
        __all_sync(UINT32_MAX, unit.part.count + skew_of<S>(unit.part) <= uint32_t(TOGETHER_ROW) << unit.level);
    typename Element::Code row[S::ROW];

    if (!unit.framed)
        read_unit_rows<Element, S>(task, unit, warp_rows, lane, row);
    else if (fits)
        read_frame<Element, S>(task, unit, t, row);
    else
        read_unframed<Element, S>(task, unit, t, warp_rows, lane, row);

    if constexpr (compares_floats<Element>)
        Element::direct_row(row, task.coding);
    if (__any_sync(UINT32_MAX, !sort_both_halves<Element>(row, task)))
        return false;
    if (!unit.halves)
        join_sixteens<Element>(row, task.factors);
#pragma unroll 1
    for (uint32_t level = 1; level <= unit.most; level++) {
        if (level == 1)
            merge_neighbours<Element, S>(lane, 1, row, task.factors);
        else {
            store_row<S>(warp_rows, lane, row);
            __syncwarp();
            run_pass_of<Element, S, 2, TOGETHER_LEVELS, TOGETHER_LEVELS, 0, true>(int(level), warp_rows, lane,
                                                                                  level <= unit.level, task.factors);
            load_row<S>(warp_rows, lane, row);
        }
        merge_row<Element, S::ROW>(row, task.factors);
    }
    if constexpr (compares_floats<Element>)
        Element::direct_row(row, task.coding);
    store_row<S>(warp_rows, lane, row);
    __syncwarp();

    if (!unit.framed)
        write_unit_rows<Element, S>(task, unit, warp_rows, lane);
    else if (fits)
        write_frames<Element, S>(task, unit, t, warp_rows, lane);
    else
        write_unframed<Element, S>(task, unit, t, warp_rows, lane);
    return true;
}

/* Sorts the segments of up to TOGETHER_LONGEST keys among the task's, a run of `per_block` of them each block. */
template <class Element, int BLOCKS_PER_MULTIPROCESSOR>
__global__ void __launch_bounds__(TOGETHER_THREADS, BLOCKS_PER_MULTIPROCESSOR)
    sort_together(const __grid_constant__ NetworkTask task, uint32_t per_block)
{
    using Code = typename Element::Code;
    constexpr int STRIDE = Shape<Element, TOGETHER_ROW>::STRIDE;
    __shared__ alignas(16) Code rows[TOGETHER_THREADS * STRIDE];
    __shared__ TogetherGroups<Element> groups;
    const uint32_t lane = threadIdx.x % 32;
    Code *warp_rows = rows + (threadIdx.x & -32u) * STRIDE;
    Unit unit;

    groups.fill(task.segments + blockIdx.x * per_block, min(per_block, task.count - blockIdx.x * per_block));
    while (groups.take(lane, &unit)) {
        bool sorted = false;

        if constexpr (PLAIN_FLOATS)
            sorted = task.coding.is_float && sort_unit<typename Element::Plain>(task, unit, warp_rows, lane);
        if (!sorted) {
            __syncwarp();
            sort_unit<Element>(task, unit, warp_rows, lane);
        }
        __syncwarp();
    }
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_TOGETHER_CUH */
