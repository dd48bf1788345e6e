/*
 * verify.cu
 *	  Digest and order of a batch.
 *
 * A first kernel gives each segment to as many threads as its length suggests, up to
 * a block. Segments too long for that go to a second kernel, which cuts them into
 * chunks; where a batch has both, the first lists them. Every block adds what it found,
 * and the last block of all says what came of it. What entries were before the sort is
 * digested before it or, where they are kept, by the same look after it.
 *
 * A check takes microseconds, of which starting a kernel is the larger part, so there
 * are few: one before the sort and one after it, unless the batch has both short and
 * long segments. For the rest each form of key has code of its own, and keys are loaded
 * 16 bytes at a time.
 */
#include <string.h>

#include <algorithm>
#include <type_traits>

#include "carver.h"
#include "key_codes.cuh"
#include "verify.cuh"

namespace gpusort
{

namespace
{

constexpr int THREADS = 256;
constexpr int RESIDENT = 4;              /* blocks that a multiprocessor shall hold */
constexpr int RUN = 4;                   /* neighbours in a payload that a thread looks at at a time, */
constexpr int KEY_RUN_BYTES = 16;        /* and bytes of keys */
constexpr uint32_t CHUNK = THREADS * 8;  /* of a long segment, that a block looks at at a time */
constexpr uint32_t MOST_BLOCKS = 512;    /* of a kernel */
constexpr uint32_t MOST_PARTS = 1 << 16; /* that long segments are cut into, together */
constexpr uint32_t LEAST_LANES = 4;      /* for a segment */

constexpr uint64_t ENDED_WRONG = UINT64_C(1) << 32; /* counts a block that saw a wrong entry */

template <GpusortKeyForm FORM>
using KeyOf = std::conditional_t<
    FORM == GPUSORT_KEY_INT16, uint16_t,
    std::conditional_t<FORM == GPUSORT_KEY_INT32 || FORM == GPUSORT_KEY_UINT32 || FORM == GPUSORT_KEY_FLOAT32, uint32_t,
                       uint64_t>>;

/* What the two passes leave to each other. */
struct Notes {
    uint64_t *before;     /* digest of each block before the sort; second kernel's blocks from MOST_BLOCKS on */
    uint64_t *difference; /* by which the blocks that have ended after the sort found other digests */
    uint64_t *ended;      /* how many these are, and, times ENDED_WRONG, how many of them saw a wrong entry */
    uint32_t *nlong;      /* how many segments are listed */
    uint32_t *list;       /* their numbers; null: all segments are long */
    void *kept;           /* room for the entries before the sort; null: no use is made of it */
    size_t bytes;
};

/* How many blocks look at a batch. */
struct Grid {
    uint32_t lanes;       /* threads per short segment, a power of two */
    uint32_t short_class; /* segments of longer classes are long */
    uint32_t long_segments;
    uint32_t short_blocks;
    uint32_t long_blocks;
    uint32_t parts; /* of each long segment */
    bool mixed;     /* some are short and some are long */
};

struct Check {
    const void *keys;
    const uint32_t *payload;
    const void *kept; /* the keys before the sort, or CARRIED payload; null: they were digested */
    const GpusortSegment *segments;
    uint32_t nsegments;
    GpusortPayload kind;
    Coding coding;
    uint64_t limit;
    bool ordered;  /* look at the order */
    bool digested; /* look at the digest */
    bool listing;  /* note the long segments */
    Notes notes;
    Grid grid;
    Copies copies;
    uint32_t *failed;
};

/* Differs from segment to segment, so that keys that change places between them are noticed. */
struct Salt {
    uint32_t a, b;
};

__device__ __forceinline__ Salt salt_of(uint32_t number)
{
    const uint64_t mixed = (number + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    const uint64_t salt = (mixed ^ (mixed >> 29)) * UINT64_C(0x94d049bb133111eb);

    return {uint32_t(salt), uint32_t(salt >> 32)};
}

/* What an entry adds to a digest: a product of two numbers made of it, as sums of the entries would hide errors. */
__device__ __forceinline__ uint64_t mix(uint32_t entry, Salt salt)
{
    const uint32_t other = entry * UINT32_C(0x9e3779b1) + salt.b;

    return uint64_t{entry ^ salt.a} * (other ^ (other >> 15));
}

__device__ __forceinline__ uint64_t mix(uint64_t entry, Salt salt)
{
    const uint32_t low = uint32_t(entry), high = uint32_t(entry >> 32);

    return mix(low, {salt.a, salt.b + high * UINT32_C(0x85ebca6b)}) +
           mix(high, {salt.b, salt.a + low * UINT32_C(0xc2b2ae35)});
}

__device__ __forceinline__ uint64_t mix(uint16_t entry, Salt salt)
{
    return mix(uint32_t{entry}, salt);
}

/* Does not fall along a sorted segment, and ties where a payload shows them. */
template <GpusortKeyForm FORM>
__device__ __forceinline__ KeyOf<FORM> order_code(const Check &check, KeyOf<FORM> key)
{
    constexpr Coding ORDERED = {FORM, false, true};

    return encode(ORDERED, key) ^ KeyOf<FORM>(check.coding.descending ? -1 : 0);
}

/* The entries begin .. end of a segment, of which a thread takes runs, `lanes` runs apart. */
struct Entries {
    GpusortSegment segment;
    Salt salt;
    uint32_t begin, end; /* a few thousand apart at most */
    uint32_t lane, lanes;
};

/* A run is what lies in 16 bytes and a load brings, wherever in it the segment begins or ends. */
template <GpusortKeyForm FORM, bool AFTER>
__device__ uint64_t look_at_keys(const Check &check, const void *all, const Entries &entries, bool *wrong)
{
    using Key = KeyOf<FORM>;
    constexpr uint32_t KEYS = KEY_RUN_BYTES / sizeof(Key);
    constexpr Coding DIGESTED = {FORM, false, false};
    const Key *keys = static_cast<const Key *>(all);
    const uint64_t start = entries.segment.start;
    const uint32_t size = entries.end - entries.begin;
    const uint32_t second = max(entries.begin, 1u); /* the first to have a predecessor */
    const uint32_t successors = check.ordered ? entries.end - second : 0;
    uint64_t sum = 0;

    for (uint64_t run = (start + entries.begin) / KEYS + entries.lane; run * KEYS < start + entries.end;
         run += entries.lanes) {
        const uint32_t at = uint32_t(run * KEYS - start); /* before the segment it is beyond its end */
        const uint4 loaded = static_cast<const uint4 *>(all)[run];
        Key key[KEYS], before = order_code<FORM>(check, AFTER && run * KEYS > start ? keys[run * KEYS - 1] : Key(0));

        memcpy(key, &loaded, sizeof(key));
#pragma unroll
        for (uint32_t i = 0; i < KEYS; i++) {
            if (at + i - entries.begin < size)
                sum += mix(encode(DIGESTED, key[i]), entries.salt);
            if constexpr (AFTER) {
                const Key code = order_code<FORM>(check, key[i]);

                *wrong |= at + i - second < successors && code < before;
                before = code;
            }
        }
    }
    return sum;
}

__device__ uint64_t look_at_payload(const void *all, const Entries &entries)
{
    const uint32_t *payload = static_cast<const uint32_t *>(all) + entries.segment.start + entries.begin;
    const uint32_t size = entries.end - entries.begin;
    uint64_t sum = 0;

    for (uint32_t at = entries.lane * RUN; at < size; at += entries.lanes * RUN) {
        uint32_t entry[RUN];

#pragma unroll
        for (int i = 0; i < RUN; i++)
            entry[i] = at + i < size ? payload[at + i] : 0;
#pragma unroll
        for (int i = 0; i < RUN; i++)
            if (at + i < size)
                sum += mix(entry[i], entries.salt);
    }
    return sum;
}

/* The digest is that of the positions less that of 0, 1, 2, ... */
template <GpusortKeyForm FORM>
__device__ uint64_t look_at_index(const Check &check, const Entries &entries, bool *wrong)
{
    using Key = KeyOf<FORM>;
    const Key *keys = static_cast<const Key *>(check.keys) + entries.segment.start;
    const uint32_t *index = check.payload + entries.segment.start + entries.begin;
    const uint32_t count = entries.segment.count, size = entries.end - entries.begin;
    uint64_t sum = 0;

    for (uint32_t at = entries.lane * RUN; at < size; at += entries.lanes * RUN) {
        const bool first = entries.begin + at == 0;
        uint32_t position[RUN + 1]; /* behind the one before the run */
        Key key[RUN + 1];

#pragma unroll
        for (int i = 0; i <= RUN; i++)
            position[i] = at + i <= size && !(first && i == 0) ? index[int32_t(at) + i - 1] : 0;
#pragma unroll
        for (int i = 0; i <= RUN; i++) {
            *wrong |= position[i] >= count;
            key[i] = check.ordered && position[i] < count ? keys[position[i]] : Key(0);
        }
#pragma unroll
        for (int i = 1; i <= RUN; i++)
            if (at + i <= size) {
                const Key code = order_code<FORM>(check, key[i]), before = order_code<FORM>(check, key[i - 1]);

                sum += mix(position[i], entries.salt) - mix(entries.begin + at + i - 1, entries.salt);
                *wrong |= check.ordered && !(first && i == 1) &&
                          (code < before || (code == before && position[i] <= position[i - 1]));
            }
    }
    return sum;
}

template <GpusortKeyForm FORM, bool AFTER>
__device__ __forceinline__ uint64_t look(const Check &check, Entries entries, bool *wrong)
{
    if (check.limit > 0 && entries.end > check.limit)
        entries.end = uint32_t(check.limit);
    if (entries.begin >= entries.end)
        return 0;
    if (check.kind == GPUSORT_PAYLOAD_INDEX)
        return AFTER ? look_at_index<FORM>(check, entries, wrong) : 0;

    const bool compare = AFTER && check.kept && check.digested;
    uint64_t sum = 0;

    if (check.kind == GPUSORT_PAYLOAD_CARRIED) {
        if (check.digested)
            sum = look_at_payload(check.payload, entries);
        if (compare)
            sum -= look_at_payload(check.kept, entries);
    } else {
        if (check.digested || check.ordered)
            sum = look_at_keys<FORM, AFTER>(check, check.keys, entries, wrong);
        if (compare)
            sum -= look_at_keys<FORM, false>(check, check.kept, entries, wrong);
    }
    return sum;
}

__device__ uint32_t thread_of_block()
{
    return threadIdx.y * blockDim.x + threadIdx.x;
}

/* Copies, as one of the blocks behind those that look. */
__device__ void copy_beside(const Check &check, uint32_t looking)
{
    copy_pieces(check.copies, (blockIdx.x - looking) * THREADS + thread_of_block(), (gridDim.x - looking) * THREADS);
}

/* Makes the notes ready for a look after the sort. */
__device__ void clear(const Notes &notes)
{
    *notes.difference = 0;
    *notes.ended = 0;
}

/* Notes what the block, of that number, has found; the last one after the sort judges. */
template <bool AFTER>
__device__ void leave(const Check &check, uint32_t number, uint64_t sum, bool wrong)
{
    __shared__ uint64_t warp_sums[THREADS / 32];
    const Notes &notes = check.notes;
    const uint32_t thread = thread_of_block(), blocks = check.grid.short_blocks + check.grid.long_blocks;

#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        sum += __shfl_xor_sync(UINT32_MAX, sum, i);
    if (thread % 32 == 0)
        warp_sums[thread / 32] = sum;
    wrong = __syncthreads_or(wrong);
    if (thread != 0)
        return;
    for (int w = 1; w < THREADS / 32; w++)
        sum += warp_sums[w];
    if (!AFTER) {
        notes.before[number] = sum;
        clear(notes);
        return;
    }

    uint64_t difference = check.kept ? sum : sum - notes.before[number];
    uint64_t ended = 1 + (wrong ? ENDED_WRONG : 0);

    if (blocks > 1) {
        atomicAdd(reinterpret_cast<unsigned long long *>(notes.difference), difference);
        __threadfence();
        ended += atomicAdd(reinterpret_cast<unsigned long long *>(notes.ended), ended);
        if (ended % ENDED_WRONG < blocks)
            return;
        __threadfence();
        difference = __ldcg(notes.difference);
    }
    *check.failed = ended >= ENDED_WRONG || (check.digested && difference != 0);
    clear(notes);
    if (check.listing)
        *notes.nlong = 0;
}

/* Row y of a block's threads takes a segment. */
template <GpusortKeyForm FORM, bool AFTER>
__global__ void __launch_bounds__(THREADS, RESIDENT) look_at_segments(const __grid_constant__ Check check)
{
    const uint32_t lane = threadIdx.x, lanes = blockDim.x, blocks = check.grid.short_blocks;
    uint64_t sum = 0;
    bool wrong = false;

    if (AFTER && blockIdx.x >= blocks) {
        copy_beside(check, blocks);
        return;
    }
    for (uint64_t number = uint64_t{blockIdx.x} * blockDim.y + threadIdx.y; number < check.nsegments;
         number += uint64_t{blocks} * blockDim.y) {
        const GpusortSegment segment = check.segments[number];

        if (segment.count <= 1u << check.grid.short_class)
            sum +=
                look<FORM, AFTER>(check, {segment, salt_of(uint32_t(number)), 0, segment.count, lane, lanes}, &wrong);
        else if (check.listing && lane == 0)
            check.notes.list[atomicAdd(check.notes.nlong, 1)] = uint32_t(number);
    }
    leave<AFTER>(check, blockIdx.x, sum, wrong);
}

/* Part p of a segment is its chunks p, p + parts, ... */
template <GpusortKeyForm FORM, bool AFTER>
__global__ void __launch_bounds__(THREADS, RESIDENT) look_at_long_segments(const __grid_constant__ Check check)
{
    const uint64_t work = uint64_t{check.grid.long_segments} * check.grid.parts;
    const uint32_t blocks = check.grid.long_blocks;
    uint64_t sum = 0;
    bool wrong = false;

    if (AFTER && blockIdx.x >= blocks) {
        copy_beside(check, blocks);
        return;
    }
    for (uint64_t item = blockIdx.x; item < work; item += blocks) {
        const uint32_t place = uint32_t(item / check.grid.parts);
        const uint32_t number = check.notes.list ? check.notes.list[place] : place;
        const GpusortSegment segment = check.segments[number];

        for (uint64_t begin = item % check.grid.parts * CHUNK; begin < segment.count;
             begin += uint64_t{check.grid.parts} * CHUNK) {
            const uint64_t end = begin + CHUNK < segment.count ? begin + CHUNK : segment.count;

            sum += look<FORM, AFTER>(
                check, {segment, salt_of(number), uint32_t(begin), uint32_t(end), threadIdx.x, THREADS}, &wrong);
        }
    }
    leave<AFTER>(check, MOST_BLOCKS + blockIdx.x, sum, wrong);
}

__global__ void __launch_bounds__(THREADS) make_copies(const __grid_constant__ Copies copies)
{
    copy_pieces(copies, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS);
}

/* Makes the copies, one of which keeps the entries for the look after the sort. */
__global__ void __launch_bounds__(THREADS)
    keep_entries(const __grid_constant__ Copies copies, const __grid_constant__ Notes notes)
{
    copy_pieces(copies, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        clear(notes);
        *notes.nlong = 0;
    }
}

Grid grid_of(const SegmentBatch &batch)
{
    const uint32_t run =
        batch.spec.payload == GPUSORT_PAYLOAD_NONE ? KEY_RUN_BYTES / gpusort_key_width(batch.spec.form) : RUN;
    const uint64_t runs = batch.nslots / std::max(batch.nsegments, 1u) / run; /* of a segment, on average */
    Grid grid = {};

    /* A run for each thread where there are threads enough, else up to three. */
    grid.lanes = LEAST_LANES;
    while (grid.lanes < THREADS && grid.lanes < runs &&
           (3 * grid.lanes < runs || uint64_t{batch.nsegments} * grid.lanes < MOST_BLOCKS * THREADS / 2))
        grid.lanes *= 2;
    grid.short_class = grid.lanes >= THREADS / 4 ? 12 : 10;
    for (uint32_t c = grid.short_class + 1; c < GPUSORT_LENGTH_CLASSES; c++)
        grid.long_segments += gpusort_class_count(batch.length_histogram, c);
    grid.mixed = grid.long_segments > 0 && grid.long_segments < batch.nsegments;
    if (grid.long_segments < batch.nsegments) {
        const uint64_t blocks = (uint64_t{batch.nsegments} * grid.lanes + THREADS - 1) / THREADS;

        grid.short_blocks = uint32_t(std::min<uint64_t>(blocks, MOST_BLOCKS));
    }
    if (grid.long_segments > 0) {
        grid.parts = std::min((batch.longest - 1) / CHUNK + 1, MOST_PARTS / grid.long_segments + 1);
        grid.long_blocks = uint32_t(std::min<uint64_t>(uint64_t{grid.long_segments} * grid.parts, MOST_BLOCKS));
    }
    return grid;
}

/* Of what is digested or kept. */
uint64_t entry_bytes(const SegmentBatch &batch)
{
    return batch.nslots *
           (batch.spec.payload == GPUSORT_PAYLOAD_CARRIED ? sizeof(uint32_t) : gpusort_key_width(batch.spec.form));
}

Notes notes_in(const SegmentBatch &batch, void *space)
{
    const Grid grid = grid_of(batch);
    Carver carver(space);
    Notes notes;

    notes.before = carver.take<uint64_t>(2 * MOST_BLOCKS * sizeof(uint64_t));
    notes.difference = carver.take<uint64_t>(2 * sizeof(uint64_t));
    notes.ended = notes.difference + 1;
    notes.nlong = carver.take<uint32_t>(sizeof(uint32_t));
    notes.list = grid.mixed ? carver.take<uint32_t>(size_t{grid.long_segments} * sizeof(uint32_t)) : nullptr;
    notes.kept = batch.spec.payload == GPUSORT_PAYLOAD_INDEX || entry_bytes(batch) <= FEW_BYTES
                     ? carver.take<void>(entry_bytes(batch))
                     : nullptr;
    notes.bytes = carver.used();
    return notes;
}

Check check_of(const SegmentBatch &batch, void *space, const Copies *copies)
{
    const bool index = batch.spec.payload == GPUSORT_PAYLOAD_INDEX;
    Check check = {};

    check.notes = notes_in(batch, space);
    check.kept = index || copies ? check.notes.kept : nullptr;
    check.keys = index ? check.kept : batch.keys;
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

template <GpusortKeyForm FORM, bool AFTER>
cudaError_t run(const Check &check, cudaStream_t stream)
{
    const Grid &grid = check.grid;
    uint32_t copying = copying_blocks(check.copies, THREADS, MOST_BLOCKS);

    if (grid.short_blocks > 0) {
        const dim3 threads(grid.lanes, THREADS / grid.lanes);

        look_at_segments<FORM, AFTER><<<grid.short_blocks + copying, threads, 0, stream>>>(check);
        copying = 0;
    }
    if (grid.long_blocks > 0)
        look_at_long_segments<FORM, AFTER><<<grid.long_blocks + copying, THREADS, 0, stream>>>(check);
    return cudaGetLastError();
}

template <bool AFTER>
cudaError_t run_by_form(const Check &check, cudaStream_t stream)
{
    switch (check.coding.form) {
        case GPUSORT_KEY_INT16:
            return run<GPUSORT_KEY_INT16, AFTER>(check, stream);
        case GPUSORT_KEY_INT32:
            return run<GPUSORT_KEY_INT32, AFTER>(check, stream);
        case GPUSORT_KEY_UINT32:
            return run<GPUSORT_KEY_UINT32, AFTER>(check, stream);
        case GPUSORT_KEY_FLOAT32:
            return run<GPUSORT_KEY_FLOAT32, AFTER>(check, stream);
        case GPUSORT_KEY_INT64:
            return run<GPUSORT_KEY_INT64, AFTER>(check, stream);
        case GPUSORT_KEY_UINT64:
            return run<GPUSORT_KEY_UINT64, AFTER>(check, stream);
        default:
            return run<GPUSORT_KEY_FLOAT64, AFTER>(check, stream);
    }
}

/* Keeps the entries, which come with the copies, if there are any. */
cudaError_t keep(const SegmentBatch &batch, const Notes &notes, const Copies *copies, cudaStream_t stream)
{
    const void *entries = batch.spec.payload == GPUSORT_PAYLOAD_CARRIED ? batch.payload : batch.keys;
    Copies all = {{{notes.kept, entries, entry_bytes(batch), nullptr}}};

    if (copies) {
        all = *copies;
        for (Copy &copy : all.each)
            if (copy.to == entries)
                copy.also = notes.kept;
    }
    keep_entries<<<std::max(copying_blocks(all, THREADS, MOST_BLOCKS), 1u), THREADS, 0, stream>>>(all, notes);
    return cudaGetLastError();
}

}  // namespace

size_t verify_bytes(const SegmentBatch &batch)
{
    return notes_in(batch, nullptr).bytes;
}

cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream, const Copies *copies)
{
    if (batch.nsegments == 0)
        return cudaSuccess;

    Check check = check_of(batch, space, copies);
    cudaError_t error = cudaSuccess;

    if (check.kept)
        return keep(batch, check.notes, copies, stream);
    check.listing = check.grid.mixed;
    if (check.listing)
        error = cudaMemsetAsync(check.notes.nlong, 0, sizeof(uint32_t), stream);
    return error == cudaSuccess ? run_by_form<false>(check, stream) : error;
}

cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                       const Copies *copies)
{
    if (batch.nsegments == 0)
        return cudaMemsetAsync(failed, 0, sizeof(uint32_t), stream);

    Check check = check_of(batch, space, copies);

    if (copies)
        check.copies = *copies;
    check.ordered = batch.spec.buckets == 0;
    check.listing = check.kept && check.grid.mixed;
    check.failed = failed;
    return run_by_form<true>(check, stream);
}

cudaError_t copy_unchecked(const Copies &copies, cudaStream_t stream)
{
    const uint32_t blocks = std::max(copying_blocks(copies, THREADS, MOST_BLOCKS), 1u);

    make_copies<<<blocks, THREADS, 0, stream>>>(copies);
    return cudaGetLastError();
}

}  // namespace gpusort
