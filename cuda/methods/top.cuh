/*
 * top.cuh
 *	  Finds the first few entries of long segments without sorting the rest.
 */
#ifndef GPUSORT_TOP_CUH
#define GPUSORT_TOP_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

/* The lowest length class for which finding the first entries is cheaper than sorting. */
uint32_t top_first_class(const GpusortSpec &spec);

/* Bytes of workspace for one call of find_top with `count` segments of the class; a multiple of 256. */
size_t top_workspace_bytes(const GpusortSpec &spec, uint32_t length_class, uint32_t count);

/*
 * Puts the first spec.limit entries of `count` of the batch's segments in order, all of
 * the class or shorter.
 */
cudaError_t find_top(const SegmentBatch &batch, uint32_t length_class, const GpusortSegment *segments, uint32_t count,
                     void *workspace, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_TOP_CUH */
