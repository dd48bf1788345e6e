/*
 * verify.cu
 *	  Digests and order of segments.
 *
 * A first kernel gives each segment to a warp, or to a quarter of one where segments
 * are short, and looks at the segment's first keys; segments with more it lists, and
 * a second kernel, which is only launched if the histogram says that there are any,
 * gives each of those several blocks.
 */
#include "key_codes.cuh"
#include "verify.cuh"

namespace gpusort
{

namespace
{

constexpr int THREADS = 256;
constexpr uint32_t LONG_CLASS = 12; /* longer segments are listed for the second kernel */
constexpr uint32_t LONG = 1 << LONG_CLASS;
constexpr uint32_t MOST_BLOCKS = 1 << 16;

/* What of a segment's entries is looked at. */
struct Check {
    const void *keys; /* whose order and digest count */
    const uint32_t *payload;
    const GpusortSegment *segments;
    uint32_t nsegments;
    GpusortPayload kind;
    Coding coding;
    uint64_t limit;
    bool ordered; /* look at the order, too */
    bool digested;
    uint64_t *digests;   /* sums of this pass, one per segment */
    uint64_t *before;    /* sums of the first pass, or nullptr in it */
    uint32_t *wrong;     /* one flag per segment in bit form: order wrong */
    uint32_t *long_list; /* numbers of long segments after their count */
};

__device__ __forceinline__ uint64_t mix(uint64_t code)
{
    code = (code ^ (code >> 32) ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (code ^ (code >> 29)) * UINT64_C(0x94d049bb133111eb);
}

template <class Key>
__device__ __forceinline__ Key order_code(const Check &check, const Key *keys, uint32_t position)
{
    Coding tied = check.coding;

    tied.tied = true;
    return encode(tied, keys[position]);
}

/* Looks at entries first, first + step, … below end; returns the sum for the digest. */
template <class Key>
__device__ uint64_t look(const Check &check, const GpusortSegment &segment, uint32_t first, uint32_t step, uint32_t end,
                         bool *wrong)
{
    const Key *keys = static_cast<const Key *>(check.keys) + segment.start;
    const uint32_t *payload = check.payload + segment.start;
    const uint64_t wanted = check.limit == 0 || check.limit > segment.count ? segment.count : check.limit;
    uint64_t sum = 0;
    bool bad = false;

    for (uint32_t i = first; i < end && i < wanted; i += step) {
        if (check.kind == GPUSORT_PAYLOAD_NONE) {
            if (check.digested)
                sum += mix(encode(check.coding, keys[i]));
            if (check.ordered && i > 0)
                bad |= order_code(check, keys, i) < order_code(check, keys, i - 1);
        } else if (check.kind == GPUSORT_PAYLOAD_CARRIED) {
            if (check.digested)
                sum += mix(payload[i]);
        } else if (check.before) {
            const uint32_t position = payload[i];

            sum += mix(position) - mix(i);
            if (position >= segment.count)
                bad = true;
            else if (check.ordered && i > 0) {
                const uint32_t previous = payload[i - 1];

                if (previous < segment.count) {
                    const Key code = order_code(check, keys, position);
                    const Key previous_code = order_code(check, keys, previous);

                    bad |= code < previous_code || (code == previous_code && position <= previous);
                }
            }
        }
    }
    *wrong |= bad;
    return sum;
}

template <int LANES>
__device__ __forceinline__ uint64_t sum_of(uint64_t sum)
{
#pragma unroll
    for (int i = LANES / 2; i > 0; i /= 2)
        sum += __shfl_xor_sync(UINT32_MAX, sum, i, LANES);
    return sum;
}

template <class Key, int LANES>
__global__ void __launch_bounds__(THREADS) look_at_segments(const __grid_constant__ Check check)
{
    const uint64_t number = (uint64_t(blockIdx.x) * THREADS + threadIdx.x) / LANES;
    const uint32_t lane = threadIdx.x % LANES;
    const GpusortSegment segment = number < check.nsegments ? check.segments[number] : GpusortSegment{0, 0};
    bool wrong = false;
    uint64_t sum = sum_of<LANES>(look<Key>(check, segment, lane, LANES, LONG, &wrong));

    wrong = sum_of<LANES>(wrong) > 0;
    if (lane == 0 && number < check.nsegments) {
        check.digests[number] = sum;
        if (check.before)
            check.wrong[number] = wrong;
        if (segment.count > LONG)
            check.long_list[1 + atomicAdd(check.long_list, 1)] = uint32_t(number);
    }
}

template <class Key>
__global__ void __launch_bounds__(THREADS) look_at_long_segments(const __grid_constant__ Check check, uint32_t blocks)
{
    const uint32_t number = check.long_list[1 + blockIdx.x / blocks], block = blockIdx.x % blocks;
    const GpusortSegment segment = check.segments[number];
    bool wrong = false;
    uint64_t sum =
        look<Key>(check, segment, LONG + block * THREADS + threadIdx.x, blocks * THREADS, segment.count, &wrong);

    sum = sum_of<32>(sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(reinterpret_cast<unsigned long long *>(&check.digests[number]), sum);
    if (wrong)
        check.wrong[number] = 1;
}

/* Counts segments that are wrong, or whose digests differ. */
__global__ void __launch_bounds__(THREADS) count_failed(const __grid_constant__ Check check, uint32_t *failed)
{
    const uint64_t number = uint64_t(blockIdx.x) * THREADS + threadIdx.x;
    bool bad = false;

    if (number < check.nsegments) {
        const uint64_t before = check.kind == GPUSORT_PAYLOAD_INDEX ? 0 : check.before[number];

        bad = check.wrong[number] != 0 || (check.digested && check.digests[number] != before);
    }

    const uint32_t votes = __popc(__ballot_sync(UINT32_MAX, bad));

    if (threadIdx.x % 32 == 0 && votes > 0)
        atomicAdd(failed, votes);
}

size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

uint32_t long_segments(const SegmentBatch &batch)
{
    uint32_t count = 0;

    for (uint32_t c = LONG_CLASS + 1; c < GPUSORT_LENGTH_CLASSES; c++)
        count += batch.length_histogram[c];
    return count;
}

/* Cuts the space; returns its size. */
size_t lay_out(const SegmentBatch &batch, char *space, Check *check, void **kept_keys)
{
    const size_t nsegments = batch.nsegments;
    size_t used = 0;
    auto take = [&](size_t bytes) {
        char *part = space + used;

        used += aligned(bytes);
        return part;
    };

    check->before = reinterpret_cast<uint64_t *>(take(nsegments * sizeof(uint64_t)));
    check->digests = reinterpret_cast<uint64_t *>(take(nsegments * sizeof(uint64_t)));
    check->wrong = reinterpret_cast<uint32_t *>(take(nsegments * sizeof(uint32_t)));
    check->long_list = reinterpret_cast<uint32_t *>(take((1 + size_t(long_segments(batch))) * sizeof(uint32_t)));
    *kept_keys =
        batch.spec.payload == GPUSORT_PAYLOAD_INDEX ? take(batch.nslots * gpusort_key_width(batch.spec.form)) : nullptr;
    return used;
}

Check check_of(const SegmentBatch &batch, void *space, void **kept_keys)
{
    Check check = {};

    lay_out(batch, static_cast<char *>(space), &check, kept_keys);
    check.keys = *kept_keys ? *kept_keys : batch.keys;
    check.payload = batch.payload;
    check.segments = batch.segments;
    check.nsegments = batch.nsegments;
    check.kind = batch.spec.payload;
    check.coding = {batch.spec.form, batch.spec.descending, false};
    check.limit = batch.spec.limit;
    check.ordered = batch.spec.buckets == 0;
    check.digested = batch.spec.limit == 0;
    return check;
}

template <class Key>
cudaError_t run(const SegmentBatch &batch, const Check &check, cudaStream_t stream)
{
    const uint32_t listed = long_segments(batch);
    const bool few_keys = batch.nslots / batch.nsegments < 128;
    const uint32_t lanes = few_keys ? 8 : 32;
    const uint32_t blocks = uint32_t((uint64_t(batch.nsegments) * lanes + THREADS - 1) / THREADS);
    cudaError_t error = cudaMemsetAsync(check.long_list, 0, sizeof(uint32_t), stream);

    if (error != cudaSuccess)
        return error;
    if (few_keys)
        look_at_segments<Key, 8><<<blocks, THREADS, 0, stream>>>(check);
    else
        look_at_segments<Key, 32><<<blocks, THREADS, 0, stream>>>(check);
    if (listed > 0) {
        const uint32_t useful = batch.longest / (8 * THREADS) + 1;
        const uint32_t fair = MOST_BLOCKS / listed + 1;
        const uint32_t per_segment = useful < fair ? useful : fair;

        look_at_long_segments<Key><<<listed * per_segment, THREADS, 0, stream>>>(check, per_segment);
    }
    return cudaGetLastError();
}

cudaError_t run_by_width(const SegmentBatch &batch, const Check &check, cudaStream_t stream)
{
    switch (gpusort_key_width(batch.spec.form)) {
        case 2:
            return run<uint16_t>(batch, check, stream);
        case 4:
            return run<uint32_t>(batch, check, stream);
        default:
            return run<uint64_t>(batch, check, stream);
    }
}

}  // namespace

size_t verify_bytes(const SegmentBatch &batch)
{
    Check check;
    void *kept_keys;

    return lay_out(batch, nullptr, &check, &kept_keys);
}

cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream)
{
    void *kept_keys;
    Check check = check_of(batch, space, &kept_keys);

    if (batch.nsegments == 0)
        return cudaSuccess;
    if (kept_keys)
        return cudaMemcpyAsync(kept_keys, batch.keys, batch.nslots * gpusort_key_width(batch.spec.form),
                               cudaMemcpyDeviceToDevice, stream);
    check.digests = check.before;
    check.before = nullptr;
    check.ordered = false;
    return run_by_width(batch, check, stream);
}

cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream)
{
    void *kept_keys;
    const Check check = check_of(batch, space, &kept_keys);
    cudaError_t error = cudaMemsetAsync(failed, 0, sizeof(uint32_t), stream);

    if (batch.nsegments == 0 || error != cudaSuccess)
        return error;
    error = run_by_width(batch, check, stream);
    if (error == cudaSuccess) {
        count_failed<<<(batch.nsegments - 1) / THREADS + 1, THREADS, 0, stream>>>(check, failed);
        error = cudaGetLastError();
    }
    return error;
}

}  // namespace gpusort
