/*
 * forms.cuh
 *	  Forms of the published methods that only tests and the benchmark run: each
 *	  as its paper has it, beside the better form that gpusort.method names.
 *
 * They are no part of the CUDA module: the programs that run them link them.
 * All are asynchronous like the methods and take their workspace from the
 * caller.  They sort keys alone unless said otherwise.
 */
#ifndef GPUSORT_FORMS_CUH
#define GPUSORT_FORMS_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

/*
 * GPU-ArraySort in the paper's three kernels; every segment must fit a block
 * (array_sort_paper_longest keys), else cudaErrorNotSupported.  improvements: 0, as
 * published; 1, all threads sort the sample; 2, and arrays are read once; 3, and
 * all threads sort the buckets.
 */
uint32_t array_sort_paper_longest(const GpusortSpec &spec);
size_t array_sort_paper_workspace(const SegmentBatch &batch);
cudaError_t array_sort_paper(const SegmentBatch &batch, int improvements, void *workspace, cudaStream_t stream);

/* STA with every tag bit sorted, as Thrust does it. */
cudaError_t tagged_sort_all_bits(const SegmentBatch &batch, void *workspace, size_t bytes, cudaStream_t stream);

/* Matrix sort of one segment of longest 32-bit keys at slot 0: one thread per row, one per merge. */
size_t matrix_by_threads_workspace(const SegmentBatch &batch);
cudaError_t matrix_sort_by_threads(const SegmentBatch &batch, uint32_t columns, void *workspace, cudaStream_t stream);

/*
 * Comparison-free sort, method 1: one segment of longest keys at slot 0 whose
 * values lie within a range of longest.  The one-hot matrix takes longest^2
 * bytes; refused (static text) where that is more than one_hot_most_bytes.
 */
constexpr size_t one_hot_most_bytes = (size_t)4 << 30;
const char *one_hot_refuses(const SegmentBatch &batch);
size_t one_hot_workspace(const SegmentBatch &batch);
cudaError_t one_hot_sort(const SegmentBatch &batch, void *workspace, cudaStream_t stream);

/*
 * Comparison-free sort, method 2, of one segment of longest keys at slot 0 by one
 * count array of the given size in device memory, in the given number of threads
 * (0: one per key); the values must lie within a range of that size.
 */
size_t count_array_workspace(const SegmentBatch &batch, uint64_t counters, uint32_t threads);
cudaError_t count_array_sort(const SegmentBatch &batch, uint64_t counters, uint32_t threads, void *workspace,
                             cudaStream_t stream);

/*
 * Approximate sort of one segment of longest 32-bit keys at slot 0 with a payload
 * that is carried.  As with a radix sort between two buffers, keys and payload end
 * where *sorted says: in the batch or in the workspace.
 */
struct SortedPairs {
    uint32_t *keys, *payload;
};

/* By radix passes, as gpusort.method does it. */
size_t approximate_pairs_workspace(const SegmentBatch &batch);
cudaError_t approximate_sort_pairs(const SegmentBatch &batch, void *workspace, cudaStream_t stream,
                                   SortedPairs *sorted);

/* As the paper has it: offsets by atomic counters, so the order within an interval is any. */
size_t approximate_atomic_workspace(const SegmentBatch &batch);
cudaError_t approximate_sort_atomic(const SegmentBatch &batch, void *workspace, cudaStream_t stream,
                                    SortedPairs *sorted);

}  // namespace gpusort

#endif /* GPUSORT_FORMS_CUH */
