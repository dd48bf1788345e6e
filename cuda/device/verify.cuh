/*
 * verify.cuh
 *	  Checks on the device that a sort did its work.
 *
 * verify_begin, before the sort, digests each segment independently of its order. With an
 * INDEX it keeps the keys, because the sort leaves them undefined.
 * verify_end says that a segment is wrong if:
 *
 *	  keys alone	the digest has changed, or a key is below its predecessor
 *	  INDEX			the positions are not those of the segment, each once, or the
 *					keys gathered through them do not rise, or positions of equal
 *					keys do not
 *
 * The order of a payload that is CARRIED cannot be checked.  So a checked sort makes an
 * INDEX, and verify_end gathers the payload through it.
 *
 * A digest is the 64-bit sum of codes mixed with their segment's number.  Keys that
 * were lost, doubled, changed, or moved to another segment alter it.  For an approximate
 * order only the digest is checked.  What happens to a batch before verify_begin, or to a
 * result after verify_end, is not noticed.
 *
 * All calls are asynchronous on the stream.
 */
#ifndef GPUSORT_VERIFY_CUH
#define GPUSORT_VERIFY_CUH

#include "segment_sort.cuh"

namespace gpusort
{

/* Gathers a payload through an INDEX: `to` gets, at each place, the entry of `from` that the position names. */
struct Gather {
    const uint32_t *from = nullptr;
    uint32_t *to = nullptr; /* null: nothing is gathered */
};

/* Bytes of device memory for a check: all its calls get the same. */
size_t verify_bytes(const SegmentBatch &batch);

cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream);

/* *failed, which the device can write to, becomes 1 if a segment is wrong, else 0. */
cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                       const Gather &gather = Gather());

}  // namespace gpusort

#endif /* GPUSORT_VERIFY_CUH */
