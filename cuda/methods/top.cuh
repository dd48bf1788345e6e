/*
 * top.cuh
 *	  The first few entries of long segments, found without sorting the rest.
 */
#ifndef GPUSORT_TOP_CUH
#define GPUSORT_TOP_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

/* Lowest length class for which the batch's limit makes finding cheaper than sorting. */
uint32_t top_first_class(const GpusortSpec &spec);

/* Memory for one call of find_top with `count` segments of the class, a multiple of 256. */
size_t top_workspace_bytes(const GpusortSpec &spec, uint32_t length_class, uint32_t count);

/*
 * Puts the first spec.limit entries of `count` of the batch's segments in order, all of
 * the class or shorter.
 */
cudaError_t find_top(const SegmentBatch &batch, uint32_t length_class, const GpusortSegment *segments, uint32_t count,
                     void *workspace, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_TOP_CUH */
