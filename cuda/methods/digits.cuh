/*
 * digits.cuh
 *	  Counts the digits of a batch's long segments, before sweep.cuh scatters.
 *
 * A Source makes a number of each key: its distance from the least key (CodeSource), or
 * its interval.  Keys stay in native form.  The number is computed again for each digit,
 * which costs less than moving it along.
 */
#ifndef GPUSORT_METHOD_DIGITS_CUH
#define GPUSORT_METHOD_DIGITS_CUH

#include "methods/common.cuh"

namespace gpusort
{

constexpr int sweep_digits = 256;
constexpr int read_threads = 512; /* threads of a kernel that only reads keys */

/* Blocks of count_digits that a multiprocessor must hold. On Turing it holds 1,024 threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int count_blocks = 2;
#else
constexpr int count_blocks = 3;
#endif

/*
 * The tile that a block sorts in a pass.  Pairs write each run twice, so they gain most from
 * long runs, and have large tiles of 112 KiB of shared memory.  Other tiles fit the 64 KiB of
 * Turing.
 */
template <class Key, bool with_payload, bool large>
struct SweepTile {
    static constexpr bool payload = with_payload;
    static constexpr int threads = large ? 512 : 384;
    static constexpr int items = sizeof(Key) == 8 ? (large ? 10 : 9) : large ? 21 : payload ? 15 : 18;
    static constexpr uint32_t size = threads * items;
};

/* True if a multiprocessor of the current device holds two blocks with large tiles. */
inline bool holds_large_tiles()
{
    return device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) >= 2 * 113 * 1024;
}

/* Least and greatest code of a segment's keys that are in the source's range. All zero if there are none. */
struct CodeRange {
    unsigned long long inverted_least, greatest;
    uint32_t any;
    uint32_t read, counted; /* keys that reduce_range and count_digits have seen so far */
};

/* The digits of a segment's numbers: `passes` of `bits` bits each. */
struct DigitPlan {
    uint32_t passes, bits;
};

/* The digits of numbers of this many bits. The number of passes is even, so results end where the keys came from. */
__host__ __device__ inline DigitPlan plan_digits(uint32_t bits)
{
    const uint32_t passes = bits <= 16 ? 2 : 2 * ceil_div(bits, 16);

    return {passes, ceil_div(bits, passes)};
}

/* The number of a key in a sort by code: the distance from the least code. */
template <class Key>
struct CodeSource {
    using Code = Key;
    using Number = Key;
    static constexpr bool may_be_by_tile = true;
    static constexpr int least_passes = sizeof(Key), most_passes = sizeof(Key);

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

    /* Makes the context of a segment. Returns how many bits its numbers have. */
    __device__ uint32_t set_up(Context &context, Code least, Code greatest, bool) const
    {
        context.origin = least;
        return 64 - __clzll((uint64_t)greatest - least);
    }

    /* The parts of a source and a segment's context that a thread needs. */
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

/* The passes over a batch's long segments: buffers and sizes. */
template <class Source, class Key>
struct Sweeps {
    Source source;
    bool large; /* large tiles, for pairs */
    uint32_t tile;
    TileList tiles;
    uint32_t most_passes;

    size_t zeroed_bytes = 0; /* from the tiles' cursor on, set to zero before the first kernel */
    CodeRange *ranges = nullptr;
    uint32_t *starts = nullptr; /* [segment][pass][digit] */
    uint32_t *status = nullptr; /* [pass][tile][digit] */

    typename Source::Context *contexts = nullptr;
    DigitPlan *plans = nullptr;

    /* Buffers between passes, laid out tile after tile or as the batch is. */
    bool by_tile = false;
    Key *other_keys = nullptr;
    uint32_t *other_payload = nullptr;

    Sweeps(const SegmentBatch &batch, const Source &the_source, uint32_t count, uint32_t bits, Workspace &workspace)
        : source(the_source),
          large(batch.spec.payload != GPUSORT_PAYLOAD_NONE && holds_large_tiles()),
          tile(batch.spec.payload == GPUSORT_PAYLOAD_NONE ? SweepTile<Key, false, false>::size
               : large                                    ? SweepTile<Key, true, true>::size
                                                          : SweepTile<Key, true, false>::size),
          tiles(batch, count, tile, workspace),
          most_passes(plan_digits(bits).passes)
    {
        if (count == 0)
            return;
        ranges = workspace.take<CodeRange>(count);
        starts = workspace.take<uint32_t>((uint64_t)count * most_passes * sweep_digits);
        status = workspace.take<uint32_t>((uint64_t)most_passes * tiles.most_tiles * sweep_digits);
        zeroed_bytes = workspace.bytes_from(tiles.cursor);
        contexts = workspace.take<typename Source::Context>(count);
        plans = workspace.take<DigitPlan>(count);

        const uint64_t tiled = (uint64_t)tiles.most_tiles * tile;
        by_tile = may_be_by_tile(batch.spec.payload != GPUSORT_PAYLOAD_NONE) && tiled < batch.nslots;

        const uint64_t slots = by_tile ? tiled : batch.nslots;
        other_keys = workspace.take<Key>(slots);
        if (batch.spec.payload != GPUSORT_PAYLOAD_NONE)
            other_payload = workspace.take<uint32_t>(slots);
    }

    /* True if keys may lie tile after tile, which takes less memory. Not in kernels that it would cost registers. */
    static constexpr __host__ __device__ bool may_be_by_tile(bool payload)
    {
        return Source::may_be_by_tile && !payload;
    }

    /* Where a segment begins in the batch's buffer, or in the other one. */
    template <bool payload>
    __device__ uint32_t place_of(const TiledSegment &segment, bool other) const
    {
        if constexpr (may_be_by_tile(payload))
            if (other && by_tile)
                return segment.first_tile * tile;
        return segment.start;
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

/* Finds the least and the greatest of a block's codes, for its first thread. The arrays hold one per warp. */
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

/*
 * Calls visit(key) for each of a stretch of keys, in any order.  Each thread of the block
 * reads 16 bytes, four times at once.  Backwards, the block begins with what a forward
 * read left in the L2 cache.
 */
template <bool backwards, class Key, class Visitor>
__device__ void visit_keys(const Key *keys, uint32_t count, Visitor visit)
{
    constexpr uint32_t width = 16 / sizeof(Key), reads = 4;
    struct alignas(16) Chunk {
        Key key[width];
    };
    uint32_t before = min(count, (uint32_t)(-reinterpret_cast<uintptr_t>(keys) % 16 / sizeof(Key)));
    uint32_t chunks = (count - before) / width, behind = before + chunks * width;
    const Chunk *first = reinterpret_cast<const Chunk *>(keys + before);
    auto chunk = [&](uint32_t k) { return first[backwards ? chunks - 1 - k : k]; };

    if (threadIdx.x < before)
        visit(keys[threadIdx.x]);
    uint32_t k = threadIdx.x;
    for (; k + (reads - 1) * blockDim.x < chunks; k += reads * blockDim.x) {
        Chunk read[reads];
#pragma unroll
        for (uint32_t i = 0; i < reads; i++)
            read[i] = chunk(k + i * blockDim.x);
#pragma unroll
        for (uint32_t i = 0; i < reads; i++)
#pragma unroll
            for (uint32_t j = 0; j < width; j++)
                visit(read[i].key[j]);
    }
    for (; k < chunks; k += blockDim.x) {
        Chunk read = chunk(k);
#pragma unroll
        for (uint32_t j = 0; j < width; j++)
            visit(read.key[j]);
    }
    if (behind + threadIdx.x < count)
        visit(keys[behind + threadIdx.x]);
}

/* Calls visit(number of the segment, its keys in these tiles, their count) for each segment of a block's tiles. */
template <class Source, class Key, class Visitor>
__device__ void visit_stretches(const Sweeps<Source, Key> &sweeps, const Key *keys, Visitor visit)
{
    TileRun run(sweeps.tiles);
    for (uint32_t tile = run.first; tile < run.end;) {
        uint32_t index = sweeps.tiles.index_of(tile);
        TiledSegment segment = sweeps.tiles.segments[index];
        uint32_t end = min(run.end, segment.first_tile + ceil_div(segment.count, sweeps.tile));
        uint32_t first = (tile - segment.first_tile) * sweeps.tile;
        uint32_t last = (uint32_t)min((uint64_t)(end - segment.first_tile) * sweeps.tile, (uint64_t)segment.count);
        visit(index, keys + segment.start + first, last - first);
        tile = end;
    }
}

/* Tells all threads of a block whether all keys of a segment have been seen now that it has seen `count` of them. */
__device__ inline bool sees_last(uint32_t *seen, uint32_t count, uint32_t all)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(seen, count) + count == all;
    __syncthreads();
    __threadfence();
    return last;
}

/*
 * Launches a kernel that may start while the one before it ends; it calls
 * wait_for_previous before it reads or writes device memory.
 */
template <class... Parameters, class... Arguments>
cudaError_t launch_early(void (*kernel)(Parameters...), uint32_t blocks, uint32_t threads, size_t shared_bytes,
                         cudaStream_t stream, const Arguments &...arguments)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

__device__ inline void wait_for_previous()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* Adds keys to the range of their segment, which has `all`. True, in one thread, if it now has seen all of them. */
template <class Source, class Key>
__device__ bool add_to_range(const Source &source, const Key *keys, uint32_t count, uint32_t all, CodeRange *range)
{
    using Code = typename Source::Code;
    __shared__ Code least_of[read_threads / 32], greatest_of[read_threads / 32];

    Code least = (Code) ~(Code)0, greatest = 0;
    bool any = false;
    visit_keys<false>(keys, count, [&](Key own) {
        if (source.in_range(own)) {
            Code code = source.code(own);
            least = min(least, code);
            greatest = max(greatest, code);
            any = true;
        }
    });
    block_range(least, greatest, least_of, greatest_of);
    if (__syncthreads_or(any) && threadIdx.x == 0) {
        atomicMax(&range->inverted_least, ~(unsigned long long)least);
        atomicMax(&range->greatest, (unsigned long long)greatest);
        atomicOr(&range->any, 1);
    }
    return sees_last(&range->read, count, all) && threadIdx.x == 0;
}

/* Makes the context of a range that other blocks have added to. Returns how many bits its numbers have. */
template <class Source>
__device__ uint32_t set_up_range(const Source &source, typename Source::Context &context, const CodeRange &range)
{
    using Code = typename Source::Code;
    return source.set_up(context, (Code)~__ldcg(&range.inverted_least), (Code)__ldcg(&range.greatest),
                         __ldcg(&range.any));
}

/* Finds the ranges of the segments. The last block of a segment makes its context and its digits. */
template <class Source, class Key>
__global__ void __launch_bounds__(read_threads) reduce_range(Sweeps<Source, Key> sweeps, const Key *keys)
{
    wait_for_previous();
    visit_stretches(sweeps, keys, [&](uint32_t index, const Key *key, uint32_t count) {
        CodeRange *range = &sweeps.ranges[index];
        if (add_to_range(sweeps.source, key, count, sweeps.tiles.segments[index].count, range)) {
            uint32_t bits = set_up_range(sweeps.source, sweeps.contexts[index], *range);
            sweeps.plans[index] = plan_digits(bits);
        }
    });
}

/* The exclusive prefix sum of a number of each of the first 256 threads. All threads of the block call. */
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

/* Counts the keys with each digit. The last block of a segment turns the counts into where each digit starts. */
template <class Source, class Key, int most_passes>
__global__ void __launch_bounds__(read_threads, most_passes <= 2 ? count_blocks : 2)
    count_digits(Sweeps<Source, Key> sweeps, const Key *keys)
{
    constexpr int copies = most_passes <= 2 ? 4 : 2;
    __shared__ uint32_t counts[copies][most_passes * sweep_digits];
    __shared__ uint32_t warp_sums[sweep_digits / 32];
    uint32_t *own = counts[threadIdx.x / 32 % copies];

    for (uint32_t k = threadIdx.x; k < copies * most_passes * sweep_digits; k += read_threads)
        counts[0][k] = 0;
    __syncthreads();
    wait_for_previous();
    visit_stretches(sweeps, keys, [&](uint32_t index, const Key *key, uint32_t count) {
        typename Source::View view(sweeps.source, sweeps.contexts[index]);
        DigitPlan plan = sweeps.plans[index];
        uint32_t mask = (1u << plan.bits) - 1;
        visit_keys<true>(key, count, [&](Key item) {
            auto number = view.number(item);
#pragma unroll
            for (int pass = 0; pass < most_passes; pass++)
                if (pass < plan.passes)
                    atomicAdd(&own[pass * sweep_digits + (uint32_t)(number >> (pass * plan.bits) & mask)], 1);
        });
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < most_passes * sweep_digits; k += read_threads) {
            uint32_t sum = 0;
#pragma unroll
            for (int copy = 0; copy < copies; copy++) {
                sum += counts[copy][k];
                counts[copy][k] = 0;
            }
            if (sum != 0)
                atomicAdd(&sweeps.starts_of(index, 0)[k], sum);
        }
        if (sees_last(&sweeps.ranges[index].counted, count, sweeps.tiles.segments[index].count))
            for (uint32_t pass = 0; pass < plan.passes; pass++) {
                uint32_t *start = sweeps.starts_of(index, pass) + threadIdx.x;
                bool digit = threadIdx.x < sweep_digits;
                uint32_t before = sum_before(digit ? __ldcg(start) : 0, warp_sums);
                if (digit)
                    *start = before;
                __syncthreads();
            }
    });
}

/* Blocks for a kernel that reads all tiles: no more than run at once, with equal numbers of tiles. */
inline uint32_t reading_blocks(const TileList &tiles)
{
    const uint32_t at_once = 3 * max(device_attribute(cudaDevAttrMultiProcessorCount), 1);

    return ceil_div(tiles.most_tiles, ceil_div(tiles.most_tiles, at_once));
}

/* A batch of one segment, of `longest` keys from slot 0 on. */
inline BinView whole_batch(const SegmentBatch &batch)
{
    return {batch.segments, 1};
}

/* Finds the ranges and contexts of the tiled segments. */
template <class Source, class Key>
cudaError_t find_ranges(const SegmentBatch &batch, const Sweeps<Source, Key> &sweeps, const BinView &bin,
                        cudaStream_t stream)
{
    cudaError_t error;
    if ((error = cudaMemsetAsync(sweeps.tiles.cursor, 0, sweeps.zeroed_bytes, stream)) != cudaSuccess ||
        (error = sweeps.tiles.number(bin, sweeps.tile, stream)) != cudaSuccess)
        return error;
    return launch_early(reduce_range<Source, Key>, reading_blocks(sweeps.tiles), read_threads, 0, stream, sweeps,
                        static_cast<const Key *>(batch.keys));
}

}  // namespace gpusort

#endif /* GPUSORT_METHOD_DIGITS_CUH */
