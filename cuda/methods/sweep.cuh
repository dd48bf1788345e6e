/*
 * sweep.cuh
 *	  Stable sorting without comparisons: count, sum, scatter, digit by digit.
 *
 * Long segments of a batch are sorted by a number that a Source makes of each
 * key (digits.cuh), least digit first.
 *
 *	reduce_range	least and greatest code of each segment; from them the source's
 *					context and the digits
 *	count_digits	histograms of all digits, in one read; their exclusive sums are
 *					where each digit starts
 *	sweep			one pass: a block counts its tile's digits, ranks its keys into
 *					shared memory, learns from the blocks before it where its
 *					digits go (decoupled look-back, as in Adinets and Merrill's
 *					"Onesweep"), and writes runs
 *
 * The number of passes of each segment is even, so results end where the keys came
 * from.
 */
#ifndef GPUSORT_METHOD_SWEEP_CUH
#define GPUSORT_METHOD_SWEEP_CUH

#include "methods/digits.cuh"

namespace gpusort
{

/* The buffers that a pass reads and writes. */
template <class Key>
struct SweepBuffers {
    const Key *from_keys;
    Key *to_keys;                 /* nullptr if keys are no longer needed */
    const uint32_t *from_payload; /* nullptr for the keys' positions */
    uint32_t *to_payload;
};

/*
 * A tile publishes for the tiles after it how many of its keys have each digit: first its
 * count plus 1, then, when it knows the tiles before it, their sum plus sum_status. 0 means
 * nothing yet.
 */
constexpr uint32_t sum_status = 1 << 15;
static_assert(GPUSORT_LONGEST_SEGMENT <= UINT32_MAX - sum_status, "the sum of a segment's keys may wrap");

/*
 * How many keys in the segment's tiles before this one have this thread's digit. Publishes
 * the sum. Reads the words of several tiles at a time: one by one, walking back to a tile
 * that knows its sum takes longer than the rest of a block's work.
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

/* The shared memory of a block in a pass. */
template <class Tile, class Key>
struct SweepShared {
    uint32_t counts[Tile::threads / 32][sweep_digits]; /* by warp and digit; later the place of the next such key */
    Key keys[Tile::size];
    uint32_t values[Tile::payload ? Tile::size : 1];
    uint8_t digits[Tile::size];
    uint32_t target[sweep_digits]; /* place of a digit's run in the output, minus its place in the tile */
    uint32_t warp_sums[sweep_digits / 32];

    __device__ void clear_counts()
    {
        constexpr int chunks = sizeof counts / sizeof(uint4) / Tile::threads;
#pragma unroll
        for (int i = 0; i < chunks; i++)
            reinterpret_cast<uint4 *>(counts)[i * Tile::threads + threadIdx.x] = make_uint4(0, 0, 0, 0);
    }
};

/* The lanes whose digit has the same bit as this lane's. */
__device__ inline uint32_t lanes_like(uint32_t digit, int bit)
{
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
    return same;
}

/*
 * The place of a lane's key in its tile, by the warp's counts: behind the keys of lower
 * lanes with the same digit.  All lanes must call; `lanes` has the bits of those with a key.
 */
__device__ inline uint32_t take_place(uint32_t *counts, uint32_t digit, uint32_t lanes)
{
    uint32_t lane = 1u << threadIdx.x % 32, like = lanes;
#pragma unroll
    for (int bit = 0; bit < 8; bit += 2) /* two at a time, in one instruction */
        asm("lop3.b32 %0, %0, %1, %2, 0x80;"
            : "+r"(like)
            : "r"(lanes_like(digit, bit)), "r"(lanes_like(digit, bit + 1)));
    uint32_t lower = like & (lane - 1), place = counts[digit];
    __syncwarp();
    if ((lanes & lane) != 0 && lower == 0)
        counts[digit] = place + __popc(like);
    __syncwarp();
    return place + __popc(lower);
}

/*
 * Turns a tile's counts into places: where each warp's first key with a digit goes.
 * Publishes the total of this thread's digit, if it has one, and returns how many keys
 * have lower digits.
 */
template <class Tile, class Key>
__device__ uint32_t sum_counts(SweepShared<Tile, Key> &shared, bool counting, volatile uint32_t *status,
                               uint32_t &total)
{
    constexpr int warps = Tile::threads / 32;
    uint32_t digit = threadIdx.x, before_warp[warps];
    total = 0;
    if (counting) {
#pragma unroll
        for (int w = 0; w < warps; w++) {
            before_warp[w] = total;
            total += shared.counts[w][digit];
        }
        if (status != nullptr)
            status[digit] = total + 1;
    }
    uint32_t before = sum_before(total, shared.warp_sums);
    if (counting)
#pragma unroll
        for (int w = 0; w < warps; w++)
            shared.counts[w][digit] = before + before_warp[w];
    return before;
}

/* Writes a tile from shared memory, where it lies in the order of its digits. */
template <bool full, class Tile, class Key>
__device__ void write_tile(const SweepShared<Tile, Key> &shared, const SweepBuffers<Key> &buffers, uint32_t count)
{
#pragma unroll
    for (int i = 0; i < Tile::items; i++) {
        uint32_t k = i * Tile::threads + threadIdx.x;
        if (full || k < count) {
            uint32_t to = shared.target[shared.digits[k]] + k;
            if (buffers.to_keys != nullptr)
                buffers.to_keys[to] = shared.keys[k];
            if (Tile::payload)
                buffers.to_payload[to] = shared.values[k];
        }
    }
}

/*
 * One tile of a pass.  If `full`, the tile has all its keys, so none asks whether a key
 * exists.  A tile publishes its counts before it ranks its keys, so a later tile finds them in time.
 */
template <class Tile, bool full, class Source, class Key>
__device__ void sweep_tile(const Sweeps<Source, Key> &sweeps, const SweepBuffers<Key> &buffers,
                           SweepShared<Tile, Key> &shared, uint32_t pass, uint32_t tile, uint32_t index,
                           const TiledSegment &segment, const DigitPlan &plan)
{
    constexpr int items = Tile::items;
    static_assert(Tile::size < sum_status - 1, "a count may look like a sum");
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t first = (tile - segment.first_tile) * Tile::size;
    uint32_t count = full ? Tile::size : segment.count - first;
    uint32_t slot = sweeps.template place_of<Tile::payload>(segment, pass % 2 == 1) + first;
    uint32_t own = warp * 32 * items + lane; /* item i is own + i * 32 of the tile */
    uint32_t *counts = shared.counts[warp];
    const bool numbered = Tile::payload && buffers.from_payload == nullptr;
    auto exists = [&](int i) { return full || own + i * 32 < count; };

    Key key[items];
#pragma unroll
    for (int i = 0; i < items; i++)
        if (exists(i))
            key[i] = buffers.from_keys[slot + own + i * 32];
    if (Tile::payload && !numbered)
        for (uint32_t k = threadIdx.x * 32; k < count; k += Tile::threads * 32)
            asm volatile("prefetch.global.L2 [%0];" : : "l"(buffers.from_payload + slot + k));
    __syncthreads(); /* the counts are zero */

    uint32_t digits[(items + 3) / 4] = {}; /* four to a word */
    {
        typename Source::View view(sweeps.source, sweeps.contexts[index]);
        uint32_t shift = pass * plan.bits, mask = (1u << plan.bits) - 1;
#pragma unroll
        for (int i = 0; i < items; i++)
            if (exists(i)) {
                uint32_t digit = (uint32_t)(view.number(key[i]) >> shift) & mask;
                atomicAdd(&counts[digit], 1);
                digits[i / 4] |= digit << i % 4 * 8;
            }
    }
    __syncthreads();

    uint32_t digit = threadIdx.x; /* this thread counts it, if there is such a digit */
    bool counting = digit < 1u << plan.bits;
    uint32_t *status = tile == segment.first_tile ? nullptr : sweeps.status_of(tile, pass);
    uint32_t total, before = sum_counts(shared, counting, status, total);
    __syncthreads();

    /* Brings the tile in the order of its digits in shared memory. Values are read a few keys ahead. */
    constexpr int ahead = 3;
    uint32_t value[items];
    auto read_values = [&](int from) {
        if (Tile::payload)
#pragma unroll
            for (int i = from; i < from + ahead && i < items; i++)
                if (exists(i))
                    value[i] = numbered ? first + own + i * 32 : buffers.from_payload[slot + own + i * 32];
    };
    read_values(0);
#pragma unroll
    for (int i = 0; i < items; i++) {
        if (i % ahead == 0)
            read_values(i + ahead);
        uint32_t own_digit = __byte_perm(digits[i / 4], 0, 0x4440 + i % 4);
        uint32_t place = take_place(counts, own_digit, full ? ~0u : __ballot_sync(~0u, exists(i)));
        if (exists(i)) {
            shared.keys[place] = key[i];
            shared.digits[place] = (uint8_t)own_digit;
            if (Tile::payload)
                shared.values[place] = value[i];
        }
    }
    if (counting)
        shared.target[digit] = sweeps.template place_of<Tile::payload>(segment, pass % 2 == 0) +
                               sweeps.starts_of(index, pass)[digit] - before +
                               look_back(sweeps, pass, tile, segment.first_tile, total);
    __syncthreads();
    write_tile<full>(shared, buffers, count);
}

template <class Tile, class Source, class Key>
__global__ void __launch_bounds__(Tile::threads, 2)
    sweep(Sweeps<Source, Key> sweeps, SweepBuffers<Key> buffers, uint32_t pass)
{
    extern __shared__ uint4 sweep_memory[];
    auto &shared = *reinterpret_cast<SweepShared<Tile, Key> *>(sweep_memory);
    uint32_t tile = blockIdx.x; /* blocks start in this order, so a block waits only for blocks that have started */

    shared.clear_counts();
    wait_for_previous();
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

template <class Tile, class Source, class Key>
cudaError_t launch_sweep(const Sweeps<Source, Key> &sweeps, const SweepBuffers<Key> &buffers, uint32_t pass,
                         cudaStream_t stream)
{
    constexpr size_t bytes = sizeof(SweepShared<Tile, Key>);
    auto kernel = sweep<Tile, Source, Key>;
    cudaError_t error = allow_shared(kernel, bytes);
    if (error != cudaSuccess)
        return error;
    return launch_early(kernel, sweeps.tiles.most_tiles, Tile::threads, bytes, stream, sweeps, buffers, pass);
}

/* Sorts the tiled segments by the source's numbers. Writes keys in the last pass only if they are wanted. */
template <class Source, class Key>
cudaError_t run_sweeps(const SegmentBatch &batch, const Sweeps<Source, Key> &sweeps, const BinView &bin,
                       bool keys_wanted, cudaStream_t stream)
{
    Key *keys[2] = {static_cast<Key *>(batch.keys), sweeps.other_keys};
    uint32_t *payload[2] = {batch.payload, sweeps.other_payload};
    uint32_t blocks = reading_blocks(sweeps.tiles);
    cudaError_t error = find_ranges(batch, sweeps, bin, stream);
    if (error != cudaSuccess)
        return error;
    auto count = sweeps.most_passes <= Source::least_passes ? count_digits<Source, Key, Source::least_passes>
                                                            : count_digits<Source, Key, Source::most_passes>;
    if ((error = launch_early(count, blocks, read_threads, 0, stream, sweeps, keys[0])) != cudaSuccess)
        return error;
    for (uint32_t pass = 0; pass < sweeps.most_passes; pass++) {
        int from = pass % 2, to = 1 - from;
        bool last = pass == sweeps.most_passes - 1;
        bool numbered = batch.spec.payload == GPUSORT_PAYLOAD_INDEX && pass == 0;
        SweepBuffers<Key> buffers = {keys[from], last && !keys_wanted ? nullptr : keys[to],
                                     numbered ? nullptr : payload[from], payload[to]};
        if (batch.spec.payload == GPUSORT_PAYLOAD_NONE)
            error = launch_sweep<SweepTile<Key, false, false>>(sweeps, buffers, pass, stream);
        else if (sweeps.large)
            error = launch_sweep<SweepTile<Key, true, true>>(sweeps, buffers, pass, stream);
        else
            error = launch_sweep<SweepTile<Key, true, false>>(sweeps, buffers, pass, stream);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

}  // namespace gpusort

#endif /* GPUSORT_METHOD_SWEEP_CUH */
