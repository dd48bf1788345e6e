/*
 * verify.cuh
 *	  Checks on the device that a sort did its work.
 *
 * verify_begin, before the sort, digests each segment independent of its order; with
 * a payload INDEX it keeps the keys, for the sort leaves them undefined.  verify_end
 * says whether there is a segment that is not right:
 *
 *	  keys alone	the digest has changed, or a key is below its predecessor
 *	  INDEX			the positions are not those of the segment, each once, or the
 *					keys gathered through them do not rise, or positions of equal
 *					keys do not
 *	  CARRIED		the payload's digest has changed
 *
 * A digest is the 64-bit sum of codes mixed with their segment's number: keys that
 * were lost, doubled, changed, or moved to another segment alter it. With a limit
 * only the order of the wanted entries is looked at, and with approximate order only
 * the digest.
 *
 * All asynchronous on the stream.  Gaps are not read.
 */
#ifndef GPUSORT_VERIFY_CUH
#define GPUSORT_VERIFY_CUH

#include "segment_sort.cuh"

namespace gpusort
{

/* Bytes of device memory for the check, the same for both calls. */
size_t verify_bytes(const SegmentBatch &batch);

cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream);

/* *failed, which the device can write to, becomes 1 if a segment is not right, else 0. */
cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_VERIFY_CUH */
