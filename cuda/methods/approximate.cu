/*
 * approximate.cu
 *	  Approximate sort (Xiao, Chen and Sun): the range of a segment's keys is cut
 *	  into intervals, and keys are sorted by their interval only.
 *
 * The paper finds the least and greatest key, projects each key to its interval,
 * takes its offset in the interval from an atomic counter, sums the counters, and
 * scatters key and value.  So an interval's keys come out in any order, and each
 * key costs a random access to a counter and two random writes.
 *
 * The method does the same with radix passes over the bits of the interval number
 * alone (sweep.cuh): 10,000 intervals are two passes of 7 bits.  The input's
 * order is kept within an interval, and keys are written in runs.
 */
#include "methods/intervals.cuh"
#include "methods/numbers.cuh"
#include "methods/methods.cuh"

namespace gpusort
{
namespace
{

/* How many bits the number of an interval has. */
uint32_t interval_bits(uint32_t buckets)
{
    return ceil_log2(buckets);
}

size_t approximate_workspace(const SegmentBatch &batch)
{
    return visit_interval_source(batch.spec, [&](auto source, auto key) {
        Workspace workspace(nullptr);
        NumberSort<decltype(source), decltype(key)> sort(batch, source, interval_bits(batch.spec.buckets), workspace);
        return workspace.used();
    });
}

cudaError_t approximate_sort(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    return visit_interval_source(batch.spec, [&](auto source, auto key) {
        Workspace workspace(memory);
        NumberSort<decltype(source), decltype(key)> sort(batch, source, interval_bits(batch.spec.buckets), workspace);
        return sort.run(batch, stream);
    });
}

}  // namespace

const Method approximate_method = {approximate_workspace, approximate_sort};

}  // namespace gpusort
