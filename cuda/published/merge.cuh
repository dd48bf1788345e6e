/*
 * merge.cuh
 *	  Merges sorted tiles of long segments pairwise, in log2(tiles) passes.
 *
 * Each block merges one tile of output (Green, McColl and Bader, "GPU Merge Path").
 * It finds its two input ranges on the merge path's diagonals and merges them in
 * shared memory.  A warp searches each diagonal, 32 probes at a time.
 *
 * Runs go back and forth between buffers a and b.  A segment takes part in as
 * many passes as its own length needs, whatever the other segments of the batch
 * do.  It starts in the buffer from which its last pass would end in a.  That pass
 * stores the keys, or the payload, and not the elements.
 */
#ifndef GPUSORT_METHOD_MERGE_CUH
#define GPUSORT_METHOD_MERGE_CUH

#include "methods/common.cuh"

namespace gpusort
{

template <class Element>
struct MergeTile {
    static constexpr int threads = 256;
    static constexpr int items = sizeof(Element) == 16 ? 8 : 16;
    static constexpr uint32_t size = threads * items;
    static constexpr int length_class = sizeof(Element) == 16 ? 11 : 12;
};

/* The two buffers in which runs of a batch's long segments lie. */
template <class Elements>
struct MergeBuffers {
    using Element = typename Elements::Element;

    Element *a = nullptr, *b = nullptr;
    uint32_t *payload_copy = nullptr;

    MergeBuffers(const SegmentBatch &batch, const Elements &elements, bool needed, Workspace &workspace)
    {
        if (!needed)
            return;
        a = elements.in_place() ? static_cast<Element *>(elements.keys) : workspace.take<Element>(batch.nslots);
        if (batch.spec.payload == GPUSORT_PAYLOAD_CARRIED)
            payload_copy = workspace.take<uint32_t>(batch.nslots);
        b = workspace.take<Element>(batch.nslots);
    }

    /* Copies the payload, because blocks of a segment read it while others write it. */
    cudaError_t prepare(const SegmentBatch &batch, Elements &elements, cudaStream_t stream) const
    {
        if (elements.source == nullptr)
            return cudaSuccess;
        elements.source = payload_copy;
        return cudaMemcpyAsync(payload_copy, batch.payload, batch.nslots * sizeof(uint32_t), cudaMemcpyDeviceToDevice,
                               stream);
    }

    /* Where a segment's runs lie before pass `pass`, if the segment takes `passes` of them. */
    __device__ Element *before(int pass, int passes) const
    {
        return (passes - pass) & 1 ? b : a;
    }
};

template <class Element>
__device__ int merge_passes(uint32_t count)
{
    return ceil_log2(ceil_div(count, MergeTile<Element>::size));
}

/* A warp finds how many of the first `diagonal` elements of A merged with B come from A. */
template <class Element>
__device__ uint32_t merge_split(const Element *A, uint32_t nA, const Element *B, uint32_t nB, uint32_t diagonal)
{
    uint32_t low = diagonal > nB ? diagonal - nB : 0;
    uint32_t high = min(diagonal, nA);
    unsigned lane = threadIdx.x & 31;
    while (low < high) {
        uint32_t span = high - low;
        uint32_t probe = span <= 32 ? low + lane : low + (uint32_t)((uint64_t)span * lane / 32);
        bool taken = probe < high && !(B[diagonal - 1 - probe] < A[probe]);
        int ntaken = __popc(__ballot_sync(~0u, taken));
        uint32_t next = __shfl_sync(~0u, probe, ntaken & 31);
        uint32_t last = __shfl_sync(~0u, probe, (ntaken - 1) & 31);
        if (ntaken < 32)
            high = min(high, next);
        if (ntaken > 0)
            low = last + 1;
    }
    return low;
}

template <class Elements>
__global__ void __launch_bounds__(256)
    merge_tiles(Elements elements, MergeBuffers<Elements> buffers, TileList tiles, int pass)
{
    using Element = typename Elements::Element;
    using Tile = MergeTile<Element>;
    __shared__ Element shared[Tile::size];
    __shared__ uint32_t splits[2];

    if (blockIdx.x >= tiles.ntiles())
        return;
    TiledSegment segment = tiles.find(blockIdx.x);
    int passes = merge_passes<Element>(segment.count);
    if (pass >= passes)
        return;
    const Element *from = buffers.before(pass, passes) + segment.start;
    uint64_t run = (uint64_t)Tile::size << pass;
    uint64_t begin = (uint64_t)(blockIdx.x - segment.first_tile) * Tile::size;
    uint64_t pair = begin / (2 * run) * (2 * run);
    uint32_t nA = (uint32_t)min(run, segment.count - pair);
    uint32_t nB = (uint32_t)min(run, segment.count - pair - nA);
    const Element *A = from + pair, *B = A + nA;
    uint32_t diagonal = (uint32_t)(begin - pair);
    uint32_t count = min(Tile::size, nA + nB - diagonal);

    int warp = threadIdx.x / 32;
    if (warp < 2) {
        uint32_t split = merge_split(A, nA, B, nB, diagonal + (warp == 0 ? 0 : count));
        if (threadIdx.x % 32 == 0)
            splits[warp] = split;
    }
    __syncthreads();
    uint32_t first_a = splits[0], count_a = splits[1] - splits[0], count_b = count - count_a;
    uint32_t first_b = diagonal - first_a;
    for (uint32_t i = threadIdx.x; i < count; i += Tile::threads)
        shared[i] = i < count_a ? A[first_a + i] : B[first_b + i - count_a];
    __syncthreads();

    uint32_t own = min(threadIdx.x * Tile::items, count);
    uint32_t low = own > count_b ? own - count_b : 0, high = min(own, count_a);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (shared[count_a + own - 1 - middle] < shared[middle])
            high = middle;
        else
            low = middle + 1;
    }
    uint32_t i = low, j = count_a + own - low;
    Element merged[Tile::items];
#pragma unroll
    for (int k = 0; k < Tile::items; k++)
        if (own + k < count) {
            bool from_a = j >= count || (i < count_a && !(shared[j] < shared[i]));
            merged[k] = from_a ? shared[i++] : shared[j++];
        }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile::items; k++)
        if (own + k < count)
            shared[own + k] = merged[k];
    __syncthreads();

    uint32_t slot = segment.start + (uint32_t)begin;
    if (pass == passes - 1) {
        for (uint32_t k = threadIdx.x; k < count; k += Tile::threads)
            elements.store(slot + k, elements.value(shared[k], segment.start));
    } else {
        Element *to = buffers.before(pass + 1, passes);
        for (uint32_t k = threadIdx.x; k < count; k += Tile::threads)
            to[slot + k] = shared[k];
    }
}

/* Runs all the passes that the longest segment of the batch needs. */
template <class Elements>
cudaError_t merge_sorted_tiles(const SegmentBatch &batch, const Elements &elements,
                               const MergeBuffers<Elements> &buffers, const TileList &tiles, cudaStream_t stream)
{
    using Tile = MergeTile<typename Elements::Element>;
    int passes = ceil_log2(ceil_div(batch.longest, Tile::size));
    for (int pass = 0; pass < passes; pass++)
        merge_tiles<<<tiles.most_tiles, Tile::threads, 0, stream>>>(elements, buffers, tiles, pass);
    return cudaGetLastError();
}

}  // namespace gpusort

#endif /* GPUSORT_METHOD_MERGE_CUH */
