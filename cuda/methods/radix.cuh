/*
 * radix.cuh
 *	  Sorts the segments of a batch that are too long for networks.
 */
#ifndef GPUSORT_RADIX_CUH
#define GPUSORT_RADIX_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

/* The segments of a batch whose length class is at least first_class. */
struct LongSegments {
    uint32_t first_class;
    uint32_t count;
    const GpusortSegment *segments; /* in ascending order of class */
};

size_t long_workspace_bytes(const SegmentBatch &batch, const LongSegments &segments);
cudaError_t sort_long(const SegmentBatch &batch, const LongSegments &segments, void *workspace, size_t bytes,
                      cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_RADIX_CUH */
