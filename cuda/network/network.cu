/*
 * network.cu
 *	  Sorting networks for segments of any lengths up to 2^16 keys.
 *
 * Segments are sorted by the kernel of their length class.  Where nearly all
 * segments are of one class, its kernel runs over all of them in order.
 * Otherwise segments are listed, grouped by bin of lengths: the host knows from the
 * histogram where each group starts, so nothing waits for it.  Then the kernel of each
 * class sorts its part of the list.
 *
 * Segments too long for a network, or for this device, are left to counting.cu.
 */
#include <algorithm>

#include "methods/counting.cuh"
#include "methods/methods.cuh"
#include "network/network.cuh"

namespace gpusort
{

namespace
{

/* Classes up to this one share a kernel. */
constexpr uint32_t TINY_CLASS = 3;
constexpr uint32_t CLASSES = GPUSORT_LENGTH_CLASSES;
constexpr uint32_t BINS = GPUSORT_LENGTH_BINS;
constexpr uint32_t MIXED_SHARE = 16; /* a sixteenth of the segments is few */
constexpr uint32_t GROUP_THREADS = 256;
constexpr uint32_t SEGMENTS_PER_THREAD = 8;

/* The list of segments, grouped by bin of lengths: where each group starts, and BINS where the last ends. */
struct Groups {
    uint32_t start[BINS + 1];
};

size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* As gpusort_length_bin, but the first bin of TINY_CLASS for all of its lengths. */
__device__ __forceinline__ uint32_t bin_of(uint32_t count)
{
    const uint32_t last = max(count, 1) - 1, length_class = 32 - __clz(last);

    return length_class <= TINY_CLASS ? 4 * TINY_CLASS : 4 * length_class + (last >> (length_class - 3) & 3);
}

/* Lists segments grouped by bin; taken[] counts what is listed of each. */
__global__ void __launch_bounds__(GROUP_THREADS)
    group_segments(const GpusortSegment *segments, uint32_t nsegments, const __grid_constant__ Groups groups,
                   uint32_t *taken, GpusortSegment *list)
{
    __shared__ uint32_t counts[BINS], first[BINS];
    GpusortSegment own[SEGMENTS_PER_THREAD];
    uint32_t rank[SEGMENTS_PER_THREAD];
    const uint32_t begin = blockIdx.x * SEGMENTS_PER_THREAD * GROUP_THREADS + threadIdx.x;

    for (uint32_t i = threadIdx.x; i < BINS; i += GROUP_THREADS)
        counts[i] = 0;
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < SEGMENTS_PER_THREAD; i++)
        if (begin + i * GROUP_THREADS < nsegments) {
            own[i] = segments[begin + i * GROUP_THREADS];
            rank[i] = atomicAdd(&counts[bin_of(own[i].count)], 1);
        }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < BINS; i += GROUP_THREADS)
        if (counts[i] > 0)
            first[i] = groups.start[i] + atomicAdd(&taken[i], counts[i]);
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < SEGMENTS_PER_THREAD; i++)
        if (begin + i * GROUP_THREADS < nsegments)
            list[first[bin_of(own[i].count)] + rank[i]] = own[i];
}

const NetworkLauncher &launcher_of(const GpusortSpec &spec)
{
    const bool pairs = spec.payload != GPUSORT_PAYLOAD_NONE;

    switch (gpusort_key_width(spec.form)) {
        case 2:
            return pairs ? launch_pairs16 : launch_keys16;
        case 4:
            return pairs ? launch_pairs32 : launch_keys32;
        default:
            return pairs ? launch_pairs64 : launch_keys64;
    }
}

/* How a batch is sorted on the current device. */
struct Plan {
    bool overlaps;            /* the device can begin a launch while the one before it ends */
    uint32_t network_classes; /* classes below this one go to networks */
    uint32_t top;             /* longest class that has segments */
    bool alike;               /* all segments go to the kernel of that class, or all are beyond networks */
    bool short_rows;          /* nearly all fit the shorter rows of that kernel */
    Groups groups;
};

cudaError_t make_plan(const SegmentBatch &batch, Plan *plan)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);
    const uint32_t *histogram = batch.length_histogram;
    NetworkDevice device;
    uint32_t listed = 0, long_ones = 0;
    int ordinal, major;
    cudaError_t error = cudaGetDevice(&ordinal);

    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&device.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal);
    if (error != cudaSuccess)
        return error;
    device.clusters = major >= 9;
    plan->overlaps = major >= 9;

    plan->network_classes = 0;
    while (plan->network_classes <= NETWORK_LONGEST_CLASS && launcher.can(plan->network_classes, device))
        plan->network_classes++;

    plan->top = TINY_CLASS;
    for (uint32_t bin = 0; bin < BINS; bin++) {
        plan->groups.start[bin] = bin <= 4 * TINY_CLASS ? 0 : listed;
        listed += histogram[bin];
        if (histogram[bin] > 0 && bin / 4 > TINY_CLASS)
            plan->top = bin / 4;
    }
    for (uint32_t bin = 4 * TINY_CLASS + 1; bin < 4 * (TINY_CLASS + 1); bin++)
        plan->groups.start[bin] = plan->groups.start[4 * (TINY_CLASS + 1)];
    plan->groups.start[BINS] = listed;

    for (uint32_t c = plan->top == TINY_CLASS ? 0 : plan->top; c <= plan->top; c++)
        long_ones += gpusort_class_count(histogram, c);
    plan->alike = plan->top >= plan->network_classes ? long_ones == batch.nsegments
                                                     : long_ones >= batch.nsegments - batch.nsegments / 20;
    plan->short_rows = histogram[4 * plan->top + 2] + histogram[4 * plan->top + 3] <= batch.nsegments / MIXED_SHARE;
    return cudaSuccess;
}

/* How many segments are too long for networks. */
uint32_t count_long(const SegmentBatch &batch, const Plan &plan)
{
    uint32_t count = 0;

    for (uint32_t c = plan.network_classes; c < CLASSES; c++)
        count += gpusort_class_count(batch.length_histogram, c);
    return count;
}

/* Workspace of the list of segments: the counters that make it, and the segments. */
constexpr size_t COUNTER_BYTES = BINS * sizeof(uint32_t);

size_t list_bytes(const Plan &plan)
{
    return plan.alike ? 0 : aligned(COUNTER_BYTES) + aligned(size_t(plan.groups.start[BINS]) * sizeof(GpusortSegment));
}

size_t network_workspace_bytes(const SegmentBatch &batch)
{
    Plan plan;
    size_t bytes;

    if (make_plan(batch, &plan) != cudaSuccess)
        return 0;
    bytes = list_bytes(plan);
    if (plan.top >= plan.network_classes)
        bytes += counting_bytes(batch, count_long(batch, plan));
    return bytes;
}

/* Lists the segments; *list is where. */
cudaError_t list_segments(const SegmentBatch &batch, const Plan &plan, void *workspace, GpusortSegment **list,
                          cudaStream_t stream)
{
    constexpr uint32_t per_block = GROUP_THREADS * SEGMENTS_PER_THREAD;
    uint32_t *taken = static_cast<uint32_t *>(workspace);
    cudaError_t error = cudaMemsetAsync(taken, 0, COUNTER_BYTES, stream);

    *list = reinterpret_cast<GpusortSegment *>(static_cast<char *>(workspace) + aligned(COUNTER_BYTES));
    if (error != cudaSuccess)
        return error;
    group_segments<<<(batch.nsegments + per_block - 1) / per_block, GROUP_THREADS, 0, stream>>>(
        batch.segments, batch.nsegments, plan.groups, taken, *list);
    return cudaGetLastError();
}

/* Sorts the listed segments that networks sort, the longest first. */
cudaError_t sort_listed(const SegmentBatch &batch, const Plan &plan, NetworkTask task, const GpusortSegment *list,
                        cudaStream_t stream)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);
    cudaError_t error = cudaSuccess;

    task.grouped = true;
    for (uint32_t c = plan.network_classes; c-- > TINY_CLASS && error == cudaSuccess;) {
        task.segments = list + plan.groups.start[4 * c];
        task.count = plan.groups.start[4 * (c + 1)] - plan.groups.start[4 * c];
        if (task.count == 0)
            continue;
        error = launcher.launch(c, task, stream);
        task.follows = plan.overlaps; /* for all wait for the list alone */
    }
    return error;
}

/* Sorts the segments that are too long for networks; the list is nullptr if all are. */
cudaError_t sort_beyond(const SegmentBatch &batch, const Plan &plan, const GpusortSegment *list, void *workspace,
                        cudaStream_t stream)
{
    void *rest = static_cast<char *>(workspace) + list_bytes(plan);

    if (plan.top < plan.network_classes)
        return cudaSuccess;
    return sort_by_counting(
        batch,
        {list ? list + plan.groups.start[4 * plan.network_classes] : batch.segments, nullptr, count_long(batch, plan)},
        rest, stream);
}

cudaError_t network_sort(const SegmentBatch &batch, void *workspace, size_t, cudaStream_t stream)
{
    NetworkTask task = {};
    GpusortSegment *list = nullptr;
    Plan plan;
    cudaError_t error = make_plan(batch, &plan);

    if (error != cudaSuccess || batch.nsegments == 0)
        return error;
    task.keys = batch.keys;
    task.payload = batch.payload;
    task.segments = batch.segments;
    task.count = batch.nsegments;
    task.limit = batch.spec.limit == 0 || batch.spec.limit > UINT32_MAX ? UINT32_MAX : uint32_t(batch.spec.limit);
    task.coding = network_coding(batch.spec);
    task.kind = batch.spec.payload;
    task.factors = {1, UINT32_MAX};
    task.grouped = plan.short_rows;

    if (plan.alike && plan.top < plan.network_classes)
        return launcher_of(batch.spec).launch(plan.top, task, stream);
    if (!plan.alike) {
        error = list_segments(batch, plan, workspace, &list, stream);
        if (error == cudaSuccess)
            error = sort_listed(batch, plan, task, list, stream);
        if (error != cudaSuccess)
            return error;
    }
    return sort_beyond(batch, plan, list, workspace, stream);
}

}  // namespace

const Method network_method = {network_workspace_bytes, network_sort};

}  // namespace gpusort
