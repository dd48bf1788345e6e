/*
 * segment_groups.cuh
 *	  The segments of a batch, listed by length.
 *
 * Segments of one bin of lengths (keys/sort_spec.h) lie together in the list, and so do those of
 * neighboring bins.  The host knows from the batch's histogram where each bin begins, so
 * nothing waits for the list.
 */
#ifndef GPUSORT_SEGMENT_GROUPS_CUH
#define GPUSORT_SEGMENT_GROUPS_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

/* Classes of lengths up to this one are one bin. */
constexpr uint32_t TINY_CLASS = 3;

/* Where the segments of each bin begin in the list. */
struct SegmentGroups {
    uint32_t start[GPUSORT_LENGTH_BINS + 1]; /* the last is where the list ends */

    explicit SegmentGroups(const uint32_t *length_histogram);

    /* Where the segments begin that are of this class, from TINY_CLASS on, or longer. */
    uint32_t first_of(uint32_t length_class) const
    {
        return start[length_class > TINY_CLASS ? 4 * length_class : 0];
    }
};

/* Lists the batch's segments.  `taken` has GPUSORT_LENGTH_BINS entries, which this overwrites. */
cudaError_t list_segments(const SegmentBatch &batch, const SegmentGroups &groups, uint32_t *taken, GpusortSegment *list,
                          cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_SEGMENT_GROUPS_CUH */
