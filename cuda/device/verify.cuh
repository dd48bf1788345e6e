/*
 * verify.cuh
 *	  Checks on the device that a sort did its work.
 *
 * verify_begin, before the sort, digests each segment independently of its order. With a
 * payload INDEX, or with a limit, it keeps the keys, because the sort leaves them undefined.
 * verify_end says that a segment is wrong if:
 *
 *	  keys alone	the digest has changed, or a key is below its predecessor.  With a
 *					limit, the digest is that of the keys below the last wanted one,
 *					and too few keys up to that one are wrong as well
 *	  INDEX			the positions are not those of the segment, each once, or the
 *					keys gathered through them do not rise, or positions of equal
 *					keys do not.  With a limit, the positions must be those of the
 *					keys up to the last wanted one
 *	  CARRIED		the payload's digest has changed.  This does not check the order.
 *					So a checked sort makes an INDEX, and verify_end gathers the
 *					payload through it; verify_left checks that this is what leaves
 *
 * A digest is the 64-bit sum of codes mixed with their segment's number.  Keys that
 * were lost, doubled, changed, or moved to another segment alter it.  For an approximate
 * order only the digest is checked.
 *
 * The copies that bring a batch to the device and take the result away can be given.  Then
 * the check holds for their bytes: between them and what the check looks at, none may have
 * changed, gaps and segments included (but for CARRIED).  If a batch has few bytes,
 * verify_begin can make the copies to the device and verify_end those from it, because
 * kernels do so sooner than copy engines.  For other batches `to` is null, and what lies on
 * the device is digested.
 *
 * All calls are asynchronous on the stream.  A batch without segments is left alone.
 */
#ifndef GPUSORT_VERIFY_CUH
#define GPUSORT_VERIFY_CUH

#include "device/copies.cuh"
#include "segment_sort.cuh"

namespace gpusort
{

constexpr uint64_t FEW_BYTES = 256 << 10;

/* Gathers a payload through a checked INDEX: `to` gets, at each place, the entry of `from` that the position names. */
struct Gather {
    const uint32_t *from = nullptr;
    uint32_t *to = nullptr; /* null: nothing is gathered */
};

/*
 * Digests (keys/digest.h) in device memory. They are for a batch of one segment without gaps and without a limit: of
 * more than FEW_BYTES of keys sorted alone, or of an INDEX.
 */
struct KeyDigests {
    const uint64_t *came = nullptr; /* of the keys that came; null if the copies say what came */
    uint64_t *left = nullptr;       /* verify_end adds the digest of the result that it looks at */
};

/* Bytes of device memory for a check: all its calls get the same. */
size_t verify_bytes(const SegmentBatch &batch);

/*
 * Up to four copies bring the keys, the segments, a payload, and zeros for an INDEX or for a gathered payload.
 * Either both calls get copies or neither. Kernels make them if each has FEW_BYTES at most.
 */
cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream, const Copies *copies = nullptr);

/*
 * *failed, which the device can write to, becomes 1 if a segment is wrong, else 0. Up to four copies take away the
 * whole result, and once more the segments and the payload from which it is gathered. With digests the copies do not
 * include the result, nor, with `came`, the keys that come.
 */
cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                       const Copies *copies = nullptr, const Gather &gather = Gather(),
                       const KeyDigests &digests = KeyDigests());

/*
 * Makes or digests the copies after a verify_end that gathers, on any stream that waits for it, and with the same
 * copies. Only this call sets *failed then.
 */
cudaError_t verify_left(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                        const Copies &copies);

/* Makes the copies without a check. */
cudaError_t copy_unchecked(const Copies &copies, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_VERIFY_CUH */
