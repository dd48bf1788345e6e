/*
 * counting.cu
 *	  The comparison-free sort (Abdel-hafeez, Gordon-Ross and Abubaker): count how
 *	  often each value occurs, sum the counts, and write values where the sums say.
 *
 * The paper's method 2 has one counter for each possible value, so the range of values
 * must not be much wider than the input is long.  It writes values anew from their
 * counters, so it cannot carry a payload.  The method here counts, sums and writes digit
 * by digit, from the lowest to the highest.  So it takes any width of key (the paper's
 * M > N) and, because each pass is stable, any payload.  Only as many digits are sorted
 * as the segment's range of values has, whatever the key's type.  That is a radix sort from
 * the least significant digit, so method radix is this one.
 */
#include "methods/counting.cuh"
#include "methods/numbers.cuh"
#include "methods/methods.cuh"

namespace gpusort
{
namespace
{

/* Calls visitor with the source of the batch's codes. */
template <class Visitor>
auto visit_sources(const SegmentBatch &batch, Visitor visitor)
{
    return visit_key(batch.spec, [&](auto key) { return visitor(CodeSource<decltype(key)>{coding_of(batch.spec)}); });
}

/* The sort of a whole batch. */
template <class Source>
using Counting = NumberSort<Source, typename Source::Code>;

/* Sweeps over `count` long segments of a batch. */
template <class Source>
Sweeps<Source, typename Source::Code> sweeps_of(const SegmentBatch &batch, const Source &source, uint32_t count,
                                                Workspace &workspace)
{
    using Key = typename Source::Code;

    return Sweeps<Source, Key>(batch, source, count, 8 * sizeof(Key), workspace);
}

size_t counting_workspace(const SegmentBatch &batch)
{
    return visit_sources(batch, [&](auto source) {
        Workspace workspace(nullptr);
        Counting<decltype(source)> counting(batch, source, 8 * sizeof(typename decltype(source)::Code), workspace);
        return workspace.used();
    });
}

cudaError_t counting_sort(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    return visit_sources(batch, [&](auto source) {
        Workspace workspace(memory);
        Counting<decltype(source)> counting(batch, source, 8 * sizeof(typename decltype(source)::Code), workspace);
        return counting.run(batch, stream);
    });
}

}  // namespace

size_t counting_bytes(const SegmentBatch &batch, uint32_t count)
{
    return visit_sources(batch, [&](auto source) {
        Workspace workspace(nullptr);
        sweeps_of(batch, source, count, workspace);
        return workspace.used();
    });
}

cudaError_t sort_by_counting(const SegmentBatch &batch, const BinView &bin, void *memory, cudaStream_t stream)
{
    return visit_sources(batch, [&](auto source) {
        Workspace workspace(memory);
        const bool payload = batch.spec.payload != GPUSORT_PAYLOAD_NONE;

        return run_sweeps(batch, sweeps_of(batch, source, bin.count, workspace), bin, !payload, stream);
    });
}

const Method counting_method = {counting_workspace, counting_sort};

}  // namespace gpusort
