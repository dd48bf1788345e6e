/*
 * verify.cu
 *	  Digest and order of a batch.
 *
 * A first kernel gives each segment to a warp, or to a quarter of one where segments
 * are short; segments of more than SHORT keys it lists, and a second kernel, which is
 * only launched if the histogram says that there are any, cuts those into chunks. Every
 * block leaves what it found, and the last block of all sums it up.
 *
 * A check takes microseconds, of which starting a kernel is the larger part, so there
 * are few: one memset and a kernel before the sort, a kernel after it, and one more of
 * each for long segments. Each thread has several loads under way.
 */
#include <algorithm>

#include "carver.h"
#include "key_codes.cuh"
#include "verify.cuh"

namespace gpusort
{

namespace
{

constexpr int THREADS = 256;
constexpr int RESIDENT = 4;          /* blocks that a multiprocessor shall hold */
constexpr uint32_t SHORT_CLASS = 10; /* longer segments are listed for the second kernel */
constexpr uint32_t SHORT = 1 << SHORT_CLASS;
constexpr uint32_t CHUNK = THREADS * 8;  /* of a long segment, that a block looks at at a time */
constexpr uint32_t MOST_BLOCKS = 512;    /* of a kernel */
constexpr uint32_t MOST_PARTS = 1 << 16; /* that long segments are cut into, together */

/* What the two passes leave to each other. */
struct Notes {
    uint64_t *before; /* digest of each block before the sort; second kernel's blocks from MOST_BLOCKS on */
    uint64_t *after;  /* the same after it */
    uint32_t *wrong;  /* blocks that saw entries out of order */
    uint32_t *done;   /* blocks that have ended after the sort */
    uint32_t *nlong;  /* how many segments are listed */
    uint32_t *list;   /* their numbers */
    void *kept_keys;  /* with a payload INDEX, else null */
    size_t bytes;
};

/* How many blocks look at a batch. */
struct Grid {
    uint32_t long_segments;
    uint32_t short_blocks;
    uint32_t long_blocks;
    uint32_t parts; /* of each long segment */
    bool narrow;    /* a quarter of a warp per segment */
};

/* Entries that a thread loads at a time. */
template <class Key>
constexpr int loads = sizeof(Key) == 8 ? 4 : 8;

struct Check {
    const void *keys;
    const uint32_t *payload;
    const GpusortSegment *segments;
    uint32_t nsegments;
    GpusortPayload kind;
    Coding coding;
    uint64_t limit;
    bool after;    /* the sort has run */
    bool ordered;  /* look at the order */
    bool digested; /* look at the digest */
    bool listing;  /* note the long segments */
    Notes notes;
    Grid before_grid; /* of the pass before the sort; no blocks if there was none */
    Grid grid;
    uint32_t *failed;
};

__device__ __forceinline__ uint64_t mix(uint64_t code)
{
    code = (code ^ (code >> 32) ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (code ^ (code >> 29)) * UINT64_C(0x94d049bb133111eb);
}

/* Differs from segment to segment, so that keys that change places between them are noticed. */
__device__ __forceinline__ uint64_t salt_of(uint32_t number)
{
    return mix(uint64_t{number} << 32);
}

template <class Key>
__device__ __forceinline__ Key order_code(const Check &check, Key key)
{
    Coding tied = check.coding;

    tied.tied = true;
    return encode(tied, key);
}

/* Entries of a segment: first, first + step, ... below end. */
struct Entries {
    GpusortSegment segment;
    uint64_t salt;
    uint64_t first, step, end;
};

template <class Key>
__device__ uint64_t look_at_keys(const Check &check, const Entries &entries, bool *wrong)
{
    constexpr int UNROLL = loads<Key>;
    const Key *keys = static_cast<const Key *>(check.keys) + entries.segment.start;
    uint64_t sum = 0;

    for (uint64_t base = entries.first; base < entries.end; base += UNROLL * entries.step) {
        Key key[UNROLL], before[UNROLL];

#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const uint64_t i = base + u * entries.step;

            if (i < entries.end) {
                key[u] = keys[i];
                before[u] = check.ordered && i > 0 ? keys[i - 1] : key[u];
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (base + u * entries.step < entries.end) {
                sum += mix(encode(check.coding, key[u]) + entries.salt);
                *wrong |= order_code(check, key[u]) < order_code(check, before[u]);
            }
        }
    }
    return sum;
}

__device__ uint64_t look_at_payload(const Check &check, const Entries &entries)
{
    constexpr int UNROLL = loads<uint32_t>;
    const uint32_t *payload = check.payload + entries.segment.start;
    uint64_t sum = 0;

    for (uint64_t base = entries.first; base < entries.end; base += UNROLL * entries.step) {
        uint32_t entry[UNROLL];

#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (base + u * entries.step < entries.end)
                entry[u] = payload[base + u * entries.step];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (base + u * entries.step < entries.end)
                sum += mix(entry[u] + entries.salt);
    }
    return sum;
}

/* The digest is that of the positions less that of 0, 1, 2, ... */
template <class Key>
__device__ uint64_t look_at_index(const Check &check, const Entries &entries, bool *wrong)
{
    constexpr int UNROLL = loads<Key>;
    const Key *keys = static_cast<const Key *>(check.keys) + entries.segment.start;
    const uint32_t *index = check.payload + entries.segment.start;
    const uint32_t count = entries.segment.count;
    uint64_t sum = 0;

    for (uint64_t base = entries.first; base < entries.end; base += UNROLL * entries.step) {
        uint32_t position[UNROLL], previous[UNROLL];
        Key key[UNROLL], before[UNROLL];

#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const uint64_t i = base + u * entries.step;

            position[u] = i < entries.end ? index[i] : 0;
            previous[u] = i < entries.end && i > 0 ? index[i - 1] : position[u];
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const bool known = position[u] < count && previous[u] < count;

            *wrong |= !known;
            key[u] = check.ordered && known ? keys[position[u]] : Key(0);
            before[u] = check.ordered && known ? keys[previous[u]] : Key(0);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const uint64_t i = base + u * entries.step;

            if (i < entries.end) {
                const Key code = order_code(check, key[u]), code_before = order_code(check, before[u]);

                sum += mix(position[u] + entries.salt) - mix(i + entries.salt);
                *wrong |= check.ordered && i > 0 &&
                          (code < code_before || (code == code_before && position[u] <= previous[u]));
            }
        }
    }
    return sum;
}

template <class Key>
__device__ __forceinline__ uint64_t look(const Check &check, Entries entries, bool *wrong)
{
    if (check.limit > 0 && entries.end > check.limit)
        entries.end = check.limit;
    if (check.kind == GPUSORT_PAYLOAD_NONE)
        return check.digested || check.ordered ? look_at_keys<Key>(check, entries, wrong) : 0;
    if (check.kind == GPUSORT_PAYLOAD_CARRIED)
        return check.digested ? look_at_payload(check, entries) : 0;
    return look_at_index<Key>(check, entries, wrong);
}

/* The sum over the block, for its first thread. */
__device__ uint64_t block_sum(uint64_t sum)
{
    __shared__ uint64_t warp_sums[THREADS / 32];

#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        sum += __shfl_xor_sync(UINT32_MAX, sum, i);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();
    for (int w = 1; w < THREADS / 32 && threadIdx.x == 0; w++)
        sum += warp_sums[w];
    return sum;
}

/* Sums up what all blocks have found, and makes the notes ready for another look. */
__device__ void judge(const Check &check)
{
    const Grid &then = check.before_grid, &now = check.grid;
    uint64_t difference = 0;
    bool wrong = false;

    for (uint32_t b = threadIdx.x; b < 2 * MOST_BLOCKS; b += THREADS) {
        const uint32_t number = b % MOST_BLOCKS;

        if (number < (b < MOST_BLOCKS ? then.short_blocks : then.long_blocks))
            difference -= __ldcg(&check.notes.before[b]);
        if (number < (b < MOST_BLOCKS ? now.short_blocks : now.long_blocks)) {
            difference += __ldcg(&check.notes.after[b]);
            wrong |= __ldcg(&check.notes.wrong[b]) != 0;
        }
    }
    difference = block_sum(difference);
    wrong = __syncthreads_or(wrong);
    if (threadIdx.x == 0) {
        *check.failed = wrong || (check.digested && difference != 0);
        *check.notes.done = 0;
        if (check.listing)
            *check.notes.nlong = 0;
    }
}

/* Notes what the block, of that number, has found. */
__device__ void leave(const Check &check, uint32_t number, uint64_t sum, bool wrong)
{
    __shared__ bool last;

    sum = block_sum(sum);
    wrong = __syncthreads_or(wrong);
    if (threadIdx.x == 0) {
        last = false;
        if (check.after) {
            check.notes.after[number] = sum;
            check.notes.wrong[number] = wrong;
            __threadfence();
            last = atomicAdd(check.notes.done, 1) == check.grid.short_blocks + check.grid.long_blocks - 1;
        } else {
            check.notes.before[number] = sum;
        }
    }
    __syncthreads();
    if (last) {
        __threadfence();
        judge(check);
    }
}

template <class Key, int LANES>
__global__ void __launch_bounds__(THREADS, RESIDENT) look_at_segments(const __grid_constant__ Check check)
{
    const uint32_t lane = threadIdx.x % LANES;
    uint64_t sum = 0;
    bool wrong = false;

    for (uint64_t number = (uint64_t{blockIdx.x} * THREADS + threadIdx.x) / LANES; number < check.nsegments;
         number += uint64_t{gridDim.x} * THREADS / LANES) {
        const GpusortSegment segment = check.segments[number];

        if (segment.count <= SHORT)
            sum += look<Key>(check, {segment, salt_of(uint32_t(number)), lane, LANES, segment.count}, &wrong);
        else if (check.listing && lane == 0)
            check.notes.list[atomicAdd(check.notes.nlong, 1)] = uint32_t(number);
    }
    leave(check, blockIdx.x, sum, wrong);
}

/* Part p of a segment is its chunks p, p + parts, ... */
template <class Key>
__global__ void __launch_bounds__(THREADS, RESIDENT) look_at_long_segments(const __grid_constant__ Check check)
{
    const uint64_t work = uint64_t{check.grid.long_segments} * check.grid.parts;
    uint64_t sum = 0;
    bool wrong = false;

    for (uint64_t item = blockIdx.x; item < work; item += gridDim.x) {
        const uint32_t number = check.notes.list[item / check.grid.parts];
        const GpusortSegment segment = check.segments[number];

        for (uint64_t begin = item % check.grid.parts * CHUNK; begin < segment.count;
             begin += uint64_t{check.grid.parts} * CHUNK) {
            const uint64_t end = begin + CHUNK < segment.count ? begin + CHUNK : segment.count;

            sum += look<Key>(check, {segment, salt_of(number), begin + threadIdx.x, THREADS, end}, &wrong);
        }
    }
    leave(check, MOST_BLOCKS + blockIdx.x, sum, wrong);
}

Grid grid_of(const SegmentBatch &batch)
{
    Grid grid = {};

    for (uint32_t c = SHORT_CLASS + 1; c < GPUSORT_LENGTH_CLASSES; c++)
        grid.long_segments += batch.length_histogram[c];
    grid.narrow = batch.nslots / batch.nsegments < 128;

    const uint64_t blocks = (uint64_t{batch.nsegments} * (grid.narrow ? 8 : 32) + THREADS - 1) / THREADS;

    grid.short_blocks = uint32_t(std::min<uint64_t>(blocks, MOST_BLOCKS));
    if (grid.long_segments > 0) {
        grid.parts = std::min((batch.longest - 1) / CHUNK + 1, MOST_PARTS / grid.long_segments + 1);
        grid.long_blocks = uint32_t(std::min<uint64_t>(uint64_t{grid.long_segments} * grid.parts, MOST_BLOCKS));
    }
    return grid;
}

Notes notes_in(const SegmentBatch &batch, void *space)
{
    Carver carver(space);
    Notes notes;

    notes.before = carver.take<uint64_t>(2 * MOST_BLOCKS * sizeof(uint64_t));
    notes.after = carver.take<uint64_t>(2 * MOST_BLOCKS * sizeof(uint64_t));
    notes.wrong = carver.take<uint32_t>(2 * MOST_BLOCKS * sizeof(uint32_t));
    notes.done = carver.take<uint32_t>(2 * sizeof(uint32_t));
    notes.nlong = notes.done + 1;
    notes.list = carver.take<uint32_t>(batch.nsegments ? size_t{grid_of(batch).long_segments} * sizeof(uint32_t) : 0);
    notes.kept_keys = batch.spec.payload == GPUSORT_PAYLOAD_INDEX
                          ? carver.take<void>(batch.nslots * gpusort_key_width(batch.spec.form))
                          : nullptr;
    notes.bytes = carver.used();
    return notes;
}

Check check_of(const SegmentBatch &batch, void *space)
{
    Check check = {};

    check.notes = notes_in(batch, space);
    check.keys = check.notes.kept_keys ? check.notes.kept_keys : batch.keys;
    check.payload = batch.payload;
    check.segments = batch.segments;
    check.nsegments = batch.nsegments;
    check.kind = batch.spec.payload;
    check.coding = {batch.spec.form, batch.spec.descending, false};
    check.limit = batch.spec.limit;
    check.digested = batch.spec.limit == 0;
    check.grid = grid_of(batch);
    return check;
}

template <class Key>
cudaError_t run(const Check &check, cudaStream_t stream)
{
    if (check.grid.short_blocks > 0) {
        if (check.grid.narrow)
            look_at_segments<Key, 8><<<check.grid.short_blocks, THREADS, 0, stream>>>(check);
        else
            look_at_segments<Key, 32><<<check.grid.short_blocks, THREADS, 0, stream>>>(check);
    }
    if (check.grid.long_blocks > 0)
        look_at_long_segments<Key><<<check.grid.long_blocks, THREADS, 0, stream>>>(check);
    return cudaGetLastError();
}

cudaError_t run_by_width(const Check &check, cudaStream_t stream)
{
    switch (gpusort_key_width(check.coding.form)) {
        case 2:
            return run<uint16_t>(check, stream);
        case 4:
            return run<uint32_t>(check, stream);
        default:
            return run<uint64_t>(check, stream);
    }
}

}  // namespace

size_t verify_bytes(const SegmentBatch &batch)
{
    return notes_in(batch, nullptr).bytes;
}

cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream)
{
    if (batch.nsegments == 0)
        return cudaSuccess;

    Check check = check_of(batch, space);
    cudaError_t error = cudaMemsetAsync(check.notes.done, 0, 2 * sizeof(uint32_t), stream);

    if (error != cudaSuccess)
        return error;
    if (check.kind == GPUSORT_PAYLOAD_INDEX)
        return cudaMemcpyAsync(check.notes.kept_keys, batch.keys, batch.nslots * gpusort_key_width(batch.spec.form),
                               cudaMemcpyDeviceToDevice, stream);
    check.listing = true;
    return run_by_width(check, stream);
}

cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream)
{
    if (batch.nsegments == 0)
        return cudaMemsetAsync(failed, 0, sizeof(uint32_t), stream);

    Check check = check_of(batch, space);

    check.after = true;
    check.ordered = batch.spec.buckets == 0;
    check.failed = failed;
    if (check.kind == GPUSORT_PAYLOAD_INDEX)
        check.listing = true;
    else {
        check.before_grid = check.grid;
        if (check.grid.long_segments == batch.nsegments)
            check.grid.short_blocks = 0; /* they have been listed */
    }
    return run_by_width(check, stream);
}

}  // namespace gpusort
