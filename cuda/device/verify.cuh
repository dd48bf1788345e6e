/*
 * verify.cuh
 *	  Checks on the device that a sort did its work.
 *
 * verify_begin, before the sort, digests each segment independently of its order. With a
 * payload INDEX, or with a limit, it keeps the keys, because the sort leaves them undefined.
 * verify_end finds segments that are wrong:
 *
 *	  keys alone	the digest has changed, or a key is below its predecessor.  With a
 *					limit, this holds of the keys below the last wanted one, and there
 *					are not keys enough up to it
 *	  INDEX			the positions are not those of the segment, each once, or the
 *					keys gathered through them do not rise, or positions of equal
 *					keys do not.  With a limit, the positions are not those of the
 *					keys up to the last wanted one
 *	  CARRIED		the payload's digest has changed.  Nothing is said of its order,
 *					so a sort that is checked makes an INDEX and has the payload
 *					gathered through it, which verify_end can do on its way; that
 *					what was gathered leaves is for verify_left to say
 *
 * A digest is the 64-bit sum of codes mixed with their segment's number: keys that
 * were lost, doubled, changed, or moved to another segment alter it. Of an approximate
 * order only the digest is looked at.
 *
 * Given what comes to the device and what leaves it, as copies, the check holds for
 * these bytes: not one may have changed between them and what it looks at, gaps and
 * segments included (but for CARRIED). A batch of few bytes is there before a copy of
 * the device's engines would be: verify_begin can bring it, and verify_end can bring the
 * result back. Of larger ones they digest what is on the device (`to` is null).
 *
 * All asynchronous on the stream.  A batch without segments is left alone.
 */
#ifndef GPUSORT_VERIFY_CUH
#define GPUSORT_VERIFY_CUH

#include "device/copies.cuh"
#include "segment_sort.cuh"

namespace gpusort
{

constexpr uint64_t FEW_BYTES = 256 << 10;

/* Of a checked INDEX: the entry of a segment in `from` that a position names goes to its place in `to`. */
struct Gather {
    const uint32_t *from = nullptr;
    uint32_t *to = nullptr; /* null: nothing is gathered */
};

/*
 * Digests (keys/digest.h), in device memory, of one segment without gaps, all of which is wanted: of keys sorted
 * alone, more than FEW_BYTES of them, or of an INDEX.
 */
struct KeyDigests {
    const uint64_t *came =
        nullptr;              /* the keys that verify_begin looks at must have it; null: the copies say what came */
    uint64_t *left = nullptr; /* becomes more by what verify_end has looked at */
};

/* Bytes of device memory for the check, the same for both calls. */
size_t verify_bytes(const SegmentBatch &batch);

/*
 * What comes, up to four copies: keys, segments, a payload, and zeros where an INDEX will be or what is gathered.
 * With both calls or neither, and made by kernels if there are no more than FEW_BYTES of any.
 */
cudaError_t verify_begin(const SegmentBatch &batch, void *space, cudaStream_t stream, const Copies *copies = nullptr);

/*
 * *failed, which the device can write to, becomes 1 if a segment is not right, else 0.  What leaves, up to four
 * copies: the whole result, and once more the segments and the payload that is gathered from.  With digests the
 * result is not among what leaves, nor keys with a `came` among what comes.
 */
cudaError_t verify_end(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                       const Copies *copies = nullptr, const Gather &gather = Gather(),
                       const KeyDigests &digests = KeyDigests());

/*
 * After a verify_end that gathers, on any stream that waits for it, and with the same copies, which are made or
 * digested now: only then is *failed said.
 */
cudaError_t verify_left(const SegmentBatch &batch, void *space, uint32_t *failed, cudaStream_t stream,
                        const Copies &copies);

/* Only the copies. */
cudaError_t copy_unchecked(const Copies &copies, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_VERIFY_CUH */
