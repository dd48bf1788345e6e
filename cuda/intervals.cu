/*
 * intervals.cu
 *	  See intervals.cuh.
 *
 * The keys are read twice, and written beside them is one number each: all of it takes
 * a small part of the time in which the column comes over the bus.
 */
#include "intervals.cuh"

#include <algorithm>

#include "method_digits.cuh"
#include "method_intervals.cuh"

namespace gpusort
{

namespace
{

enum Seen : uint32_t { WRONG = 1, LEAST = 2, GREATEST = 4 };

/* What the kernels leave to each other. */
template <class Source>
struct Findings {
    CodeRange range;
    uint32_t seen;    /* by the check */
    uint32_t checked; /* blocks that have ended */
    typename Source::Context context;
};

template <class Source, class Key>
__global__ void __launch_bounds__(read_threads)
    find_range(Source source, const Key *keys, uint32_t count, Findings<Source> *findings)
{
    uint32_t each = ceil_div(ceil_div(count, gridDim.x), 16) * 16;
    uint64_t first = (uint64_t)each * blockIdx.x;
    if (first >= count)
        return;
    if (add_to_range(source, keys + first, (uint32_t)min((uint64_t)each, count - first), count, &findings->range))
        set_up_range(source, findings->context, findings->range);
}

template <class Source, class Key>
__global__ void __launch_bounds__(read_threads)
    project(Source source, const Key *keys, uint32_t count, const Findings<Source> *findings, uint32_t *intervals)
{
    typename Source::View view(source, findings->context);
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += (uint64_t)gridDim.x * blockDim.x)
        intervals[k] = view.number(keys[k]);
}

/* The context is made anew, and keys are projected by the rule itself, not in its few instructions. */
template <class Source, class Key>
__global__ void __launch_bounds__(read_threads)
    check(Source source, const Key *keys, uint32_t count, Findings<Source> *findings, const uint32_t *intervals,
          uint32_t *failed)
{
    using Code = typename Source::Code;
    __shared__ typename Source::Context context;
    const CodeRange &range = findings->range;
    Code least = (Code)~range.inverted_least, greatest = (Code)range.greatest;
    uint32_t seen = 0;

    if (threadIdx.x == 0)
        source.set_up(context, least, greatest, range.any);
    __syncthreads();
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += (uint64_t)gridDim.x * blockDim.x) {
        Key key = keys[k];
        Code code = source.code(key);
        if (source.in_range(key))
            seen |= (code < least || code > greatest ? WRONG : 0) | (code == least ? LEAST : 0) |
                    (code == greatest ? GREATEST : 0);
        if (intervals[k] != source.interval(context, key))
            seen |= WRONG;
    }
    for (uint32_t bit : {WRONG, LEAST, GREATEST})
        if (__syncthreads_or(seen & bit) && threadIdx.x == 0)
            atomicOr(&findings->seen, bit);
    if (sees_last(&findings->checked, 1, gridDim.x) && threadIdx.x == 0)
        *failed = __ldcg(&findings->seen) != (range.any ? LEAST | GREATEST : 0u);
}

/* Calls visitor with the source, the keys, the findings and a number of blocks. */
template <class Visitor>
cudaError_t visit(const IntervalTask &task, Visitor visitor)
{
    return visit_interval_source(task.spec, [&](auto source, auto key) {
        using Key = decltype(key);
        uint32_t blocks = std::min(ceil_div(task.count, 8 * read_threads), 3 * multiprocessors());
        visitor(source, static_cast<const Key *>(task.keys), static_cast<Findings<decltype(source)> *>(task.space),
                blocks);
        return cudaGetLastError();
    });
}

}  // namespace

size_t intervals_bytes()
{
    return sizeof(Findings<IntervalSource<uint64_t, true>>);
}

cudaError_t find_intervals(const IntervalTask &task, cudaStream_t stream)
{
    cudaError_t error = cudaMemsetAsync(task.space, 0, intervals_bytes(), stream);
    if (error != cudaSuccess || task.count == 0)
        return error;
    return visit(task, [&](auto source, auto keys, auto findings, uint32_t blocks) {
        find_range<<<blocks, read_threads, 0, stream>>>(source, keys, task.count, findings);
        project<<<blocks, read_threads, 0, stream>>>(source, keys, task.count, findings, task.intervals);
    });
}

cudaError_t check_intervals(const IntervalTask &task, uint32_t *failed, cudaStream_t stream)
{
    if (task.count == 0)
        return cudaMemsetAsync(failed, 0, sizeof(uint32_t), stream);
    return visit(task, [&](auto source, auto keys, auto findings, uint32_t blocks) {
        check<<<blocks, read_threads, 0, stream>>>(source, keys, task.count, findings, task.intervals, failed);
    });
}

}  // namespace gpusort
