/*
 * tagged.cuh
 *	  STA by so many bits of the tags: what the method and its published form share.
 */
#ifndef GPUSORT_TAGGED_CUH
#define GPUSORT_TAGGED_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

/* Sorts in a workspace of the method's size; 2^tag_bits must be more than the segments. */
cudaError_t sort_with_tag_bits(const SegmentBatch &batch, int tag_bits, void *workspace, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_TAGGED_CUH */
