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
 * A batch of few bytes is there before a copy of the device's engines would be: what
 * brings it to the device can be left to verify_begin, which keeps what it brings, and
 * what brings the result back to verify_end.
 *
 * All asynchronous on the stream.  Gaps are not read, and a batch without segments is
 * left alone.
 */
#ifndef GPUSORT_VERIFY_CUH
#define GPUSORT_VERIFY_CUH

#include "copies.cuh"
#include "segment_sort.cuh"

namespace gpusort
{

constexpr uint64_t FEW_BYTES = 256 << 10;

/* Bytes of device memory for the check, the same for both calls. */
size_t verify_bytes(const SegmentBatch &batch);

/* Copies go with both calls or neither: those of the whole batch, no more than FEW_BYTES of keys or payload. */
cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream, const Copies *copies = nullptr);

/* *failed, which the device can write to, becomes 1 if a segment is not right, else 0. */
cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                       const Copies *copies = nullptr);

/* Only the copies. */
cudaError_t copy_unchecked(const Copies &copies, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_VERIFY_CUH */
