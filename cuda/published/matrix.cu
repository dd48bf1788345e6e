/*
 * matrix.cu
 *	  GPU Matrix Sort (Panwar, Kumar and Bhargava): the keys are the rows of a
 *	  matrix of w rows and h columns.  Rows are sorted independently, then merged
 *	  pairwise in log2 w passes.
 *
 * The same two steps run at two scales.  In a block, a thread sorts a row of up to
 * 16 keys in registers, and its warp or the block merges the rows in shared memory:
 * CUB's warp and block merge sorts are just that.  A longer segment is a matrix
 * whose rows are blocks' tiles.  They are merged pairwise in device memory, by as
 * many blocks as there are tiles of output.  The last row may be short, and a row
 * without a partner is merged with an empty one.
 *
 * The paper has one processor merge two rows, so the last pass is a single
 * thread's.  forms/matrix_by_threads.cu does so, for the benchmark.
 */
#include <cub/block/block_merge_sort.cuh>
#include <cub/warp/warp_merge_sort.cuh>

#include "published/merge.cuh"
#include "methods/methods.cuh"

namespace gpusort
{
namespace
{

struct Less {
    template <class T>
    __device__ bool operator()(const T &a, const T &b) const
    {
        return a < b;
    }
};

/* One warp per segment of up to 32 * items keys. */
template <class Elements, int items>
__global__ void __launch_bounds__(128) sort_in_warp(Elements elements, BinView bin)
{
    using Element = typename Elements::Element;
    using Sort = cub::WarpMergeSort<Element, items, 32>;
    __shared__ typename Sort::TempStorage storage[4];

    uint32_t number = blockIdx.x * 4 + threadIdx.x / 32;
    if (number >= bin.count)
        return;
    GpusortSegment segment = bin[number];
    uint32_t lane = threadIdx.x % 32;
    Element item[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
        uint32_t k = i * 32 + lane;
        item[i] = Elements::largest();
        if (k < segment.count)
            item[i] = elements.load(segment.start + k, k);
    }
    Sort(storage[threadIdx.x / 32]).Sort(item, Less());
    typename Elements::Value value[items];
#pragma unroll
    for (int i = 0; i < items; i++)
        if (lane * items + i < segment.count)
            value[i] = elements.value(item[i], segment.start);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < items; i++)
        if (lane * items + i < segment.count)
            elements.store(segment.start + lane * items + i, value[i]);
}

/* A block loads up to threads * items elements and sorts them into its shared memory. */
template <class Element, int threads, int items>
struct BlockSort {
    using Sort = cub::BlockMergeSort<Element, threads, items>;
    union Storage {
        typename Sort::TempStorage sort;
        Element sorted[threads * items];
    };

    template <class Load>
    static __device__ const Element *run(Storage &storage, uint32_t count, Element largest, Load load)
    {
        Element item[items];
#pragma unroll
        for (int i = 0; i < items; i++) {
            uint32_t k = i * threads + threadIdx.x;
            item[i] = largest;
            if (k < count)
                item[i] = load(k);
        }
        Sort(storage.sort).Sort(item, Less());
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; i++)
            storage.sorted[threadIdx.x * items + i] = item[i];
        __syncthreads();
        return storage.sorted;
    }
};

/* One block per segment of up to threads * items keys. */
template <class Elements, int threads, int items>
__global__ void __launch_bounds__(threads) sort_in_block(Elements elements, BinView bin)
{
    using Element = typename Elements::Element;
    using Sort = BlockSort<Element, threads, items>;
    __shared__ typename Sort::Storage storage;

    GpusortSegment segment = bin[blockIdx.x];
    const Element *sorted = Sort::run(storage, segment.count, Elements::largest(),
                                      [&](uint32_t k) { return elements.load(segment.start + k, k); });
    typename Elements::Value value[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
        uint32_t k = i * threads + threadIdx.x;
        if (k < segment.count)
            value[i] = elements.value(sorted[k], segment.start);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) {
        uint32_t k = i * threads + threadIdx.x;
        if (k < segment.count)
            elements.store(segment.start + k, value[i]);
    }
}

/* One block per tile of a long segment. The tiles are the rows of the matrix in device memory. */
template <class Elements>
__global__ void __launch_bounds__(256) sort_rows(Elements elements, MergeBuffers<Elements> buffers, TileList tiles)
{
    using Element = typename Elements::Element;
    using Tile = MergeTile<Element>;
    using Sort = BlockSort<Element, Tile::threads, Tile::items>;
    __shared__ typename Sort::Storage storage;

    if (blockIdx.x >= tiles.ntiles())
        return;
    TiledSegment segment = tiles.find(blockIdx.x);
    uint32_t first = (blockIdx.x - segment.first_tile) * Tile::size;
    uint32_t count = min(Tile::size, segment.count - first);
    const Element *sorted = Sort::run(storage, count, Elements::largest(),
                                      [&](uint32_t k) { return elements.load(segment.start + first + k, first + k); });
    Element *to = buffers.before(0, merge_passes<Element>(segment.count)) + segment.start + first;
    for (uint32_t k = threadIdx.x; k < count; k += Tile::threads)
        to[k] = sorted[k];
}

template <class Elements>
struct MatrixLayout {
    using Element = typename Elements::Element;
    static constexpr int last_class[] = {5, 7, 9, 10, MergeTile<Element>::length_class};

    BinLists bins;
    TileList tiles;
    MergeBuffers<Elements> buffers;

    MatrixLayout(const SegmentBatch &batch, const Elements &elements, Workspace &workspace)
        : bins(batch, last_class, 6, workspace),
          tiles(batch, bins.count[5], MergeTile<Element>::size, workspace),
          buffers(batch, elements, bins.count[5] != 0, workspace)
    {
    }
};

cudaError_t matrix_sort(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    return visit_elements(batch, [&](auto elements) -> cudaError_t {
        using Elements = decltype(elements);
        using Tile = MergeTile<typename Elements::Element>;
        Workspace workspace(memory);
        MatrixLayout<Elements> layout(batch, elements, workspace);
        const uint32_t *count = layout.bins.count;
        auto bin = [&](int b) { return layout.bins.view(batch, b); };

        cudaError_t error = layout.bins.fill(batch, stream);
        if (error != cudaSuccess)
            return error;
        if (count[0] != 0)
            sort_in_warp<Elements, 1><<<ceil_div(count[0], 4), 128, 0, stream>>>(elements, bin(0));
        if (count[1] != 0)
            sort_in_warp<Elements, 4><<<ceil_div(count[1], 4), 128, 0, stream>>>(elements, bin(1));
        if (count[2] != 0)
            sort_in_block<Elements, 64, 8><<<count[2], 64, 0, stream>>>(elements, bin(2));
        if (count[3] != 0)
            sort_in_block<Elements, 64, 16><<<count[3], 64, 0, stream>>>(elements, bin(3));
        if (count[4] != 0)
            sort_in_block<Elements, Tile::threads, Tile::items>
                <<<count[4], Tile::threads, 0, stream>>>(elements, bin(4));
        if (count[5] != 0) {
            if ((error = layout.tiles.fill(bin(5), Tile::size, stream)) != cudaSuccess ||
                (error = layout.buffers.prepare(batch, elements, stream)) != cudaSuccess)
                return error;
            sort_rows<<<layout.tiles.most_tiles, Tile::threads, 0, stream>>>(elements, layout.buffers, layout.tiles);
            error = merge_sorted_tiles(batch, elements, layout.buffers, layout.tiles, stream);
        }
        return error != cudaSuccess ? error : cudaGetLastError();
    });
}

}  // namespace

const Method matrix_method = {layout_bytes<MatrixLayout>, matrix_sort};

}  // namespace gpusort
