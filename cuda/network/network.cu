/*
 * network.cu
 *	  Sorting networks for segments of any lengths up to 2^16 keys.
 *
 * Segments are sorted by the kernel of their length class.  If all are of one class, its
 * kernel runs over them in order.  Otherwise segments are listed, grouped by bin of
 * lengths, and the kernel of each class sorts its part of the list, the longest first.
 *
 * Segments too long for a network, or for this device, are left to numbers.cu.
 */
#include "methods/common.cuh"
#include "methods/methods.cuh"
#include "network/network.cuh"

namespace gpusort
{

namespace
{

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

/* Classes below this one go to networks on the current device. */
uint32_t network_classes(const NetworkLauncher &launcher)
{
    const NetworkDevice device = {device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
                                  device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9};
    uint32_t classes = 0;

    while (classes <= NETWORK_LONGEST_CLASS && launcher.can(classes, device))
        classes++;
    return classes;
}

/* A bin for each class that networks sort, from TINY_CLASS on, and one for longer segments. */
struct Layout {
    const NetworkLauncher &launcher;
    int longer; /* the number of the last bin */
    BinLists bins;

    Layout(const SegmentBatch &batch, Workspace &workspace)
        : launcher(launcher_of(batch.spec)),
          longer(network_classes(launcher) - TINY_CLASS),
          bins(batch, each_class, longer + 1, workspace)
    {
    }
};

size_t network_workspace_bytes(const SegmentBatch &batch)
{
    Workspace workspace(nullptr);
    const Layout layout(batch, workspace);
    const uint32_t longer = layout.bins.count[layout.longer];

    return workspace.used() + (longer > 0 ? counting_bytes(batch, longer) : 0);
}

/* True if segments of the class lie by length, or nearly all fit the shorter rows of its kernel. */
bool is_grouped(const SegmentBatch &batch, const BinLists &bins, uint32_t length_class)
{
    const uint32_t *histogram = batch.length_histogram + 4 * length_class;

    return bins.list || histogram[2] + histogram[3] <= batch.nsegments / MIXED_SHARE;
}

cudaError_t network_sort(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    Workspace workspace(memory);
    const Layout layout(batch, workspace);
    NetworkTask task = {};
    cudaError_t error = layout.bins.fill(batch, stream);

    task.keys = batch.keys;
    task.payload = batch.payload;
    task.coding = network_coding(batch.spec);
    task.kind = batch.spec.payload;
    task.factors = {1, UINT32_MAX};
    for (int bin = layout.longer; bin-- > 0 && error == cudaSuccess;) {
        const uint32_t length_class = TINY_CLASS + bin;
        const BinView view = layout.bins.view(batch, bin);

        task.segments = view.segments;
        task.count = view.count;
        task.grouped = is_grouped(batch, layout.bins, length_class);
        if (view.count > 0)
            error = layout.launcher.launch(length_class, task, stream);
    }
    if (error == cudaSuccess && layout.bins.count[layout.longer] > 0)
        error = sort_by_counting(batch, layout.bins.view(batch, layout.longer),
                                 static_cast<char *>(memory) + workspace.used(), stream);
    return error;
}

}  // namespace

const Method network_method = {network_workspace_bytes, network_sort};

}  // namespace gpusort
