/*
 * method_sweep.cuh
 *	  Stable sorting without comparisons: count, sum, scatter, digit by digit.
 *
 * Long segments of a batch are sorted by a number that a Source makes of each
 * key (its distance from the least key, or its interval), least digit first.
 * Keys stay in native form and are projected again in each pass, which costs less
 * than to move a number along.
 *
 *	reduce_range	least and greatest code of each segment
 *	set_up			the source's context and the digits of each segment
 *	count_digits	histograms of all digits, in one read
 *	sum_digits		exclusive sums: where each digit starts
 *	sweep			one pass: a block ranks its tile in shared memory, learns from
 *					the blocks before it where its digits go (decoupled look-back,
 *					as in Adinets and Merrill's "Onesweep"), and writes runs
 *
 * The number of passes of every segment is even, unless the caller lets the
 * result lie in the other buffer, so results end where the keys came from.
 */
#ifndef GPUSORT_METHOD_SWEEP_CUH
#define GPUSORT_METHOD_SWEEP_CUH

#include "method_common.cuh"

namespace gpusort
{

constexpr int sweep_threads = 512;
constexpr int sweep_digits = 256;

/* Blocks of count_digits that a multiprocessor shall hold; Turing's holds 1,024 threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int count_blocks = 2;
#else
constexpr int count_blocks = 3;
#endif

template <class Key>
struct SweepTile {
    static constexpr int items = sizeof(Key) == 8 ? 8 : 16;
    static constexpr uint32_t size = sweep_threads * items;
};

/* Least and greatest code of a segment's keys that are in the source's range; zeroes: there is none. */
struct CodeRange {
    unsigned long long inverted_least, greatest;
    uint32_t any;
};

/* The digits of a segment's numbers: `passes` of `bits` bits each. */
struct DigitPlan {
    uint32_t passes, bits;
};

/* Digits for numbers of so many bits; an even count of passes unless odd is allowed. */
__host__ __device__ inline DigitPlan plan_digits(uint32_t bits, bool odd_allowed)
{
    uint32_t passes = bits == 0 ? 1 : ceil_div(bits, 8);
    if (passes % 2 == 1 && !odd_allowed)
        passes++;
    return {passes, ceil_div(bits, passes)};
}

/* Numbers of a sort by code: the distance from the least one. */
template <class Key>
struct CodeSource {
    using Code = Key;
    using Number = Key;

    struct Context {
        Code origin;
    };

    Coding coding;

    __device__ bool in_range(Key) const
    {
        return true;
    }

    __device__ Code code(Key key) const
    {
        return encode(coding, key);
    }

    /* Makes the context of a segment; answers how many bits its numbers have. */
    __device__ uint32_t set_up(Context &context, Code least, Code greatest, bool) const
    {
        context.origin = least;
        return 64 - __clzll((uint64_t)greatest - least);
    }

    /* What a thread keeps of the source and a segment's context. */
    struct View {
        Coding coding;
        Code origin;

        __device__ View(const CodeSource &source, const Context &context)
            : coding(source.coding), origin(context.origin)
        {
        }

        __device__ Number number(Key key) const
        {
            return (Code)(encode(coding, key) - origin);
        }
    };
};

/* Everything that the passes over a batch's long segments need. */
template <class Source, class Key>
struct Sweeps {
    Source source;
    TileList tiles;
    bool odd_allowed;
    uint32_t most_passes;

    /* Zeroed before the first kernel. */
    char *zeroed = nullptr;
    size_t zeroed_bytes = 0;
    CodeRange *ranges = nullptr;
    uint32_t *starts = nullptr; /* [segment][pass][digit] */
    uint32_t *status = nullptr; /* [pass][tile][digit] */

    typename Source::Context *contexts = nullptr;
    DigitPlan *plans = nullptr;

    Key *other_keys = nullptr;
    uint32_t *other_payload = nullptr;

    Sweeps(const SegmentBatch &batch, const Source &the_source, uint32_t count, uint32_t bits, bool odd,
           Workspace &workspace)
        : source(the_source),
          tiles(batch, count, SweepTile<Key>::size, workspace),
          odd_allowed(odd),
          most_passes(plan_digits(bits, odd).passes)
    {
        if (count == 0)
            return;
        size_t before = workspace.used();
        ranges = workspace.take<CodeRange>(count);
        starts = workspace.take<uint32_t>((uint64_t)count * most_passes * sweep_digits);
        status = workspace.take<uint32_t>((uint64_t)most_passes * tiles.most_tiles * sweep_digits);
        zeroed = reinterpret_cast<char *>(ranges);
        zeroed_bytes = workspace.used() - before;
        contexts = workspace.take<typename Source::Context>(count);
        plans = workspace.take<DigitPlan>(count);
        other_keys = workspace.take<Key>(batch.nslots);
        if (batch.spec.payload != GPUSORT_PAYLOAD_NONE)
            other_payload = workspace.take<uint32_t>(batch.nslots);
    }

    __device__ uint32_t *starts_of(uint32_t segment, uint32_t pass) const
    {
        return starts + ((uint64_t)segment * most_passes + pass) * sweep_digits;
    }

    __device__ uint32_t *status_of(uint32_t tile, uint32_t pass) const
    {
        return status + ((uint64_t)pass * tiles.most_tiles + tile) * sweep_digits;
    }
};

/* The tiles that a block reads one after the other. */
struct TileRun {
    uint32_t first, end;

    __device__ explicit TileRun(const TileList &tiles)
    {
        uint32_t all = tiles.ntiles(), each = (all + gridDim.x - 1) / gridDim.x;
        first = min(blockIdx.x * each, all);
        end = min(first + each, all);
    }
};

/* The least and the greatest of a block's codes, in its first thread; the arrays hold one per warp. */
template <class Code>
__device__ void block_range(Code &least, Code &greatest, Code *least_of, Code *greatest_of)
{
    for (int distance = 16; distance > 0; distance /= 2) {
        least = min(least, __shfl_xor_sync(~0u, least, distance));
        greatest = max(greatest, __shfl_xor_sync(~0u, greatest, distance));
    }
    if (threadIdx.x % 32 == 0) {
        least_of[threadIdx.x / 32] = least;
        greatest_of[threadIdx.x / 32] = greatest;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (uint32_t w = 1; w < blockDim.x / 32; w++) {
            least = min(least, least_of[w]);
            greatest = max(greatest, greatest_of[w]);
        }
}

template <class Source, class Key>
__global__ void __launch_bounds__(sweep_threads) reduce_range(Sweeps<Source, Key> sweeps, const Key *keys)
{
    using Tile = SweepTile<Key>;
    using Code = typename Source::Code;
    __shared__ Code least_of[sweep_threads / 32], greatest_of[sweep_threads / 32];
    TileRun run(sweeps.tiles);
    Code least = (Code) ~(Code)0, greatest = 0;
    bool any = false;

    for (uint32_t tile = run.first; tile < run.end;) {
        uint32_t index = sweeps.tiles.index_of(tile);
        TiledSegment segment = sweeps.tiles.segments[index];
        uint32_t tiles_here = min(run.end, segment.first_tile + ceil_div(segment.count, Tile::size)) - tile;
        for (; tiles_here > 0; tiles_here--, tile++) {
            uint32_t first = (tile - segment.first_tile) * Tile::size, count = min(Tile::size, segment.count - first);
            const Key *key = keys + segment.start + first;
#pragma unroll
            for (int i = 0; i < Tile::items; i++) {
                uint32_t k = i * sweep_threads + threadIdx.x;
                if (k < count && sweeps.source.in_range(key[k])) {
                    Code code = sweeps.source.code(key[k]);
                    least = min(least, code);
                    greatest = max(greatest, code);
                    any = true;
                }
            }
        }
        block_range(least, greatest, least_of, greatest_of);
        if (__syncthreads_or(any) && threadIdx.x == 0) {
            CodeRange *range = &sweeps.ranges[index];
            atomicMax(&range->inverted_least, ~(unsigned long long)least);
            atomicMax(&range->greatest, (unsigned long long)greatest);
            atomicOr(&range->any, 1);
        }
        least = (Code) ~(Code)0;
        greatest = 0;
        any = false;
    }
}

template <class Source, class Key>
__global__ void set_up(Sweeps<Source, Key> sweeps)
{
    uint32_t segment = blockIdx.x * blockDim.x + threadIdx.x;
    if (segment >= sweeps.tiles.nsegments)
        return;
    CodeRange range = sweeps.ranges[segment];
    using Code = typename Source::Code;
    uint32_t bits =
        sweeps.source.set_up(sweeps.contexts[segment], (Code)~range.inverted_least, (Code)range.greatest, range.any);
    sweeps.plans[segment] = plan_digits(bits, sweeps.odd_allowed);
}

template <class Source, class Key, int most_passes>
__global__ void __launch_bounds__(sweep_threads, most_passes <= 2 ? count_blocks : 2)
    count_digits(Sweeps<Source, Key> sweeps, const Key *keys)
{
    using Tile = SweepTile<Key>;
    constexpr int copies = most_passes <= 2 ? 4 : 2;
    __shared__ uint32_t counts[copies][most_passes * sweep_digits];
    uint32_t *own = counts[threadIdx.x / 32 % copies];
    TileRun run(sweeps.tiles);

    for (uint32_t k = threadIdx.x; k < copies * most_passes * sweep_digits; k += sweep_threads)
        counts[0][k] = 0;
    __syncthreads();
    for (uint32_t tile = run.first; tile < run.end;) {
        uint32_t index = sweeps.tiles.index_of(tile);
        TiledSegment segment = sweeps.tiles.segments[index];
        typename Source::View view(sweeps.source, sweeps.contexts[index]);
        DigitPlan plan = sweeps.plans[index];
        uint32_t mask = (1u << plan.bits) - 1;
        uint32_t tiles_here = min(run.end, segment.first_tile + ceil_div(segment.count, Tile::size)) - tile;
        for (; tiles_here > 0; tiles_here--, tile++) {
            uint32_t first = (tile - segment.first_tile) * Tile::size, count = min(Tile::size, segment.count - first);
            const Key *key = keys + segment.start + first;
            Key item[Tile::items];
#pragma unroll
            for (int i = 0; i < Tile::items; i++)
                if (i * sweep_threads + threadIdx.x < count)
                    item[i] = key[i * sweep_threads + threadIdx.x];
#pragma unroll
            for (int i = 0; i < Tile::items; i++)
                if (i * sweep_threads + threadIdx.x < count) {
                    auto number = view.number(item[i]);
#pragma unroll
                    for (int pass = 0; pass < most_passes; pass++)
                        if (pass < plan.passes)
                            atomicAdd(&own[pass * sweep_digits + (uint32_t)(number >> (pass * plan.bits) & mask)], 1);
                }
        }
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < most_passes * sweep_digits; k += sweep_threads) {
            uint32_t sum = 0;
#pragma unroll
            for (int copy = 0; copy < copies; copy++) {
                sum += counts[copy][k];
                counts[copy][k] = 0;
            }
            if (sum != 0)
                atomicAdd(&sweeps.starts_of(index, 0)[k], sum);
        }
        __syncthreads();
    }
}

/* Exclusive prefix sum of one number per thread of the first 256 threads; all threads of the block call. */
__device__ inline uint32_t sum_before(uint32_t own, uint32_t *warp_sums)
{
    uint32_t sum = own;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        uint32_t other = __shfl_up_sync(~0u, sum, distance);
        if (lane >= distance)
            sum += other;
    }
    if (lane == 31 && warp < sweep_digits / 32)
        warp_sums[warp] = sum;
    __syncthreads();
    uint32_t before = sum - own;
    for (unsigned w = 0; w < warp && w < sweep_digits / 32; w++)
        before += warp_sums[w];
    return before;
}

/* One block per segment and pass. */
template <class Source, class Key>
__global__ void __launch_bounds__(sweep_digits) sum_digits(Sweeps<Source, Key> sweeps)
{
    __shared__ uint32_t warp_sums[sweep_digits / 32];
    uint32_t *starts = sweeps.starts_of(blockIdx.x, blockIdx.y);
    starts[threadIdx.x] = sum_before(starts[threadIdx.x], warp_sums);
}

/* Where a pass reads and writes; payload nullptr: none, or made of positions where it is read. */
template <class Key>
struct SweepBuffers {
    const Key *from_keys;
    Key *to_keys; /* nullptr: keys are not wanted any more */
    const uint32_t *from_payload;
    uint32_t *to_payload;
};

/*
 * A tile tells the tiles after it how many of its keys have each digit: a count
 * plus 1, or, once it knows those before it too, the sum plus sum_status. 0: not yet.
 */
constexpr uint32_t sum_status = 1 << 15;

/*
 * The keys with this digit in the segment's tiles before this one; says the sum.
 * Reads several tiles' words at a time: one by one, the walk to the last tile that
 * knows its sum takes longer than all the rest of a block's work.
 */
template <class Source, class Key>
__device__ uint32_t look_back(const Sweeps<Source, Key> &sweeps, uint32_t pass, uint32_t tile, uint32_t first_tile,
                              uint32_t own)
{
    constexpr int window = 4;
    uint32_t before = 0;
    volatile uint32_t *said = sweeps.status_of(tile, pass) + threadIdx.x;
    bool found = tile == first_tile;

    for (uint32_t end = tile; !found; end -= window) {
        uint32_t status[window];
#pragma unroll
        for (int i = 0; i < window; i++)
            status[i] =
                end >= first_tile + 1 + i ? *(said - (tile - end + 1 + i) * sweep_digits) : (uint32_t)sum_status;
#pragma unroll
        for (int i = 0; i < window; i++)
            if (!found) {
                while (status[i] == 0)
                    status[i] = *(said - (tile - end + 1 + i) * sweep_digits);
                found = status[i] >= sum_status;
                before += status[i] - (found ? (uint32_t)sum_status : 1);
            }
    }
    *said = before + own + sum_status;
    return before;
}

/* What a block of a pass keeps in shared memory. */
template <class Key, bool payload>
struct SweepShared {
    static constexpr int warps = sweep_threads / 32;
    using Item = std::conditional_t<(payload && sizeof(Key) < 4), uint32_t, Key>;

    union {
        uint32_t counts[warps][sweep_digits];
        Item items[SweepTile<Key>::size];
        uint32_t values[SweepTile<Key>::size];
    };
    uint8_t digit_at[payload ? SweepTile<Key>::size : 1];
    uint32_t target[sweep_digits]; /* of a digit's run, less its place in the tile */
    uint32_t warp_sums[sweep_digits / 32];
};

/*
 * One tile of a pass.  full: the tile has all its keys, which saves the questions
 * whether a key exists.
 */
template <class Source, class Key, bool payload, bool full>
__device__ void sweep_tile(const Sweeps<Source, Key> &sweeps, const SweepBuffers<Key> &buffers,
                           SweepShared<Key, payload> &shared, uint32_t pass, uint32_t tile, uint32_t index,
                           const TiledSegment &segment, const DigitPlan &plan)
{
    using Tile = SweepTile<Key>;
    constexpr int items = Tile::items, warps = sweep_threads / 32;
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t first = (tile - segment.first_tile) * Tile::size;
    uint32_t count = full ? Tile::size : segment.count - first;
    uint32_t slot = segment.start + first;
    uint32_t own = warp * 32 * items + lane; /* item i is own + i * 32 of the tile */
    auto exists = [&](int i) { return full || own + i * 32 < count; };

    Key key[items];
#pragma unroll
    for (int i = 0; i < items; i++)
        if (exists(i))
            key[i] = buffers.from_keys[slot + own + i * 32];
    __syncthreads(); /* counts are zeroes */

    /* Ranks among the warp's keys of the same digit; digit << 16 | rank. */
    uint32_t rank[items];
    {
        typename Source::View view(sweeps.source, sweeps.contexts[index]);
        uint32_t shift = pass * plan.bits, mask = (1u << plan.bits) - 1;
        uint32_t *counts = shared.counts[warp];
        uint32_t lower = (1u << lane) - 1;
#pragma unroll
        for (int i = 0; i < items; i++) {
            uint32_t digit = exists(i) ? (uint32_t)(view.number(key[i]) >> shift) & mask : 0;
            unsigned others = full ? 0 : ~__ballot_sync(~0u, exists(i)); /* lanes without this digit */
#pragma unroll
            for (int bit = 0; bit < 8; bit++) {
                bool set = digit >> bit & 1;
                others |= __ballot_sync(~0u, set) ^ (set ? ~0u : 0);
            }
            uint32_t before = counts[digit];
            __syncwarp();
            if (exists(i) && (~others & lower) == 0)
                counts[digit] = before + __popc(~others);
            __syncwarp();
            rank[i] = digit << 16 | (before + __popc(~others & lower));
        }
    }
    __syncthreads();

    /* Ranks among the tile's keys. */
    uint32_t digit = threadIdx.x, total = 0;
    if (digit < sweep_digits) {
#pragma unroll
        for (int w = 0; w < warps; w++) {
            uint32_t own_count = shared.counts[w][digit];
            shared.counts[w][digit] = total;
            total += own_count;
        }
        if (tile != segment.first_tile)
            *(volatile uint32_t *)(sweeps.status_of(tile, pass) + digit) = total + 1;
    }
    uint32_t before = sum_before(total, shared.warp_sums);
    if (digit < sweep_digits)
#pragma unroll
        for (int w = 0; w < warps; w++)
            shared.counts[w][digit] += before;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++)
        rank[i] += shared.counts[warp][rank[i] >> 16];
    __syncthreads();

    /* The tile in the order of its digits, in shared memory. */
#pragma unroll
    for (int i = 0; i < items; i++)
        if (exists(i)) {
            shared.items[rank[i] & 0xffff] = key[i];
        }
    uint32_t value[payload ? items : 1];
    if constexpr (payload)
#pragma unroll
        for (int i = 0; i < items; i++)
            if (exists(i))
                value[i] =
                    buffers.from_payload == nullptr ? first + own + i * 32 : buffers.from_payload[slot + own + i * 32];
    if (digit < sweep_digits)
        shared.target[digit] = segment.start + sweeps.starts_of(index, pass)[digit] - before +
                               look_back(sweeps, pass, tile, segment.first_tile, total);
    __syncthreads();

    {
        typename Source::View view(sweeps.source, sweeps.contexts[index]);
        uint32_t shift = pass * plan.bits, mask = (1u << plan.bits) - 1;
#pragma unroll
        for (int i = 0; i < items; i++) {
            uint32_t k = i * sweep_threads + threadIdx.x;
            if (full || k < count) {
                Key own_key = (Key)shared.items[k];
                uint32_t own_digit = (uint32_t)(view.number(own_key) >> shift) & mask;
                if (payload)
                    shared.digit_at[k] = (uint8_t)own_digit;
                if (buffers.to_keys != nullptr)
                    buffers.to_keys[shared.target[own_digit] + k] = own_key;
            }
        }
    }
    if constexpr (payload) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; i++)
            if (exists(i))
                shared.values[rank[i] & 0xffff] = value[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; i++) {
            uint32_t k = i * sweep_threads + threadIdx.x;
            if (full || k < count)
                buffers.to_payload[shared.target[shared.digit_at[k]] + k] = shared.values[k];
        }
    }
}

template <class Source, class Key, bool payload>
__global__ void __launch_bounds__(sweep_threads, 2)
    sweep(Sweeps<Source, Key> sweeps, SweepBuffers<Key> buffers, uint32_t pass)
{
    __shared__ SweepShared<Key, payload> shared;
    uint32_t tile = blockIdx.x; /* blocks start in this order: whom a block waits for has started */

    for (uint32_t k = threadIdx.x; k < sweep_threads / 32 * sweep_digits; k += sweep_threads)
        shared.counts[0][k] = 0;
    if (tile >= sweeps.tiles.ntiles())
        return;
    uint32_t index = sweeps.tiles.index_of(tile);
    DigitPlan plan = sweeps.plans[index];
    if (pass >= plan.passes)
        return;
    TiledSegment segment = sweeps.tiles.segments[index];
    if (segment.count - (tile - segment.first_tile) * SweepTile<Key>::size >= SweepTile<Key>::size)
        sweep_tile<Source, Key, payload, true>(sweeps, buffers, shared, pass, tile, index, segment, plan);
    else
        sweep_tile<Source, Key, payload, false>(sweeps, buffers, shared, pass, tile, index, segment, plan);
}

/* Blocks for a kernel that reads all tiles: many, so that none is late, but each with many tiles. */
inline uint32_t reading_blocks(const TileList &tiles)
{
    constexpr uint32_t most = 2112, few = 264; /* 16, and 2, for each of 132 multiprocessors */
    uint32_t blocks = tiles.most_tiles / 4;
    blocks = blocks < few ? few : blocks > most ? most : blocks;
    return tiles.most_tiles < blocks ? tiles.most_tiles : blocks;
}

/* Ranges and contexts of the tiled segments. */
template <class Source, class Key>
cudaError_t find_ranges(const SegmentBatch &batch, const Sweeps<Source, Key> &sweeps, const BinView &bin,
                        cudaStream_t stream)
{
    cudaError_t error;
    const Key *keys = static_cast<const Key *>(batch.keys);
    uint32_t blocks = reading_blocks(sweeps.tiles);
    if ((error = cudaMemsetAsync(sweeps.zeroed, 0, sweeps.zeroed_bytes, stream)) != cudaSuccess ||
        (error = sweeps.tiles.fill(bin, SweepTile<Key>::size, stream)) != cudaSuccess)
        return error;
    reduce_range<<<blocks, sweep_threads, 0, stream>>>(sweeps, keys);
    set_up<<<ceil_div(bin.count, 64), 64, 0, stream>>>(sweeps);
    return cudaGetLastError();
}

/* Where the last pass leaves the result. */
template <class Key>
struct SweepResult {
    Key *keys;
    uint32_t *payload;
};

/* Sorts the tiled segments by the source's numbers; keys are kept up to the last pass only if wanted. */
template <class Source, class Key>
cudaError_t run_sweeps(const SegmentBatch &batch, const Sweeps<Source, Key> &sweeps, const BinView &bin,
                       bool keys_wanted, cudaStream_t stream, SweepResult<Key> *result)
{
    Key *keys[2] = {static_cast<Key *>(batch.keys), sweeps.other_keys};
    uint32_t *payload[2] = {batch.payload, sweeps.other_payload};
    uint32_t blocks = reading_blocks(sweeps.tiles);
    cudaError_t error = find_ranges(batch, sweeps, bin, stream);
    if (error != cudaSuccess)
        return error;
    if (sweeps.most_passes <= 2)
        count_digits<Source, Key, 2><<<blocks, sweep_threads, 0, stream>>>(sweeps, keys[0]);
    else if (sweeps.most_passes <= 4)
        count_digits<Source, Key, 4><<<blocks, sweep_threads, 0, stream>>>(sweeps, keys[0]);
    else
        count_digits<Source, Key, 8><<<blocks, sweep_threads, 0, stream>>>(sweeps, keys[0]);
    sum_digits<<<dim3(bin.count, sweeps.most_passes), sweep_digits, 0, stream>>>(sweeps);
    for (uint32_t pass = 0; pass < sweeps.most_passes; pass++) {
        int from = pass % 2, to = 1 - from;
        bool last = pass == sweeps.most_passes - 1;
        bool index = pass == 0 && batch.spec.payload == GPUSORT_PAYLOAD_INDEX;
        SweepBuffers<Key> buffers = {keys[from], last && !keys_wanted ? nullptr : keys[to],
                                     index ? nullptr : payload[from], payload[to]};
        if (batch.spec.payload == GPUSORT_PAYLOAD_NONE)
            sweep<Source, Key, false><<<sweeps.tiles.most_tiles, sweep_threads, 0, stream>>>(sweeps, buffers, pass);
        else
            sweep<Source, Key, true><<<sweeps.tiles.most_tiles, sweep_threads, 0, stream>>>(sweeps, buffers, pass);
    }
    if (result != nullptr)
        *result = {keys[sweeps.most_passes % 2], payload[sweeps.most_passes % 2]};
    return cudaGetLastError();
}

}  // namespace gpusort

#endif /* GPUSORT_METHOD_SWEEP_CUH */
