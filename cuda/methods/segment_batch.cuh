/*
 * segment_batch.cuh
 *	  The input of a method: segments of keys in device memory.
 */
#ifndef GPUSORT_SEGMENT_BATCH_CUH
#define GPUSORT_SEGMENT_BATCH_CUH

#include <cuda_runtime.h>

#include "keys/sort_spec.h"

namespace gpusort
{

/* Segments of keys on the device; see sort_spec.h for what each field means. */
struct SegmentBatch {
    GpusortSpec spec;               /* a method sorts all of a segment, whatever the limit */
    void *keys;                     /* aligned to 16 bytes, readable to the end of the last 16 */
    uint32_t *payload;              /* or nullptr */
    const GpusortSegment *segments; /* on the device */
    uint32_t nsegments;
    uint64_t nslots;
    const uint32_t *length_histogram; /* on the host, GPUSORT_LENGTH_BINS counts; required */
    uint32_t longest;                 /* the greatest count, or the upper end of its bin */
};

}  // namespace gpusort

#endif /* GPUSORT_SEGMENT_BATCH_CUH */
