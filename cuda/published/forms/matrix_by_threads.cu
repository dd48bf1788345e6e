/*
 * matrix_by_threads.cu
 *	  GPU Matrix Sort as published: one thread sorts a row by quicksort, and one
 *	  thread merges two rows, so the last pass is a single thread's.
 */
#include "methods/common.cuh"
#include "published/forms/forms.cuh"

namespace gpusort
{
namespace
{

/* One thread sorts a row by quicksort, and parts of up to 16 keys by insertion. */
__device__ void quicksort_row(uint32_t *row, uint32_t count)
{
    uint32_t stack[64];
    int depth = 0;
    uint32_t low = 0, high = count;
    for (;;) {
        if (high - low <= 16) {
            for (uint32_t i = low + 1; i < high; i++) {
                uint32_t key = row[i], j = i;
                for (; j > low && key < row[j - 1]; j--)
                    row[j] = row[j - 1];
                row[j] = key;
            }
            if (depth == 0)
                return;
            high = stack[--depth];
            low = stack[--depth];
            continue;
        }
        uint32_t a = row[low], b = row[low + (high - low) / 2], c = row[high - 1];
        uint32_t pivot = max(min(a, b), min(max(a, b), c));
        uint32_t i = low, j = high - 1;
        for (;;) {
            while (row[i] < pivot)
                i++;
            while (pivot < row[j])
                j--;
            if (i >= j)
                break;
            uint32_t key = row[i];
            row[i++] = row[j];
            row[j--] = key;
        }
        /* The longer side waits, so 32 pairs of bounds are enough. */
        uint32_t middle = i;
        bool left_longer = middle - low > high - middle;
        stack[depth++] = left_longer ? low : middle;
        stack[depth++] = left_longer ? middle : high;
        if (left_longer)
            low = middle;
        else
            high = middle;
    }
}

__global__ void encode_rows(uint32_t *keys, uint32_t count, Coding coding, bool back)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        keys[i] = back ? decode(coding, keys[i]) : encode(coding, keys[i]);
}

/* One thread per row. */
__global__ void sort_rows_by_threads(uint32_t *keys, uint32_t count, uint32_t columns)
{
    uint64_t first = (uint64_t)(blockIdx.x * blockDim.x + threadIdx.x) * columns;
    if (first < count)
        quicksort_row(keys + first, min(columns, (uint32_t)(count - first)));
}

/* One thread per pair of rows. */
__global__ void merge_rows_by_threads(const uint32_t *from, uint32_t *to, uint32_t count, uint64_t columns)
{
    uint64_t first = (uint64_t)(blockIdx.x * blockDim.x + threadIdx.x) * 2 * columns;
    if (first >= count)
        return;
    uint64_t middle = min(first + columns, (uint64_t)count), end = min(first + 2 * columns, (uint64_t)count);
    uint64_t i = first, j = middle;
    for (uint64_t k = first; k < end; k++)
        to[k] = j >= end || (i < middle && from[i] <= from[j]) ? from[i++] : from[j++];
}

}  // namespace

size_t matrix_by_threads_workspace(const SegmentBatch &batch)
{
    return batch.longest * sizeof(uint32_t);
}

cudaError_t matrix_sort_by_threads(const SegmentBatch &batch, uint32_t columns, void *memory, cudaStream_t stream)
{
    uint32_t count = batch.longest;
    uint32_t *from = static_cast<uint32_t *>(batch.keys), *to = static_cast<uint32_t *>(memory);
    Coding coding = coding_of(batch.spec);

    encode_rows<<<ceil_div(count, 256), 256, 0, stream>>>(from, count, coding, false);
    sort_rows_by_threads<<<ceil_div(ceil_div(count, columns), 32), 32, 0, stream>>>(from, count, columns);
    for (uint64_t width = columns; width < count; width *= 2) {
        merge_rows_by_threads<<<ceil_div(ceil_div(count, 2 * width), 32), 32, 0, stream>>>(from, to, count, width);
        uint32_t *merged = to;
        to = from;
        from = merged;
    }
    encode_rows<<<ceil_div(count, 256), 256, 0, stream>>>(from, count, coding, true);
    if (from != batch.keys)
        cudaMemcpyAsync(batch.keys, from, count * sizeof(uint32_t), cudaMemcpyDeviceToDevice, stream);
    return cudaGetLastError();
}

}  // namespace gpusort
