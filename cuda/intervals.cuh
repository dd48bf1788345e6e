/*
 * intervals.cuh
 *	  The interval of each of a column's keys, as an approximate sort would number
 *	  them: nothing moves.
 *
 * Integer arithmetic and rounding are those of keys/projection.h, so that the numbers
 * are the CPU's to the last bit.  All asynchronous on the stream.
 */
#ifndef GPUSORT_INTERVALS_CUH
#define GPUSORT_INTERVALS_CUH

#include <cuda_runtime.h>

#include "keys/sort_spec.h"

namespace gpusort
{

/* A column on the device. */
struct IntervalTask {
    GpusortSpec spec;    /* form, descending and buckets, at least 1 */
    const void *keys;    /* aligned to 16 bytes */
    uint32_t *intervals; /* what is written: the interval of each key, from 0 */
    uint32_t count;
    void *space; /* of intervals_bytes(), aligned to 256 bytes */
};

size_t intervals_bytes();

cudaError_t find_intervals(const IntervalTask &task, cudaStream_t stream);

/*
 * *failed, which the device can write to, becomes 1 if an interval is not right, else
 * 0: least and greatest key are found among the keys, none is beyond them, and each
 * key is projected anew by the rule as projection.h has it.  After find_intervals.
 */
cudaError_t check_intervals(const IntervalTask &task, uint32_t *failed, cudaStream_t stream);

}  // namespace gpusort

#endif /* GPUSORT_INTERVALS_CUH */
