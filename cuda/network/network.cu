/*
 * network.cu
 *	  Sorting networks for segments of any lengths up to 2^16 keys.
 *
 * Segments are sorted by the kernel of their length class.  Where nearly all
 * segments are of one class, its kernel runs over all of them in order.
 * Otherwise one launch runs over all segments and sorts those of up to a lane's row,
 * and the others are listed, grouped by bin of lengths: the host knows from the
 * histogram where each group starts, so nothing waits for it.  The list is made and
 * the groups are sorted on streams of higher priority, so that the first launch
 * fills what they leave idle.
 *
 * Segments too long for a network, or for this device, are left to radix.cu, and those
 * of which only a few entries are wanted to find_top.
 */
#include <algorithm>

#include "methods/methods.cuh"
#include "network/network.cuh"
#include "methods/radix.cuh"
#include "methods/top.cuh"

namespace gpusort
{

namespace
{

/* Classes up to this one share a kernel. */
constexpr uint32_t TINY_CLASS = 3;
constexpr int MOST_DEVICES = 64;
constexpr uint32_t CLASSES = GPUSORT_LENGTH_CLASSES;
constexpr uint32_t BINS = GPUSORT_LENGTH_BINS;
constexpr uint64_t DIVIDED_SHARE = 16;                 /* a sixteenth of the keys is many */
constexpr uint32_t MIXED_SHARE = 16;                   /* a sixteenth of the segments is few */
constexpr uint64_t SLOTS_PER_MULTIPROCESSOR = 1 << 15; /* fewer leave some idle for a good part of a launch, */
constexpr uint64_t SLOTS_APART = 1 << 16;              /* and so many are worth one more */
constexpr uint64_t TOGETHER_SHARE = 3;                 /* a third of the keys is enough */
constexpr uint32_t GROUP_THREADS = 256;
constexpr uint32_t SEGMENTS_PER_THREAD = 8;

/* Segments that are listed, by bin of lengths: where each group starts, and BINS where the last ends. */
struct Groups {
    uint32_t first_bin;              /* shorter segments are not listed */
    uint32_t first_halved;           /* of shorter classes than this bin's, all bins are listed as one, */
    uint32_t first_apart, end_apart; /* of classes between these each by itself, and of others two and two */
    uint32_t start[BINS + 1];
};

size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* As gpusort_length_bin for more than 8 keys; fewer count as 8, for they are not listed. */
__device__ __forceinline__ uint32_t bin_of(uint32_t count)
{
    const uint32_t last = max(count, 8) - 1, length_class = 32 - __clz(last);

    return 4 * length_class + (last >> (length_class - 3) & 3);
}

/*
 * Lists segments grouped by bin: those of one bin are sorted by one piece of code, and two would not fit the
 * instruction cache together.  Bins of one piece are not divided, for neighbours share sectors of memory.
 * taken[] counts what is listed of each bin.
 */
__global__ void __launch_bounds__(GROUP_THREADS)
    group_segments(const GpusortSegment *segments, uint32_t nsegments, const __grid_constant__ Groups groups,
                   uint32_t *taken, GpusortSegment *list)
{
    __shared__ uint32_t counts[BINS], first[BINS];
    GpusortSegment own[SEGMENTS_PER_THREAD];
    uint32_t bin[SEGMENTS_PER_THREAD], rank[SEGMENTS_PER_THREAD];

    for (uint32_t i = threadIdx.x; i < BINS; i += GROUP_THREADS)
        counts[i] = 0;
#pragma unroll
    for (uint32_t i = 0; i < SEGMENTS_PER_THREAD; i++) {
        const uint32_t segment = (blockIdx.x * SEGMENTS_PER_THREAD + i) * GROUP_THREADS + threadIdx.x;

        own[i] = {0, 0};
        if (segment < nsegments)
            own[i] = segments[segment];
    }
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < SEGMENTS_PER_THREAD; i++) {
        bin[i] = bin_of(own[i].count);
        if (bin[i] < groups.first_halved)
            bin[i] &= ~3u;
        else if (bin[i] < groups.first_apart || bin[i] >= groups.end_apart)
            bin[i] &= ~1u;
        if (bin[i] >= groups.first_bin)
            rank[i] = atomicAdd(&counts[bin[i]], 1);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < BINS; i += GROUP_THREADS)
        if (counts[i] > 0)
            first[i] = groups.start[i] + atomicAdd(&taken[i], counts[i]);
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < SEGMENTS_PER_THREAD; i++)
        if (bin[i] >= groups.first_bin)
            list[first[bin[i]] + rank[i]] = own[i];
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
    int ordinal, multiprocessors;
    bool overlaps;            /* the device can begin a launch while the one before it ends */
    uint32_t network_classes; /* classes below this one go to networks */
    bool finds_top;           /* the others go to find_top, not to sort_long */
    uint32_t top;             /* longest class that has segments */
    bool alike;               /* all segments go to the kernel of the longest's bin */
    bool short_rows;          /* nearly all fit the shorter rows of that kernel */
    bool together;            /* launch_together sorts what launch_short would, and longer ones */
    bool short_ones;          /* some segments go to launch_short, or launch_together */
    Groups groups;
};

/*
 * Whether launch_together is worth it: if segments too long for launch_short hold much of the keys, and of those
 * neither one class nearly all nor the classes that have kernels with shorter rows the most.
 */
bool vary(const SegmentBatch &batch, const NetworkLauncher &launcher)
{
    uint64_t all = 0, most = 0, longer = 0;

    if (!launcher.launch_together)
        return false;
    for (uint32_t c = launcher.short_class + 1; c <= launcher.together_class; c++) {
        const uint64_t least = uint64_t(gpusort_class_count(batch.length_histogram, c)) << (c - 1);

        all += least;
        most = std::max(most, least);
        if (c > launcher.short_class + 2)
            longer += least;
    }
    return all > batch.nslots / TOGETHER_SHARE && most < all - all / 4 && longer < all / 2;
}

cudaError_t make_plan(const SegmentBatch &batch, Plan *plan)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);
    const uint32_t *histogram = batch.length_histogram;
    const uint32_t top_class = top_first_class(batch.spec);
    NetworkDevice device;
    uint32_t listed = 0, long_ones = 0;
    int major;
    cudaError_t error = cudaGetDevice(&plan->ordinal);

    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&device.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, plan->ordinal);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, plan->ordinal);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&plan->multiprocessors, cudaDevAttrMultiProcessorCount, plan->ordinal);
    if (error != cudaSuccess)
        return error;
    device.clusters = major >= 9;
    plan->overlaps = major >= 9;

    plan->network_classes = 0;
    while (plan->network_classes <= NETWORK_LONGEST_CLASS && launcher.can(plan->network_classes, device))
        plan->network_classes++;
    plan->finds_top = top_class < CLASSES;
    if (top_class < plan->network_classes)
        plan->network_classes = top_class;

    plan->top = TINY_CLASS;
    plan->together = vary(batch, launcher);
    plan->groups.first_bin = 4 * ((plan->together ? launcher.together_class : launcher.short_class) + 1);
    for (uint32_t bin = 0; bin < BINS; bin++) {
        if (histogram[bin] > 0 && bin / 4 > TINY_CLASS)
            plan->top = bin / 4;
        plan->groups.start[bin] = listed;
        if (bin >= plan->groups.first_bin)
            listed += histogram[bin];
    }
    plan->groups.start[BINS] = listed;
    plan->groups.first_halved = plan->groups.first_bin + 4;
    plan->groups.first_apart = 0;
    while (plan->groups.first_apart < BINS && !launcher.is_apart(plan->groups.first_apart))
        plan->groups.first_apart += 4;
    plan->groups.end_apart = plan->groups.first_apart;
    while (plan->groups.end_apart < BINS && launcher.is_apart(plan->groups.end_apart))
        plan->groups.end_apart += 4;

    for (uint32_t c = plan->top == TINY_CLASS ? 0 : plan->top; c <= plan->top; c++)
        long_ones += gpusort_class_count(histogram, c);
    plan->alike = plan->top >= plan->network_classes ? long_ones == batch.nsegments
                                                     : long_ones >= batch.nsegments - batch.nsegments / 20;
    plan->short_rows = histogram[4 * plan->top + 2] + histogram[4 * plan->top + 3] <= batch.nsegments / MIXED_SHARE;
    plan->short_ones = listed < batch.nsegments;
    return cudaSuccess;
}

/*
 * Streams beside the caller's, of higher priority the later: what is listed, and what of it does not fill the
 * device; and the events that tie the three together.
 */
struct SideStreams {
    cudaStream_t listed, few;
    cudaEvent_t started, list_made, listed_done, few_done;
};

cudaError_t make_stream(cudaStream_t *stream, int priority)
{
    return *stream ? cudaSuccess : cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, priority);
}

/* The device's side streams, made at their first use and kept. */
cudaError_t side_streams(int ordinal, SideStreams **sides)
{
    static SideStreams all[MOST_DEVICES];
    int least, greatest;

    if (ordinal >= MOST_DEVICES)
        return cudaErrorInvalidDevice;
    *sides = &all[ordinal];

    cudaError_t error = cudaDeviceGetStreamPriorityRange(&least, &greatest);

    if (error == cudaSuccess)
        error = make_stream(&(*sides)->listed, (least + greatest) / 2);
    if (error == cudaSuccess)
        error = make_stream(&(*sides)->few, greatest);
    for (cudaEvent_t *event : {&(*sides)->started, &(*sides)->list_made, &(*sides)->listed_done, &(*sides)->few_done})
        if (!*event && error == cudaSuccess)
            error = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    return error;
}

/* Has a stream wait for what another was given so far. */
cudaError_t follow(cudaStream_t follower, cudaStream_t leader, cudaEvent_t event)
{
    const cudaError_t error = cudaEventRecord(event, leader);

    return error == cudaSuccess ? cudaStreamWaitEvent(follower, event) : error;
}

const char *network_refuses(const GpusortSpec &spec)
{
    return spec.buckets > 0 ? "sorting networks give exact order only" : nullptr;
}

/* The segments too long for networks: the list's last, or all if it is nullptr. */
LongSegments long_segments(const SegmentBatch &batch, const Plan &plan, const GpusortSegment *list)
{
    LongSegments segments = {};

    segments.first_class = plan.network_classes;
    for (uint32_t c = plan.network_classes; c < CLASSES; c++)
        segments.count += gpusort_class_count(batch.length_histogram, c);
    segments.segments = list ? list + plan.groups.start[4 * plan.network_classes] : batch.segments;
    return segments;
}

/* Workspace of the list of segments: the counters that make it, and the segments. */
constexpr size_t COUNTER_BYTES = BINS * sizeof(uint32_t);

size_t list_bytes(const Plan &plan)
{
    const uint32_t listed = plan.groups.start[BINS];

    return plan.alike || listed == 0 ? 0 : aligned(COUNTER_BYTES) + aligned(size_t(listed) * sizeof(GpusortSegment));
}

size_t network_workspace_bytes(const SegmentBatch &batch)
{
    Plan plan;
    size_t bytes;

    if (make_plan(batch, &plan) != cudaSuccess)
        return 0;
    bytes = list_bytes(plan);
    if (plan.finds_top) {
        size_t most = 0;

        for (uint32_t c = plan.network_classes; c <= plan.top; c++) {
            const size_t wanted = top_workspace_bytes(batch.spec, c, gpusort_class_count(batch.length_histogram, c));

            most = wanted > most ? wanted : most;
        }
        bytes += most;
    } else if (plan.top >= plan.network_classes)
        bytes += long_workspace_bytes(batch, long_segments(batch, plan, nullptr));
    return bytes;
}

/* Sorts the segments that are not listed. */
cudaError_t sort_unlisted(const SegmentBatch &batch, const Plan &plan, const NetworkTask &task, cudaStream_t stream)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);

    return (plan.together ? launcher.launch_together : launcher.launch_short)(task, plan.multiprocessors, stream);
}

/* Lists the segments that are too long for sort_unlisted; *list is where. */
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

/*
 * Whether a bin is launched apart from the class's longer ones: it has a kernel of its own, such bins of the class have
 * many of the keys, and it ends the class's shorter half or has keys enough of its own.
 */
bool is_apart(const SegmentBatch &batch, const Plan &plan, uint32_t bin)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);
    const uint32_t length_class = bin / 4;
    uint64_t segments = 0;

    if (!launcher.is_apart(bin))
        return false;
    for (uint32_t other = 4 * length_class; launcher.is_apart(other); other++)
        segments += batch.length_histogram[other];
    return segments << (length_class - 1) > batch.nslots / DIVIDED_SHARE &&
           (bin % 4 == 1 ||
            batch.length_histogram[bin] * gpusort_bin_longest(bin) >= uint64_t(plan.multiprocessors) * SLOTS_APART);
}

/* Whether a class's segments are so few that their launch would leave multiprocessors idle. */
bool are_few(const SegmentBatch &batch, const Plan &plan, uint32_t length_class)
{
    return uint64_t(gpusort_class_count(batch.length_histogram, length_class)) << length_class <
           uint64_t(plan.multiprocessors) * SLOTS_PER_MULTIPROCESSOR;
}

/* Sorts the listed segments that networks sort, the longest first: of classes with few segments, or of the others. */
cudaError_t sort_listed(const SegmentBatch &batch, const Plan &plan, NetworkTask task, const GpusortSegment *list,
                        bool few, cudaStream_t stream)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);
    cudaError_t error = cudaSuccess;

    task.grouped = true;
    for (uint32_t end = 4 * plan.network_classes; end > plan.groups.first_bin && error == cudaSuccess;) {
        const uint32_t length_class = (end - 1) / 4;
        uint32_t first = end - 1;

        while (first > 4 * length_class && !is_apart(batch, plan, first - 1))
            first--;
        task.segments = list + plan.groups.start[first];
        task.count = plan.groups.start[end] - plan.groups.start[first];
        if (task.count > 0 && are_few(batch, plan, length_class) == few) {
            error = launcher.launch(end - 1, task, stream);
            task.follows = plan.overlaps; /* for all wait for the list alone */
        }
        end = first;
    }
    return error;
}

/* Sorts the segments that are too long for networks, or finds their first; the list is nullptr if all are. */
cudaError_t sort_beyond(const SegmentBatch &batch, const Plan &plan, const GpusortSegment *list, void *workspace,
                        size_t bytes, cudaStream_t stream)
{
    void *room = static_cast<char *>(workspace) + list_bytes(plan);
    cudaError_t error = cudaSuccess;

    if (plan.top < plan.network_classes)
        return cudaSuccess;
    if (!plan.finds_top)
        return sort_long(batch, long_segments(batch, plan, list), room, bytes - list_bytes(plan), stream);
    for (uint32_t c = plan.network_classes; c <= plan.top && error == cudaSuccess; c++)
        if (const uint32_t count = gpusort_class_count(batch.length_histogram, c); count > 0)
            error = find_top(batch, c, list ? list + plan.groups.start[4 * c] : batch.segments, count, room, stream);
    return error;
}

/*
 * Sorts a batch of which some segments are listed.  Those that do not fill the device have its multiprocessors first,
 * the other listed ones next, and sort_unlisted gets what they leave: it comes after the list, for which all
 * others wait.  Very long segments come last, for the host looks for them.
 */
cudaError_t sort_mixed(const SegmentBatch &batch, const Plan &plan, const NetworkTask &task, void *workspace,
                       size_t bytes, cudaStream_t stream)
{
    GpusortSegment *list = nullptr;
    SideStreams *sides = nullptr;
    cudaError_t error = side_streams(plan.ordinal, &sides);

    if (error == cudaSuccess)
        error = follow(sides->listed, stream, sides->started);
    if (error == cudaSuccess)
        error = list_segments(batch, plan, workspace, &list, sides->listed);
    if (error == cudaSuccess)
        error = follow(sides->few, sides->listed, sides->list_made);
    if (error == cudaSuccess && plan.short_ones)
        error = sort_unlisted(batch, plan, task, stream);
    if (error == cudaSuccess)
        error = sort_listed(batch, plan, task, list, true, sides->few);
    if (error == cudaSuccess)
        error = sort_listed(batch, plan, task, list, false, sides->listed);
    if (error == cudaSuccess)
        error = sort_beyond(batch, plan, list, workspace, bytes, sides->few);
    if (error == cudaSuccess)
        error = follow(stream, sides->listed, sides->listed_done);
    if (error == cudaSuccess)
        error = follow(stream, sides->few, sides->few_done);
    return error;
}

cudaError_t network_sort(const SegmentBatch &batch, void *workspace, size_t bytes, cudaStream_t stream)
{
    NetworkTask task = {};
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
        return launcher_of(batch.spec)
            .launch(std::max(gpusort_length_bin(batch.longest), 4 * TINY_CLASS), task, stream);
    if (list_bytes(plan) > 0)
        return sort_mixed(batch, plan, task, workspace, bytes, stream);
    if (plan.short_ones && !plan.alike)
        return sort_unlisted(batch, plan, task, stream);
    return sort_beyond(batch, plan, nullptr, workspace, bytes, stream);
}

}  // namespace

const Method network_method = {network_refuses, network_workspace_bytes, network_sort};

}  // namespace gpusort
