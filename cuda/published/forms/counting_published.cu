/*
 * counting_published.cu
 *	  The comparison-free sort's two GPU methods as published: one_hot_sort is method 1,
 *	  count_array_sort method 2, with one thread per counter or with fewer.
 *
 * The published listing synchronizes a block where it needs the whole grid.  Here
 * its phases are kernels.
 */
#include <cub/device/device_scan.cuh>

#include "methods/digits.cuh"
#include "published/forms/forms.cuh"

namespace gpusort
{
namespace
{

using Source32 = CodeSource<uint32_t>;
using Range32 = Sweeps<Source32, uint32_t>;

__device__ uint32_t thread_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Method 1, initialization: the row of key i's value gets a one in column i. */
__global__ void mark_one_hot(Range32 range, const uint32_t *keys, uint32_t count, uint8_t *matrix)
{
    uint32_t i = thread_number();
    if (i < count)
        matrix[(uint64_t)count * Source32::View(range.source, range.contexts[0]).number(keys[i]) + i] = 1;
}

/* Counts the ones of each row; one block per row, which is a value. */
__global__ void __launch_bounds__(256) sum_rows(const uint8_t *matrix, uint32_t count, uint32_t *sums)
{
    uint32_t own = 0;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        own += matrix[(uint64_t)count * blockIdx.x + i];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_xor_sync(~0u, own, distance);
    if (threadIdx.x % 32 == 0 && own != 0)
        atomicAdd(&sums[blockIdx.x], own);
}

/* Method 1, evaluation: each one of a row writes the key of its column. */
__global__ void __launch_bounds__(256) write_rows(const uint8_t *matrix, uint32_t count, const uint32_t *sums,
                                                  uint32_t *cursors, const uint32_t *keys, uint32_t *sorted)
{
    uint32_t first = sums[blockIdx.x], end = blockIdx.x + 1 < gridDim.x ? sums[blockIdx.x + 1] : count;
    if (first == end)
        return;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        if (matrix[(uint64_t)count * blockIdx.x + i])
            sorted[first + atomicAdd(&cursors[blockIdx.x], 1)] = keys[i];
}

struct OneHotLayout {
    Range32 range;
    uint8_t *matrix;
    uint32_t *sums, *starts, *cursors;
    char *scan;
    size_t scan_bytes = 0;

    OneHotLayout(const SegmentBatch &batch, Workspace &workspace)
        : range(batch, Source32{coding_of(batch.spec)}, 1, 1, workspace),
          matrix(workspace.take<uint8_t>((uint64_t)batch.longest * batch.longest)),
          sums(workspace.take<uint32_t>(batch.longest)),
          starts(workspace.take<uint32_t>(batch.longest)),
          cursors(workspace.take<uint32_t>(batch.longest))
    {
        cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, sums, starts, (int)batch.longest);
        scan = workspace.take<char>(scan_bytes);
    }
};

/* Method 2, count. With fewer threads than counters, counts also how many keys each thread will write. */
__global__ void count_values(Range32 range, const uint32_t *keys, uint32_t count, uint32_t *counters,
                             uint32_t *thread_sums, uint64_t counters_per_thread)
{
    Source32::View view(range.source, range.contexts[0]);
    for (uint64_t i = thread_number(); i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        uint32_t value = view.number(keys[i]);
        atomicAdd(&counters[value], 1);
        if (thread_sums != nullptr)
            atomicAdd(&thread_sums[value / counters_per_thread], 1);
    }
}

/* Method 2, sort: each thread writes each value of its counters as often as it was counted. */
__global__ void write_values(Range32 range, const uint32_t *counters, uint64_t ncounters, const uint32_t *starts,
                             uint64_t counters_per_thread, uint32_t *keys)
{
    uint64_t first = thread_number() * counters_per_thread;
    if (first >= ncounters)
        return;
    uint64_t end = min(first + counters_per_thread, ncounters);
    uint32_t to = starts[thread_number()];
    for (uint64_t value = first; value < end; value++) {
        uint32_t key = decode(range.source.coding, (uint32_t)(value + range.contexts[0].origin));
        for (uint32_t left = counters[value]; left > 0; left--)
            keys[to++] = key;
    }
}

struct CountArrayLayout {
    Range32 range;
    uint32_t *counters, *thread_sums, *starts;
    uint64_t nthreads, counters_per_thread;
    char *scan;
    size_t scan_bytes = 0;

    CountArrayLayout(const SegmentBatch &batch, uint64_t ncounters, uint32_t threads, Workspace &workspace)
        : range(batch, Source32{coding_of(batch.spec)}, 1, 1, workspace)
    {
        nthreads = threads == 0 || threads > ncounters ? ncounters : threads;
        counters_per_thread = (ncounters + nthreads - 1) / nthreads;
        counters = workspace.take<uint32_t>(ncounters);
        thread_sums = counters_per_thread == 1 ? counters : workspace.take<uint32_t>(nthreads);
        starts = workspace.take<uint32_t>(nthreads);
        cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, thread_sums, starts, (int)nthreads);
        scan = workspace.take<char>(scan_bytes);
    }
};

}  // namespace

const char *one_hot_refuses(const SegmentBatch &batch)
{
    if (gpusort_key_width(batch.spec.form) != 4 || batch.spec.payload != GPUSORT_PAYLOAD_NONE)
        return "the one-hot matrix is made for 32-bit keys without a payload";
    if ((uint64_t)batch.longest * batch.longest > one_hot_most_bytes)
        return "the one-hot matrix would need the square of the array's length in memory";
    return nullptr;
}

size_t one_hot_workspace(const SegmentBatch &batch)
{
    Workspace workspace(nullptr);
    OneHotLayout layout(batch, workspace);
    return workspace.used();
}

cudaError_t one_hot_sort(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    if (one_hot_refuses(batch) != nullptr)
        return cudaErrorNotSupported;
    Workspace workspace(memory);
    OneHotLayout layout(batch, workspace);
    uint32_t count = batch.longest, *keys = static_cast<uint32_t *>(batch.keys), *sorted = layout.range.other_keys;
    cudaError_t error = find_ranges(batch, layout.range, whole_batch(batch), stream);
    if (error != cudaSuccess)
        return error;
    cudaMemsetAsync(layout.matrix, 0, (size_t)count * count, stream);
    cudaMemsetAsync(layout.sums, 0, count * sizeof(uint32_t), stream);
    cudaMemsetAsync(layout.cursors, 0, count * sizeof(uint32_t), stream);
    mark_one_hot<<<ceil_div(count, 256), 256, 0, stream>>>(layout.range, keys, count, layout.matrix);
    sum_rows<<<count, 256, 0, stream>>>(layout.matrix, count, layout.sums);
    error =
        cub::DeviceScan::ExclusiveSum(layout.scan, layout.scan_bytes, layout.sums, layout.starts, (int)count, stream);
    if (error != cudaSuccess)
        return error;
    write_rows<<<count, 256, 0, stream>>>(layout.matrix, count, layout.starts, layout.cursors, keys, sorted);
    return cudaMemcpyAsync(keys, sorted, count * sizeof(uint32_t), cudaMemcpyDeviceToDevice, stream);
}

size_t count_array_workspace(const SegmentBatch &batch, uint64_t ncounters, uint32_t threads)
{
    Workspace workspace(nullptr);
    CountArrayLayout layout(batch, ncounters, threads, workspace);
    return workspace.used();
}

cudaError_t count_array_sort(const SegmentBatch &batch, uint64_t ncounters, uint32_t threads, void *memory,
                             cudaStream_t stream)
{
    Workspace workspace(memory);
    CountArrayLayout layout(batch, ncounters, threads, workspace);
    uint32_t *keys = static_cast<uint32_t *>(batch.keys);
    bool own_sums = layout.thread_sums != layout.counters;
    uint32_t block = threads == 0 ? 256 : 16; /* the paper: 16 threads per block */
    uint64_t counting_threads = threads == 0 ? batch.longest : threads;
    cudaError_t error = find_ranges(batch, layout.range, whole_batch(batch), stream);
    if (error != cudaSuccess)
        return error;
    cudaMemsetAsync(layout.counters, 0, ncounters * sizeof(uint32_t), stream);
    if (own_sums)
        cudaMemsetAsync(layout.thread_sums, 0, layout.nthreads * sizeof(uint32_t), stream);
    count_values<<<ceil_div(counting_threads, block), block, 0, stream>>>(
        layout.range, keys, batch.longest, layout.counters, own_sums ? layout.thread_sums : nullptr,
        layout.counters_per_thread);
    error = cub::DeviceScan::ExclusiveSum(layout.scan, layout.scan_bytes, layout.thread_sums, layout.starts,
                                          (int)layout.nthreads, stream);
    if (error != cudaSuccess)
        return error;
    write_values<<<ceil_div(layout.nthreads, block), block, 0, stream>>>(
        layout.range, layout.counters, ncounters, layout.starts, layout.counters_per_thread, keys);
    return cudaGetLastError();
}

}  // namespace gpusort
