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

constexpr uint32_t CLASSES = GPUSORT_LENGTH_CLASSES;
constexpr uint32_t BINS = GPUSORT_LENGTH_BINS;
constexpr uint32_t MIXED_SHARE = 16; /* a sixteenth of the segments is few */

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
    SegmentGroups groups;

    explicit Plan(const SegmentBatch &batch) : groups(batch.length_histogram)
    {
    }
};

cudaError_t make_plan(const SegmentBatch &batch, Plan *plan)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);
    const uint32_t *histogram = batch.length_histogram;
    NetworkDevice device;
    uint32_t long_ones = 0;
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
    for (uint32_t bin = 4 * (TINY_CLASS + 1); bin < BINS; bin++)
        if (histogram[bin] > 0)
            plan->top = bin / 4;

    for (uint32_t c = plan->top == TINY_CLASS ? 0 : plan->top; c <= plan->top; c++)
        long_ones += gpusort_class_count(histogram, c);
    plan->alike = plan->top >= plan->network_classes ? long_ones == batch.nsegments
                                                     : long_ones >= batch.nsegments - batch.nsegments / 20;
    plan->short_rows = histogram[4 * plan->top + 2] + histogram[4 * plan->top + 3] <= batch.nsegments / MIXED_SHARE;
    return cudaSuccess;
}

/* How many segments are too long for networks. */
uint32_t count_long(const Plan &plan)
{
    return plan.groups.first_of(CLASSES) - plan.groups.first_of(plan.network_classes);
}

/* Where in the workspace the list of segments is made, if one is. */
struct List {
    uint32_t *taken = nullptr;
    GpusortSegment *segments = nullptr;

    List(const Plan &plan, Workspace &workspace)
    {
        if (plan.alike)
            return;
        taken = workspace.take<uint32_t>(BINS);
        segments = workspace.take<GpusortSegment>(plan.groups.first_of(CLASSES));
    }
};

size_t network_workspace_bytes(const SegmentBatch &batch)
{
    Plan plan(batch);
    Workspace workspace(nullptr);

    if (make_plan(batch, &plan) != cudaSuccess)
        return 0;
    List list(plan, workspace);
    return workspace.used() + (plan.top >= plan.network_classes ? counting_bytes(batch, count_long(plan)) : 0);
}

/* Sorts the listed segments that networks sort, the longest first. */
cudaError_t sort_listed(const SegmentBatch &batch, const Plan &plan, NetworkTask task, const GpusortSegment *list,
                        cudaStream_t stream)
{
    const NetworkLauncher &launcher = launcher_of(batch.spec);
    cudaError_t error = cudaSuccess;

    task.grouped = true;
    for (uint32_t c = plan.network_classes; c-- > TINY_CLASS && error == cudaSuccess;) {
        task.segments = list + plan.groups.first_of(c);
        task.count = plan.groups.first_of(c + 1) - plan.groups.first_of(c);
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
    if (plan.top < plan.network_classes)
        return cudaSuccess;
    return sort_by_counting(
        batch, {list ? list + plan.groups.first_of(plan.network_classes) : batch.segments, count_long(plan)}, workspace,
        stream);
}

cudaError_t network_sort(const SegmentBatch &batch, void *memory, size_t, cudaStream_t stream)
{
    NetworkTask task = {};
    Plan plan(batch);
    Workspace workspace(memory);
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

    const List list(plan, workspace);

    if (!plan.alike) {
        error = list_segments(batch, plan.groups, list.taken, list.segments, stream);
        if (error == cudaSuccess)
            error = sort_listed(batch, plan, task, list.segments, stream);
        if (error != cudaSuccess)
            return error;
    }
    return sort_beyond(batch, plan, list.segments, static_cast<char *>(memory) + workspace.used(), stream);
}

}  // namespace

const Method network_method = {network_workspace_bytes, network_sort};

}  // namespace gpusort
