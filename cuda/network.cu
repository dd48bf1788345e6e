/*
 * network.cu
 *	  Sorting networks for segments of any lengths up to 2^16 keys.
 *
 * Segments are sorted by the kernel of their length class.  Where nearly all
 * segments are of one class, its kernel runs over all of them in order.
 * Otherwise a first kernel writes the segments' numbers grouped by class: the host
 * knows from the histogram where each group starts, so nothing waits for it.
 * Within a class the shorter segments come first, so that warps of several
 * segments find equals together.
 *
 * Segments too long for a network, or for this device, are left to CUB, and those
 * of which only a few entries are wanted to find_top.
 */
#include "methods.cuh"
#include "network.cuh"
#include "radix.cuh"
#include "top.cuh"

namespace gpusort
{

namespace
{

/* Classes up to this one share a kernel. */
constexpr uint32_t TINY_CLASS = 3;
constexpr uint32_t CLASSES = GPUSORT_LENGTH_CLASSES;
constexpr uint32_t GROUP_THREADS = 256;
constexpr uint32_t SEGMENTS_PER_THREAD = 4;

/* Numbers of segments grouped by class: where each group starts, and CLASSES where the last ends. */
struct Groups {
    uint32_t start[CLASSES + 1];

    uint32_t members(uint32_t length_class) const
    {
        return start[length_class + 1] - start[length_class];
    }
};

size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

__device__ __forceinline__ uint32_t class_of(uint32_t count)
{
    const uint32_t length_class = count <= 1 ? 0 : 32 - __clz(count - 1);

    return length_class < TINY_CLASS ? TINY_CLASS : length_class;
}

/*
 * Writes ids[] grouped by class.  taken[] counts, per class, the numbers written at
 * the group's front (segments in the lower half of the class) and at its back.
 */
__global__ void __launch_bounds__(GROUP_THREADS)
    group_segments(const GpusortSegment *segments, uint32_t nsegments, const __grid_constant__ Groups groups,
                   uint32_t *taken, uint32_t *ids)
{
    __shared__ uint32_t counts[2 * CLASSES], first[2 * CLASSES];
    uint32_t bin[SEGMENTS_PER_THREAD], rank[SEGMENTS_PER_THREAD];

    for (uint32_t i = threadIdx.x; i < 2 * CLASSES; i += GROUP_THREADS)
        counts[i] = 0;
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < SEGMENTS_PER_THREAD; i++) {
        const uint32_t segment = (blockIdx.x * SEGMENTS_PER_THREAD + i) * GROUP_THREADS + threadIdx.x;

        if (segment < nsegments) {
            const uint32_t count = segments[segment].count;
            const uint32_t length_class = class_of(count);
            const bool back = uint64_t(count) * 4 > (UINT64_C(3) << length_class);

            bin[i] = 2 * length_class + back;
            rank[i] = atomicAdd(&counts[bin[i]], 1);
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 2 * CLASSES; i += GROUP_THREADS)
        first[i] = counts[i] > 0 ? atomicAdd(&taken[i], counts[i]) : 0;
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < SEGMENTS_PER_THREAD; i++) {
        const uint32_t segment = (blockIdx.x * SEGMENTS_PER_THREAD + i) * GROUP_THREADS + threadIdx.x;

        if (segment < nsegments) {
            const uint32_t place = first[bin[i]] + rank[i], length_class = bin[i] / 2;

            ids[bin[i] % 2 == 0 ? groups.start[length_class] + place : groups.start[length_class + 1] - 1 - place] =
                segment;
        }
    }
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
    uint32_t network_classes; /* classes below this one go to networks */
    bool finds_top;           /* the others go to find_top, not to CUB */
    bool grouped;             /* numbers of segments are grouped by class */
    uint32_t top;             /* longest class that has segments */
    Groups groups;
};

cudaError_t make_plan(const SegmentBatch &batch, Plan *plan)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);
    NetworkDevice device;
    int ordinal, major;
    cudaError_t error = cudaGetDevice(&ordinal);

    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&device.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal);
    if (error != cudaSuccess)
        return error;
    device.clusters = major >= 9;

    plan->network_classes = 0;
    while (plan->network_classes <= NETWORK_LONGEST_CLASS && launcher.can(plan->network_classes, device))
        plan->network_classes++;
    plan->finds_top = top_first_class(batch.spec) < CLASSES;
    if (top_first_class(batch.spec) < plan->network_classes)
        plan->network_classes = top_first_class(batch.spec);

    plan->top = 0;
    plan->groups.start[0] = 0;
    for (uint32_t c = 0; c < CLASSES; c++) {
        /* The tiny classes are one group, that of TINY_CLASS. */
        uint32_t members = 0;

        if (c == TINY_CLASS)
            for (uint32_t tiny = 0; tiny < TINY_CLASS; tiny++)
                members += batch.length_histogram[tiny];
        if (c >= TINY_CLASS)
            members += batch.length_histogram[c];
        if (members > 0)
            plan->top = c;
        plan->groups.start[c + 1] = plan->groups.start[c] + members;
    }

    const uint32_t longest = plan->groups.members(plan->top);

    plan->grouped = plan->top >= plan->network_classes ? longest < batch.nsegments
                                                       : longest < batch.nsegments - batch.nsegments / 20;
    return cudaSuccess;
}

const char *network_refuses(const GpusortSpec &spec)
{
    return spec.buckets > 0 ? "sorting networks give exact order only" : nullptr;
}

/* The segments too long for networks: numbers ids[0 .. count), or all if ids is nullptr. */
LongSegments long_segments(const SegmentBatch &batch, const Plan &plan, const uint32_t *ids)
{
    LongSegments segments = {};

    segments.first_class = plan.network_classes;
    for (uint32_t c = plan.network_classes; c < CLASSES; c++)
        segments.count += batch.length_histogram[c];
    segments.ids = plan.grouped ? ids + plan.groups.start[plan.network_classes] : nullptr;
    return segments;
}

size_t network_workspace_bytes(const SegmentBatch &batch)
{
    Plan plan;
    size_t bytes = 0;

    if (make_plan(batch, &plan) != cudaSuccess)
        return 0;
    if (plan.grouped)
        bytes += aligned(2 * CLASSES * sizeof(uint32_t)) + aligned(size_t(batch.nsegments) * sizeof(uint32_t));
    if (plan.finds_top) {
        size_t most = 0;

        for (uint32_t c = plan.network_classes; c <= plan.top; c++) {
            const size_t wanted = top_workspace_bytes(batch.spec, c, plan.groups.members(c));

            most = wanted > most ? wanted : most;
        }
        bytes += most;
    } else if (plan.top >= plan.network_classes)
        bytes += long_workspace_bytes(batch, long_segments(batch, plan, nullptr));
    return bytes;
}

cudaError_t network_sort(const SegmentBatch &batch, void *workspace, size_t bytes, cudaStream_t stream)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);
    uint32_t *ids = nullptr;
    NetworkTask task = {};
    Plan plan;
    cudaError_t error = make_plan(batch, &plan);

    if (error != cudaSuccess || batch.nsegments == 0)
        return error;
    task.keys = batch.keys;
    task.payload = batch.payload;
    task.segments = batch.segments;
    task.limit = batch.spec.limit == 0 || batch.spec.limit > UINT32_MAX ? UINT32_MAX : uint32_t(batch.spec.limit);
    task.coding = network_coding(batch.spec);
    task.kind = batch.spec.payload;
    task.factors = {1, UINT32_MAX};

    if (!plan.grouped && plan.top < plan.network_classes) {
        task.count = batch.nsegments;
        return launcher.launch(plan.top, task, stream);
    }
    if (plan.grouped) {
        uint32_t *taken = static_cast<uint32_t *>(workspace);
        const size_t used = aligned(2 * CLASSES * sizeof(uint32_t));
        const uint32_t per_block = GROUP_THREADS * SEGMENTS_PER_THREAD;

        ids = reinterpret_cast<uint32_t *>(static_cast<char *>(workspace) + used);
        error = cudaMemsetAsync(taken, 0, used, stream);
        if (error != cudaSuccess)
            return error;
        group_segments<<<(batch.nsegments + per_block - 1) / per_block, GROUP_THREADS, 0, stream>>>(
            batch.segments, batch.nsegments, plan.groups, taken, ids);
        workspace = reinterpret_cast<char *>(ids) + aligned(size_t(batch.nsegments) * sizeof(uint32_t));
        bytes -= used + aligned(size_t(batch.nsegments) * sizeof(uint32_t));

        /* The longest first: short ones then fill the gaps that they leave at their end. */
        for (int c = int(plan.network_classes) - 1; c >= int(TINY_CLASS) && error == cudaSuccess; c--) {
            task.ids = ids + plan.groups.start[c];
            task.count = plan.groups.members(c);
            if (task.count > 0)
                error = launcher.launch(c, task, stream);
        }
    }
    for (uint32_t c = plan.network_classes; plan.finds_top && c <= plan.top && error == cudaSuccess; c++)
        if (plan.groups.members(c) > 0)
            error = find_top(batch, c, ids ? ids + plan.groups.start[c] : nullptr, plan.groups.members(c), workspace,
                             stream);
    if (error == cudaSuccess && !plan.finds_top && plan.top >= plan.network_classes)
        error = sort_long(batch, long_segments(batch, plan, ids), workspace, bytes, stream);
    return error;
}

}  // namespace

const Method network_method = {network_refuses, network_workspace_bytes, network_sort};

}  // namespace gpusort
