/*
 * segment_sort.cuh
 *	  Sorts batches of segments that lie in device memory: the entry for jobs,
 *	  sessions, the test program and the benchmark.
 *
 * segment_sort.cu holds the table of methods.
 */
#ifndef GPUSORT_SEGMENT_SORT_CUH
#define GPUSORT_SEGMENT_SORT_CUH

#include <cuda_runtime.h>

#include "methods/segment_batch.cuh"

namespace gpusort
{

/*
 * Bytes of temporary device memory that sort_segments needs for the batch.  A job asks before
 * the batch has memory, so the batch's pointers to the device must not be looked at.
 */
size_t workspace_bytes(const SegmentBatch &batch);

/*
 * Sorts every segment, asynchronously on the stream.  Sets *used to the method.
 * Never allocates and never synchronizes with the host.
 */
cudaError_t sort_segments(const SegmentBatch &batch, void *workspace, cudaStream_t stream, GpusortMethod *used);

}  // namespace gpusort

#endif /* GPUSORT_SEGMENT_SORT_CUH */
