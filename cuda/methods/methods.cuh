/*
 * methods.cuh
 *	  The device's methods, as segment_sort.cu calls them.
 *
 * A method gets only batches of its own spec.method; number_method gets every
 * batch with spec.buckets > 0.  It must keep what SegmentBatch and sort_segments promise:
 * it takes any mix of segment lengths from 0 up and any start, never writes gaps, allocates
 * nothing and does not wait for the device.  After a sort with a payload the keys are
 * undefined.
 */
#ifndef GPUSORT_METHODS_CUH
#define GPUSORT_METHODS_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

struct BinView;

struct Method {
    /* Bytes of temporary device memory for the batch; 256-byte alignment is given. */
    size_t (*workspace_bytes)(const SegmentBatch &batch);

    /* Sorts the batch asynchronously in at least workspace_bytes of workspace. */
    cudaError_t (*sort)(const SegmentBatch &batch, void *workspace, cudaStream_t stream);
};

extern const Method network_method;    /* network/network.cu: networks, and numbers.cu for long segments */
extern const Method array_sort_method; /* published/array_sort.cu */
extern const Method tagged_method;     /* published/tagged.cu */
extern const Method hybrid_method;     /* published/hybrid.cu */
extern const Method matrix_method;     /* published/matrix.cu */
extern const Method number_method;     /* methods/numbers.cu: counting, radix and approximate */

/* STA that sorts every bit of the tags, as Thrust does; only tests and the benchmark call it. */
cudaError_t tagged_sort_all_bits(const SegmentBatch &batch, void *workspace, cudaStream_t stream);

/* Bytes of workspace for the counting sort of this many long segments of the batch. */
size_t counting_bytes(const SegmentBatch &batch, uint32_t count);

/* Sorts only the bin's segments of the batch, side by side: each digit is one launch, however many there are. */
cudaError_t sort_by_counting(const SegmentBatch &batch, const BinView &bin, void *workspace, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_METHODS_CUH */
