/*
 * tagged.cuh
 *	  STA by a given number of tag bits, for the method and for its published form.
 */
#ifndef GPUSORT_TAGGED_CUH
#define GPUSORT_TAGGED_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

/* Sorts in a workspace of the method's size. There must be fewer than 2^tag_bits segments. */
cudaError_t sort_with_tag_bits(const SegmentBatch &batch, int tag_bits, void *workspace, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_TAGGED_CUH */
