/*
 * methods.cuh
 *	  The table of device methods: how segment_sort.cu reaches the algorithms.
 *
 * One algorithm per .cu, each ending in a `const Method` of the name below.  A
 * method gets batches of its own spec.method only (approximate: every batch with
 * spec.buckets > 0) and obeys what SegmentBatch and sort_segments promise: any
 * mix of segment lengths from 0 up, any start, gaps never written, nothing
 * allocated, no wait for the device, keys undefined after a sort with payload.
 */
#ifndef GPUSORT_METHODS_CUH
#define GPUSORT_METHODS_CUH

#include "methods/segment_batch.cuh"

namespace gpusort
{

struct Method {
    /* Why the spec cannot be sorted (static text), or nullptr. */
    const char *(*refuses)(const GpusortSpec &spec);

    /* Bytes of temporary device memory for the batch; 256-byte alignment is given. */
    size_t (*workspace_bytes)(const SegmentBatch &batch);

    /* Sorts the batch asynchronously in at least workspace_bytes of workspace. */
    cudaError_t (*sort)(const SegmentBatch &batch, void *workspace, size_t bytes, cudaStream_t stream);
};

extern const Method network_method;     /* network.cu: registers, shared memory, clusters */
extern const Method radix_method;       /* radix.cu: CUB */
extern const Method array_sort_method;  /* array_sort.cu */
extern const Method tagged_method;      /* tagged.cu */
extern const Method hybrid_method;      /* hybrid.cu */
extern const Method matrix_method;      /* matrix.cu */
extern const Method counting_method;    /* counting.cu */
extern const Method approximate_method; /* approximate.cu */

}  // namespace gpusort

#endif /* GPUSORT_METHODS_CUH */
