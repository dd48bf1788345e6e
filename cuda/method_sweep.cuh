/*
 * method_sweep.cuh
 *	  Stable sorting without comparisons: count, sum, scatter, digit by digit.
 *
 * Long segments of a batch are sorted by a number that a Source makes of each
 * key (method_digits.cuh), least digit first.
 *
 *	reduce_range	least and greatest code of each segment; from them the source's
 *					context and the digits
 *	count_digits	histograms of all digits, in one read; their exclusive sums are
 *					where each digit starts
 *	sweep			one pass: a block ranks its tile in shared memory, learns from
 *					the blocks before it where its digits go (decoupled look-back,
 *					as in Adinets and Merrill's "Onesweep"), and writes runs
 *
 * The number of passes of every segment is even, unless the caller lets the
 * result lie in the other buffer, so results end where the keys came from.
 */
#ifndef GPUSORT_METHOD_SWEEP_CUH
#define GPUSORT_METHOD_SWEEP_CUH

#include <cuda_pipeline.h>

#include "method_digits.cuh"

namespace gpusort
{

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
template <class Tile, class Key, bool payload>
struct SweepShared {
    union {
        uint32_t counts[Tile::threads / 32][Tile::digits];
        Key keys[Tile::size];
    };
    uint32_t values[payload ? Tile::size : 1];
    uint8_t digits[Tile::size];
    uint32_t target[Tile::digits]; /* of a digit's run, less its place in the tile */
    uint32_t warp_sums[sweep_digits / 32];
};

/* The lanes, of those given, whose digits of so many bits are the same. */
template <int bits>
__device__ uint32_t lanes_like(uint32_t lanes, uint32_t digit)
{
#pragma unroll
    for (int bit = 0; bit < bits; bit++) {
        uint32_t same;
        asm("{\n"
            "  .reg .pred set;\n"
            "  and.b32 %0, %1, %2;\n"
            "  setp.ne.u32 set, %0, 0;\n"
            "  vote.ballot.sync.b32 %0, set, 0xffffffff;\n"
            "  @!set not.b32 %0, %0;\n"
            "}"
            : "=r"(same)
            : "r"(digit), "r"(1u << bit));
        lanes &= same;
    }
    return lanes;
}

/*
 * One tile of a pass.  full: the tile has all its keys, which saves the questions
 * whether a key exists.
 */
template <class Tile, bool full, class Source, class Key, bool payload>
__device__ void sweep_tile(const Sweeps<Source, Key> &sweeps, const SweepBuffers<Key> &buffers,
                           SweepShared<Tile, Key, payload> &shared, uint32_t pass, uint32_t tile, uint32_t index,
                           const TiledSegment &segment, const DigitPlan &plan)
{
    constexpr int items = Tile::items, warps = Tile::threads / 32;
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
    /* The payload is wanted when ranks are known; until then it comes as far as the L2 cache. */
    if (payload && buffers.from_payload != nullptr)
        for (uint32_t k = threadIdx.x * 32; k < count; k += Tile::threads * 32)
            asm volatile("prefetch.global.L2 [%0];" : : "l"(buffers.from_payload + slot + k));
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
            uint32_t like = lanes_like<Tile::bits>(full ? ~0u : __ballot_sync(~0u, exists(i)), digit);
            uint32_t before = counts[digit];
            __syncwarp();
            if (exists(i) && (like & lower) == 0)
                counts[digit] = before + __popc(like);
            __syncwarp();
            rank[i] = digit << 16 | (before + __popc(like & lower));
        }
    }
    __syncthreads();

    /* Ranks among the tile's keys. */
    uint32_t digit = threadIdx.x, total = 0;
    bool counting = digit < 1u << plan.bits;
    if (counting) {
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
    if (counting)
#pragma unroll
        for (int w = 0; w < warps; w++)
            shared.counts[w][digit] += before;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++)
        rank[i] += shared.counts[warp][rank[i] >> 16];
    __syncthreads();

    /* Before the payload is asked for, or the other tiles' sums would come after it. */
    if (counting)
        shared.target[digit] = segment.start + sweeps.starts_of(index, pass)[digit] - before +
                               look_back(sweeps, pass, tile, segment.first_tile, total);

    /* The tile in the order of its digits, in shared memory. */
    if constexpr (payload) {
#pragma unroll
        for (int i = 0; i < items; i++)
            if (exists(i)) {
                uint32_t k = own + i * 32, *value = &shared.values[rank[i] & 0xffff];
                if (buffers.from_payload == nullptr)
                    *value = first + k;
                else
                    __pipeline_memcpy_async(value, &buffers.from_payload[slot + k], sizeof *value);
            }
        __pipeline_commit();
    }
#pragma unroll
    for (int i = 0; i < items; i++)
        if (exists(i)) {
            shared.keys[rank[i] & 0xffff] = key[i];
            shared.digits[rank[i] & 0xffff] = (uint8_t)(rank[i] >> 16);
        }
    __pipeline_wait_prior(0);
    __syncthreads();

#pragma unroll
    for (int i = 0; i < items; i++) {
        uint32_t k = i * Tile::threads + threadIdx.x;
        if (full || k < count) {
            uint32_t to = shared.target[shared.digits[k]] + k;
            if (buffers.to_keys != nullptr)
                buffers.to_keys[to] = shared.keys[k];
            if (payload)
                buffers.to_payload[to] = shared.values[k];
        }
    }
}

template <class Tile, class Source, class Key, bool payload>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    sweep(Sweeps<Source, Key> sweeps, SweepBuffers<Key> buffers, uint32_t pass)
{
    extern __shared__ uint4 sweep_memory[];
    auto &shared = *reinterpret_cast<SweepShared<Tile, Key, payload> *>(sweep_memory);
    uint32_t tile = blockIdx.x; /* blocks start in this order: whom a block waits for has started */

    for (uint32_t k = threadIdx.x; k < Tile::threads / 32 * Tile::digits; k += Tile::threads)
        shared.counts[0][k] = 0;
    if (tile >= sweeps.tiles.ntiles())
        return;
    uint32_t index = sweeps.tiles.index_of(tile);
    DigitPlan plan = sweeps.plans[index];
    if (pass >= plan.passes)
        return;
    TiledSegment segment = sweeps.tiles.segments[index];
    if (segment.count - (tile - segment.first_tile) * Tile::size >= Tile::size)
        sweep_tile<Tile, true>(sweeps, buffers, shared, pass, tile, index, segment, plan);
    else
        sweep_tile<Tile, false>(sweeps, buffers, shared, pass, tile, index, segment, plan);
}

template <class Tile, bool payload, class Source, class Key>
cudaError_t launch_tiles(const Sweeps<Source, Key> &sweeps, const SweepBuffers<Key> &buffers, uint32_t pass,
                         cudaStream_t stream)
{
    constexpr size_t bytes = sizeof(SweepShared<Tile, Key, payload>);
    cudaError_t error = allow_shared(sweep<Tile, Source, Key, payload>, bytes);
    if (error != cudaSuccess)
        return error;
    sweep<Tile, Source, Key, payload><<<sweeps.tiles.most_tiles, Tile::threads, bytes, stream>>>(sweeps, buffers, pass);
    return cudaGetLastError();
}

template <bool payload, class Source, class Key>
cudaError_t launch_sweep(const Sweeps<Source, Key> &sweeps, const SweepBuffers<Key> &buffers, uint32_t pass,
                         cudaStream_t stream)
{
    if constexpr (!Source::wide_digits)
        if (!sweeps.wide)
            return launch_tiles<SweepTile<Key, 7>, payload>(sweeps, buffers, pass, stream);
    return launch_tiles<SweepTile<Key, 8>, payload>(sweeps, buffers, pass, stream);
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
        count_digits<Source, Key, 2><<<blocks, read_threads, 0, stream>>>(sweeps, keys[0]);
    else if (sweeps.most_passes <= 4)
        count_digits<Source, Key, 4><<<blocks, read_threads, 0, stream>>>(sweeps, keys[0]);
    else
        count_digits<Source, Key, 8><<<blocks, read_threads, 0, stream>>>(sweeps, keys[0]);
    for (uint32_t pass = 0; pass < sweeps.most_passes; pass++) {
        int from = pass % 2, to = 1 - from;
        bool last = pass == sweeps.most_passes - 1;
        bool index = pass == 0 && batch.spec.payload == GPUSORT_PAYLOAD_INDEX;
        SweepBuffers<Key> buffers = {keys[from], last && !keys_wanted ? nullptr : keys[to],
                                     index ? nullptr : payload[from], payload[to]};
        error = batch.spec.payload == GPUSORT_PAYLOAD_NONE ? launch_sweep<false>(sweeps, buffers, pass, stream)
                                                           : launch_sweep<true>(sweeps, buffers, pass, stream);
        if (error != cudaSuccess)
            return error;
    }
    if (result != nullptr)
        *result = {keys[sweeps.most_passes % 2], payload[sweeps.most_passes % 2]};
    return cudaGetLastError();
}

}  // namespace gpusort

#endif /* GPUSORT_METHOD_SWEEP_CUH */
