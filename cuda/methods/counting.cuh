/*
 * counting.cuh
 *	  The counting sort for long segments of a batch, as network.cu calls it.
 *
 * All of them are counted and scattered side by side, so each digit is one launch,
 * however many segments there are.
 */
#ifndef GPUSORT_METHOD_COUNTING_CUH
#define GPUSORT_METHOD_COUNTING_CUH

#include "methods/common.cuh"

namespace gpusort
{

/* Bytes of workspace for this many segments of the batch. */
size_t counting_bytes(const SegmentBatch &batch, uint32_t count);

/* Sorts only the bin's segments of the batch. */
cudaError_t sort_by_counting(const SegmentBatch &batch, const BinView &bin, void *workspace, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_METHOD_COUNTING_CUH */
