/*
 * segment_sort.cuh
 *	  Sorting batches of segments that lie in device memory: what the device
 *	  session, the test program and the benchmark call.
 *
 * One algorithm per .cu; segment_sort.cu holds the table of methods and picks
 * the fastest one for `auto` from the tuning table.
 */
#ifndef GPUSORT_SEGMENT_SORT_CUH
#define GPUSORT_SEGMENT_SORT_CUH

#include <cuda_runtime.h>

#include "keys/sort_spec.h"

namespace gpusort
{

/* Segments of keys on the device; see sort_spec.h for what each field means. */
struct SegmentBatch {
    GpusortSpec spec;
    void *keys;                     /* aligned to 16 bytes, readable to the end of the last 16 */
    uint32_t *payload;              /* or nullptr */
    const GpusortSegment *segments; /* on the device */
    uint32_t nsegments;
    uint64_t nslots;
    const uint32_t *length_histogram;              /* on the host, GPUSORT_LENGTH_BINS counts; required */
    uint32_t longest;                              /* an upper bound of the counts, tight or of the longest bin */
    const GpusortSegment *host_segments = nullptr; /* the same segments, readable by the host while
                                                    * sort_segments runs; nullptr is right, too,
                                                    * but slower for very long ones */
};

/* Why the method cannot sort the spec (static text), or nullptr. */
const char *refuses(const GpusortSpec &spec);

/* Bytes of temporary device memory that sort_segments needs for the batch. */
size_t workspace_bytes(const SegmentBatch &batch);

/*
 * Sorts every segment, asynchronously on the stream; *used says by which method.
 * Never allocates and never synchronizes with the host.
 */
cudaError_t sort_segments(const SegmentBatch &batch, void *workspace, size_t bytes, cudaStream_t stream,
                          GpusortMethod *used);

}  // namespace gpusort

#endif /* GPUSORT_SEGMENT_SORT_CUH */
