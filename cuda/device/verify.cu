/*
 * verify.cu
 *	  See verify.cuh.
 *
 * A first kernel gives each segment to the same number of threads, up to a block, which
 * suits their average length. It lists the longer segments, which a second kernel spreads
 * over blocks. Every thread adds up the digest of the keys that it looks at, and a last
 * kernel compares the sums from before and after the sort.
 */
#include <stddef.h>

#include <algorithm>

#include "device/digest.cuh"
#include "device/verify.cuh"
#include "methods/key_codes.cuh"
#include "methods/workspace.cuh"

namespace gpusort
{

namespace
{

constexpr uint32_t THREADS = 256;
constexpr uint32_t MOST_BLOCKS = 1024;    /* of a kernel: enough for any device, and each adds to the same sums */
constexpr uint32_t LEAST_LANES = 4;       /* the fewest threads of a segment */
constexpr uint32_t EACH = 8;              /* entries that a thread looks at, about */
constexpr uint32_t MOST_SHORT_CLASS = 12; /* segments of longer classes are spread over blocks */

/* What the kernels of a check add up. */
struct Sums {
    uint64_t before; /* the digest before the sort */
    uint64_t after;
    uint32_t wrong; /* 1 if an entry is out of place */
    uint32_t nlong; /* how many long segments are listed */
};

struct Check {
    const void *keys;
    const void *kept;      /* the keys before the sort; null if their digest is enough */
    const uint32_t *index; /* null without an INDEX */
    const GpusortSegment *segments;
    uint32_t nsegments;
    Coding coding;
    bool ordered;         /* check the order */
    uint32_t lanes;       /* threads per short segment, a power of two */
    uint32_t short_class; /* segments of longer classes are long */
    uint32_t nlong;       /* how many of them there are */
    uint32_t *list;       /* their numbers */
    Sums *sums;
    Gather gather;
    size_t bytes;
};

/* A thread's share of a segment: every lanes-th entry, from entry `lane` on. */
struct Share {
    uint32_t number; /* of the segment */
    GpusortSegment segment;
    uint32_t lane, lanes;
};

/* The findings of a thread. */
struct Found {
    uint64_t digest = 0;
    bool wrong = false;
};

/* A number that differs from segment to segment, so an exchange of keys between segments is noticed. */
struct Salt {
    uint32_t a, b;
};

__device__ __forceinline__ Salt salt_of(uint32_t number)
{
    const uint64_t mixed = (number + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    const uint64_t salt = (mixed ^ (mixed >> 29)) * UINT64_C(0x94d049bb133111eb);

    return {uint32_t(salt), uint32_t(salt >> 32)};
}

/* What an entry adds to a digest: a product of two numbers made of it. A plain sum would miss compensating errors. */
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

template <class Key, bool AFTER>
__device__ void look_at_keys(const Check &check, const Share &share, Found *found)
{
    const Key *keys = static_cast<const Key *>(check.keys) + share.segment.start;
    const Salt salt = salt_of(share.number);

#pragma unroll 4
    for (uint64_t i = share.lane; i < share.segment.count; i += share.lanes) {
        const Key code = encode(check.coding, keys[i]);

        found->digest += mix(code, salt);
        if (AFTER && check.ordered && i > 0)
            found->wrong |= code < encode(check.coding, keys[i - 1]);
    }
}

/* The digest is that of the positions less that of the right ones, which are 0, 1, 2, ... */
template <class Key>
__device__ void look_at_index(const Check &check, const Share &share, Found *found)
{
    const uint64_t start = share.segment.start;
    const uint32_t count = share.segment.count, *index = check.index + start;
    const Key *keys = static_cast<const Key *>(check.kept) + start;
    const Salt salt = salt_of(share.number);

#pragma unroll 2
    for (uint64_t i = share.lane; i < count; i += share.lanes) {
        const uint32_t position = index[i], before = i > 0 ? index[i - 1] : 0;

        found->digest += mix(position, salt) - mix(uint32_t(i), salt);
        if (position >= count || before >= count) {
            found->wrong = true;
            continue;
        }
        if (check.gather.to)
            check.gather.to[start + i] = check.gather.from[start + position];
        if (check.ordered && i > 0) {
            const Key code = encode(check.coding, keys[position]), code_before = encode(check.coding, keys[before]);

            found->wrong |= code < code_before || (code == code_before && position <= before);
        }
    }
}

template <class Key, bool AFTER>
__device__ __forceinline__ void look(const Check &check, const Share &share, Found *found)
{
    if (AFTER && check.index)
        look_at_index<Key>(check, share, found);
    else
        look_at_keys<Key, AFTER>(check, share, found);
}

/* Adds what the threads of a block have found. */
template <bool AFTER>
__device__ void add_up(const Check &check, const Found &found)
{
    add_digest(AFTER ? &check.sums->after : &check.sums->before, found.digest);
    if (found.wrong)
        check.sums->wrong = 1;
}

/* Looks at short segments, and lists the long ones. */
template <class Key, bool AFTER>
__global__ void __launch_bounds__(THREADS) look_at_segments(const __grid_constant__ Check check)
{
    const uint32_t rows = THREADS / check.lanes, lane = threadIdx.x % check.lanes;
    Found found;

    for (uint64_t number = uint64_t{blockIdx.x} * rows + threadIdx.x / check.lanes; number < check.nsegments;
         number += uint64_t{gridDim.x} * rows) {
        const GpusortSegment segment = check.segments[number];

        if (segment.count <= 1u << check.short_class)
            look<Key, AFTER>(check, {uint32_t(number), segment, lane, check.lanes}, &found);
        else if (lane == 0)
            check.list[atomicAdd(&check.sums->nlong, 1)] = uint32_t(number);
    }
    add_up<AFTER>(check, found);
}

/* Looks at long segments. The blocks of one x share a segment. */
template <class Key, bool AFTER>
__global__ void __launch_bounds__(THREADS) look_at_long_segments(const __grid_constant__ Check check)
{
    Found found;

    for (uint32_t i = blockIdx.x; i < check.nlong; i += gridDim.x) {
        const uint32_t number = check.list[i];

        look<Key, AFTER>(
            check, {number, check.segments[number], blockIdx.y * THREADS + threadIdx.x, gridDim.y * THREADS}, &found);
    }
    add_up<AFTER>(check, found);
}

__global__ void give_verdict(const Sums *sums, uint32_t *failed)
{
    *failed = sums->wrong != 0 || sums->before != sums->after;
}

uint64_t key_bytes(const SegmentBatch &batch)
{
    return batch.nslots * gpusort_key_width(batch.spec.form);
}

uint32_t blocks_for(uint64_t threads)
{
    return uint32_t(std::min<uint64_t>((threads + THREADS - 1) / THREADS, MOST_BLOCKS));
}

Check check_of(const SegmentBatch &batch, void *space)
{
    const GpusortSpec &spec = batch.spec;
    const bool index = spec.payload == GPUSORT_PAYLOAD_INDEX;
    const uint64_t average = batch.nslots / std::max(batch.nsegments, 1u);
    Workspace parts(space);
    Check check = {};

    check.keys = batch.keys;
    check.index = index ? batch.payload : nullptr;
    check.segments = batch.segments;
    check.nsegments = batch.nsegments;
    check.coding = coding_of(spec);
    check.ordered = spec.buckets == 0;
    check.short_class = 8;
    for (check.lanes = LEAST_LANES; check.lanes < THREADS && check.lanes * EACH < average; check.lanes *= 2)
        check.short_class = std::min(check.short_class + 1, MOST_SHORT_CLASS);
    for (uint32_t c = check.short_class + 1; c < GPUSORT_LENGTH_CLASSES; c++)
        check.nlong += gpusort_class_count(batch.length_histogram, c);
    check.sums = parts.take<Sums>(1);
    check.list = parts.take<uint32_t>(check.nlong);
    check.kept = index ? parts.take<char>(key_bytes(batch)) : nullptr;
    check.bytes = parts.used();
    return check;
}

template <class Key, bool AFTER>
cudaError_t run(const Check &check, uint32_t longest, cudaStream_t stream)
{
    look_at_segments<Key, AFTER><<<blocks_for(uint64_t{check.nsegments} * check.lanes), THREADS, 0, stream>>>(check);
    if (check.nlong > 0) {
        const uint32_t many = std::min(check.nlong, MOST_BLOCKS);
        const uint32_t each = std::max(std::min(blocks_for(longest / EACH), MOST_BLOCKS / many), 1u);

        look_at_long_segments<Key, AFTER><<<dim3(many, each), THREADS, 0, stream>>>(check);
    }
    return cudaGetLastError();
}

template <bool AFTER>
cudaError_t run_by_width(const Check &check, uint32_t longest, cudaStream_t stream)
{
    switch (gpusort_key_width(check.coding.form)) {
        case 2:
            return run<uint16_t, AFTER>(check, longest, stream);
        case 4:
            return run<uint32_t, AFTER>(check, longest, stream);
        default:
            return run<uint64_t, AFTER>(check, longest, stream);
    }
}

}  // namespace

size_t verify_bytes(const SegmentBatch &batch)
{
    return check_of(batch, nullptr).bytes;
}

cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream)
{
    const Check check = check_of(batch, space);

    if (batch.nsegments == 0)
        return cudaSuccess;
    const cudaError_t error = cudaMemsetAsync(check.sums, 0, sizeof(Sums), stream);
    if (error != cudaSuccess)
        return error;
    if (check.kept)
        return cudaMemcpyAsync(const_cast<void *>(check.kept), batch.keys, key_bytes(batch), cudaMemcpyDeviceToDevice,
                               stream);
    return run_by_width<false>(check, batch.longest, stream);
}

cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                       const Gather &gather)
{
    Check check = check_of(batch, space);

    if (batch.nsegments == 0)
        return cudaMemsetAsync(failed, 0, sizeof(uint32_t), stream);
    check.gather = gather;
    cudaError_t error = cudaMemsetAsync(&check.sums->after, 0, sizeof(Sums) - offsetof(Sums, after), stream);
    if (error == cudaSuccess)
        error = run_by_width<true>(check, batch.longest, stream);
    if (error != cudaSuccess)
        return error;
    give_verdict<<<1, 1, 0, stream>>>(check.sums, failed);
    return cudaGetLastError();
}

}  // namespace gpusort
