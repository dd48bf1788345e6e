/*
 * forms.cuh
 *	  Forms of the published methods that only tests and the benchmark run: each is as
 *	  its paper has it, while gpusort.method names a better one.
 *
 * They are no part of the CUDA module; the programs that run them link them.
 * All are asynchronous like the methods, and take their workspace from the
 * caller.  They sort keys alone unless said otherwise.  "One segment" is a batch of
 * a single segment, of `longest` keys from slot 0 on.
 */
#ifndef GPUSORT_FORMS_CUH
#define GPUSORT_FORMS_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

/* GPU-ArraySort of 32-bit keys in the paper's three kernels.  Segments must fit the shared memory of a block. */
size_t array_sort_paper_workspace(const SegmentBatch &batch);
cudaError_t array_sort_paper(const SegmentBatch &batch, void *workspace, cudaStream_t stream);

/* Matrix sort of one segment of 32-bit keys: one thread sorts a row, and one merges two. */
size_t matrix_by_threads_workspace(const SegmentBatch &batch);
cudaError_t matrix_sort_by_threads(const SegmentBatch &batch, uint32_t columns, void *workspace, cudaStream_t stream);

/*
 * Comparison-free sort, method 1, of one segment.  Its values must lie within a range as
 * wide as the segment is long.  The one-hot matrix takes longest^2 bytes; more than
 * one_hot_most_bytes is refused, with a static text.
 */
constexpr size_t one_hot_most_bytes = (size_t)4 << 30;
const char *one_hot_refuses(const SegmentBatch &batch);
size_t one_hot_workspace(const SegmentBatch &batch);
cudaError_t one_hot_sort(const SegmentBatch &batch, void *workspace, cudaStream_t stream);

/*
 * Comparison-free sort, method 2, of one segment, by an array of `counters` in device
 * memory.  The values must lie within a range of that size.  With 0 threads, one per key
 * counts and one per counter writes.
 */
size_t count_array_workspace(const SegmentBatch &batch, uint64_t counters, uint32_t threads);
cudaError_t count_array_sort(const SegmentBatch &batch, uint64_t counters, uint32_t threads, void *workspace,
                             cudaStream_t stream);

/*
 * Approximate sort of one segment of 32-bit keys with a payload that is carried, with
 * offsets by atomic counters.  The order within an interval is any.  *sorted says where in
 * the workspace keys and payload end.
 */
struct SortedPairs {
    uint32_t *keys, *payload;
};

size_t approximate_atomic_workspace(const SegmentBatch &batch);
cudaError_t approximate_sort_atomic(const SegmentBatch &batch, void *workspace, cudaStream_t stream,
                                    SortedPairs *sorted);

}  // namespace gpusort

#endif /* GPUSORT_FORMS_CUH */
