/*
 * hybrid.cu
 *	  HMP, the hybrid multi-phased sort (Al Shayeji, Ali and Samrajesh).
 *
 * The keys are split into chunks.  Each chunk is heap-sorted in shared memory: by a
 * max-heap into ascending order, or by a min-heap into descending order, in turn.
 * Bitonic merges then merge the bitonic sequences that two neighbors make.
 *
 * A chunk is 32 elements, sorted by one thread.  Element j of a block's chunk t
 * lies at j * (chunks + 1) + t of shared memory, so the heaps of a warp's 32
 * threads are in 32 banks.
 *
 * Any length works without padding.  Merging is a tree over the chunks, and a
 * comparator whose partner lies past the segment's end is left out.  That is
 * right if each merge finds its first half sorted against its direction and its
 * second half along it.  Then the missing part stands for elements that come last
 * in the merge's direction, and the sequence is bitonic.  So directions are given
 * from the root down: the root is ascending, a second half has its parent's
 * direction, and a first half the opposite.
 *
 * A segment of more elements than a block holds is heap-sorted in tiles.  Merges
 * whose stride exceeds a tile run in device memory, two strides in a pass.
 */
#include "methods/common.cuh"
#include "methods/methods.cuh"

namespace gpusort
{
namespace
{

constexpr int chunk = 32;

/* The elements that one block sorts, in 33 KiB of shared memory. */
template <class Element>
struct HeapTile {
    static constexpr int level = sizeof(Element) == 16 ? 6 : sizeof(Element) == 8 ? 7 : 8;
    static constexpr int chunks = 1 << level;
    static constexpr uint32_t size = chunks * chunk;
};

/* Levels of the merge tree over the chunks of a segment. */
__host__ __device__ int tree_levels(uint32_t count)
{
    return ceil_log2(ceil_div(count, chunk));
}

/* True if this group of 2^level chunks is sorted in descending order. */
__device__ bool is_descending(uint32_t group, int level, int levels)
{
    return __popc(~group & (((uint64_t)1 << (levels - level)) - 1)) & 1;
}

template <class Element>
__device__ bool out_of_order(const Element &first, const Element &second, bool descending)
{
    return descending ? first < second : second < first;
}

/* The chunks of a segment, or of a tile of one, in a block's shared memory. */
template <class Element>
struct Chunks {
    Element *base; /* of chunk 0 */
    uint32_t row;  /* distance between neighbors of a chunk */

    __device__ Element &at(uint32_t c, uint32_t j) const
    {
        return base[j * row + c];
    }

    __device__ Element &operator[](uint32_t e) const
    {
        return at(e / chunk, e % chunk);
    }
};

/* Lets element i of a heap sink to its place. The greater child comes up, in a min-heap the lesser. */
template <class Element>
__device__ void sink(const Chunks<Element> &chunks, uint32_t c, uint32_t i, uint32_t count, bool min_heap)
{
    Element element = chunks.at(c, i);
    for (uint32_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        Element upper = chunks.at(c, child);
        if (child + 1 < count) {
            Element right = chunks.at(c, child + 1);
            if (out_of_order(upper, right, !min_heap)) {
                upper = right;
                child++;
            }
        }
        if (!out_of_order(element, upper, !min_heap))
            break;
        chunks.at(c, i) = upper;
        i = child;
    }
    chunks.at(c, i) = element;
}

/* One thread sorts one chunk, ascending by a max-heap or descending by a min-heap. */
template <class Element>
__device__ void heap_sort(const Chunks<Element> &chunks, uint32_t c, uint32_t count, bool descending)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sink(chunks, c, i, count, descending);
    for (uint32_t end = count; end-- > 1;) {
        Element last = chunks.at(c, end);
        chunks.at(c, end) = chunks.at(c, 0);
        chunks.at(c, 0) = last;
        sink(chunks, c, 0, end, descending);
    }
}

/* The last five strides of a merge, in which one thread merges its chunk in registers. */
template <class Element>
__device__ void merge_in_chunk(const Chunks<Element> &chunks, uint32_t c, uint32_t count, bool descending)
{
    Element element[chunk];
#pragma unroll
    for (int j = 0; j < chunk; j++)
        if (j < count)
            element[j] = chunks.at(c, j);
#pragma unroll
    for (int stride = chunk / 2; stride > 0; stride /= 2)
#pragma unroll
        for (int j = 0; j < chunk; j++)
            if (!(j & stride) && j + stride < count && out_of_order(element[j], element[j + stride], descending)) {
                Element swapped = element[j];
                element[j] = element[j + stride];
                element[j + stride] = swapped;
            }
#pragma unroll
    for (int j = 0; j < chunk; j++)
        if (j < count)
            chunks.at(c, j) = element[j];
}

/* The segment, or tile of one, that a group of threads sorts, as one thread of the group sees it. */
struct Group {
    uint32_t thread;      /* number within the group, and of the chunk that the thread owns */
    uint32_t threads;     /* of the group: a power of two, the same for all of the block */
    uint32_t count;       /* elements that the group sorts */
    uint32_t first_chunk; /* its number in the segment */
    int levels;           /* of the merge tree of the whole segment */
};

__device__ uint32_t own_count(const Group &group)
{
    uint32_t before = group.thread * chunk;
    return group.count <= before ? 0 : min(group.count - before, chunk);
}

/* The strides of one merge that lie within the group, from `widest` chunks down. All threads of the block call. */
template <class Element>
__device__ void merge_level(const Chunks<Element> &chunks, const Group &group, int level, uint32_t widest)
{
    for (uint32_t stride = widest; stride > 0; stride /= 2) {
        __syncthreads();
        if (level > group.levels)
            continue;
        uint32_t pair = group.thread & (group.threads / 2 - 1);
        uint32_t c = pair / stride * (2 * stride) + pair % stride;
        uint32_t first = group.thread < group.threads / 2 ? 0 : chunk / 2;
        bool descending = is_descending((group.first_chunk + c) >> level, level, group.levels);
        for (uint32_t j = first; j < first + chunk / 2 && (c + stride) * chunk + j < group.count; j++) {
            Element lower = chunks.at(c, j), upper = chunks.at(c + stride, j);
            if (out_of_order(lower, upper, descending)) {
                chunks.at(c, j) = upper;
                chunks.at(c + stride, j) = lower;
            }
        }
    }
    __syncthreads();
    if (level <= group.levels)
        merge_in_chunk(chunks, group.thread, own_count(group),
                       is_descending((group.first_chunk + group.thread) >> level, level, group.levels));
}

/* Sorts the chunks and does all merges within the group. */
template <class Element>
__device__ void sort_group(const Chunks<Element> &chunks, const Group &group)
{
    __syncthreads();
    heap_sort(chunks, group.thread, own_count(group), is_descending(group.first_chunk + group.thread, 0, group.levels));
    int level = 1;
    for (uint32_t width = 1; width < group.threads; width *= 2)
        merge_level(chunks, group, level++, width);
    __syncthreads();
}

/* Stores the values of a group's sorted elements. All threads of the block call. */
template <class Elements>
__device__ void store_group(const Elements &elements, const Chunks<typename Elements::Element> &chunks,
                            const Group &group, uint32_t start, uint32_t first)
{
    using Value = typename Elements::Value;
    for (uint32_t e = group.thread; e < group.count; e += group.threads) {
        Value value = elements.value(chunks[e], start);
        if constexpr (Elements::paired)
            *reinterpret_cast<Value *>(&chunks[e]) = value;
        else
            elements.store(start + first + e, value);
    }
    if constexpr (Elements::paired) {
        __syncthreads(); /* all payload of the segment has been read */
        for (uint32_t e = group.thread; e < group.count; e += group.threads)
            elements.store(start + first + e, *reinterpret_cast<Value *>(&chunks[e]));
    }
}

template <class Element>
constexpr size_t shared_bytes(uint32_t threads)
{
    return (size_t)chunk * (threads + 1) * sizeof(Element);
}

/* One group of threads per segment, one thread per chunk. */
template <class Elements>
__global__ void __launch_bounds__(HeapTile<typename Elements::Element>::chunks)
    sort_segments_in_shared(Elements elements, BinView bin, uint32_t threads)
{
    using Element = typename Elements::Element;
    extern __shared__ uint4 memory[];

    uint32_t number = (blockIdx.x * blockDim.x + threadIdx.x) / threads;
    GpusortSegment segment = {0, 0};
    if (number < bin.count)
        segment = bin[number];
    Group group = {threadIdx.x % threads, threads, segment.count, 0, tree_levels(segment.count)};
    Chunks<Element> chunks = {reinterpret_cast<Element *>(memory) + threadIdx.x / threads * threads, blockDim.x + 1};

    for (uint32_t e = group.thread; e < group.count; e += threads)
        chunks[e] = elements.load(segment.start + e, e);
    sort_group(chunks, group);
    store_group(elements, chunks, group, segment.start, 0);
}

/* A block's tile of a long segment. */
template <class Element>
struct TileGroup {
    static constexpr int tile_chunks = HeapTile<Element>::chunks;
    static constexpr uint32_t tile_size = HeapTile<Element>::size;

    TiledSegment segment;
    uint32_t first;
    Group group;

    __device__ TileGroup(const TileList &tiles) : segment(tiles.find(blockIdx.x))
    {
        first = (blockIdx.x - segment.first_tile) * tile_size;
        group = {threadIdx.x, tile_chunks, min(tile_size, segment.count - first), first / chunk,
                 tree_levels(segment.count)};
    }
};

template <class Elements>
__global__ void __launch_bounds__(HeapTile<typename Elements::Element>::chunks)
    heap_sort_tiles(Elements elements, typename Elements::Element *buffer, TileList tiles)
{
    using Element = typename Elements::Element;
    extern __shared__ uint4 memory[];

    if (blockIdx.x >= tiles.ntiles())
        return;
    constexpr int tile_chunks = HeapTile<Element>::chunks;
    TileGroup<Element> tile(tiles);
    Chunks<Element> chunks = {reinterpret_cast<Element *>(memory), tile_chunks + 1};
    Element *to = buffer + tile.segment.start + tile.first;
    for (uint32_t e = threadIdx.x; e < tile.group.count; e += tile_chunks)
        chunks[e] = elements.load(tile.segment.start + tile.first + e, tile.first + e);
    sort_group(chunks, tile.group);
    for (uint32_t e = threadIdx.x; e < tile.group.count; e += tile_chunks)
        to[e] = chunks[e];
}

/* The strides of one merge that lie within a block's tile. The last merge stores the result. */
template <class Elements>
__global__ void __launch_bounds__(HeapTile<typename Elements::Element>::chunks)
    merge_in_tiles(Elements elements, typename Elements::Element *buffer, TileList tiles, int level)
{
    using Element = typename Elements::Element;
    extern __shared__ uint4 memory[];

    if (blockIdx.x >= tiles.ntiles())
        return;
    constexpr int tile_chunks = HeapTile<Element>::chunks;
    TileGroup<Element> tile(tiles);
    if (level > tile.group.levels)
        return;
    Chunks<Element> chunks = {reinterpret_cast<Element *>(memory), tile_chunks + 1};
    Element *from = buffer + tile.segment.start + tile.first;
    for (uint32_t e = threadIdx.x; e < tile.group.count; e += tile_chunks)
        chunks[e] = from[e];
    merge_level(chunks, tile.group, level, tile_chunks / 2);
    __syncthreads();
    if (level == tile.group.levels)
        store_group(elements, chunks, tile.group, tile.segment.start, tile.first);
    else
        for (uint32_t e = threadIdx.x; e < tile.group.count; e += tile_chunks)
            from[e] = chunks[e];
}

template <class Element>
__device__ void compare_exchange(Element &lower, Element &upper, bool upper_exists, bool descending)
{
    if (upper_exists && out_of_order(lower, upper, descending)) {
        Element swapped = lower;
        lower = upper;
        upper = swapped;
    }
}

/* One stride of a merge in device memory, or two: stride and stride / 2. Each is at least a tile. */
template <class Element, bool two>
__global__ void __launch_bounds__(256) merge_across(Element *buffer, TileList tiles, int level, uint32_t stride)
{
    constexpr uint32_t tile_size = HeapTile<Element>::size;
    if (blockIdx.x >= tiles.ntiles())
        return;
    TiledSegment segment = tiles.find(blockIdx.x);
    int levels = tree_levels(segment.count);
    uint32_t first = (blockIdx.x - segment.first_tile) * tile_size;
    uint32_t step = two ? stride / 2 : stride;
    if (level > levels || (first & stride) || (two && (first & step)))
        return;
    bool descending = is_descending(first / chunk >> level, level, levels);
    uint64_t count = segment.count;
    for (uint64_t e = first + threadIdx.x; e < (uint64_t)first + tile_size && e + step < count; e += blockDim.x) {
        Element *at = buffer + segment.start + e;
        Element a = at[0], b = at[step];
        if (two) {
            bool has_c = e + stride < count, has_d = e + stride + step < count;
            Element c = has_c ? at[stride] : a, d = has_d ? at[stride + step] : a;
            compare_exchange(a, c, has_c, descending);
            compare_exchange(b, d, has_d, descending);
            compare_exchange(a, b, true, descending);
            compare_exchange(c, d, has_d, descending);
            if (has_c)
                at[stride] = c;
            if (has_d)
                at[stride + step] = d;
        } else
            compare_exchange(a, b, true, descending);
        at[0] = a;
        at[step] = b;
    }
}

template <class Elements>
struct Layout {
    using Element = typename Elements::Element;
    using Tile = HeapTile<Element>;
    static constexpr int nbins = Tile::level + 2; /* the first is of up to 32 keys, the last for the long segments */

    BinLists bins;
    TileList tiles;
    Element *buffer = nullptr;
    uint32_t *payload_copy = nullptr;

    Layout(const SegmentBatch &batch, const Elements &elements, Workspace &workspace)
        : bins(batch, each_class + 2, nbins, workspace), tiles(batch, bins.count[nbins - 1], Tile::size, workspace)
    {
        if (tiles.nsegments == 0)
            return;
        buffer = elements.in_place() ? static_cast<Element *>(elements.keys) : workspace.take<Element>(batch.nslots);
        if (batch.spec.payload == GPUSORT_PAYLOAD_CARRIED)
            payload_copy = workspace.take<uint32_t>(batch.nslots);
    }
};

/* Sorts the segments that are longer than a tile. */
template <class Elements>
cudaError_t sort_long(const SegmentBatch &batch, Elements elements, const Layout<Elements> &layout, cudaStream_t stream)
{
    using Element = typename Elements::Element;
    constexpr int tile_chunks = HeapTile<Element>::chunks;
    constexpr uint32_t tile_size = HeapTile<Element>::size;
    size_t shared = shared_bytes<Element>(tile_chunks);
    uint32_t blocks = layout.tiles.most_tiles;
    cudaError_t error;

    if (elements.source != nullptr) {
        elements.source = layout.payload_copy;
        if ((error = cudaMemcpyAsync(layout.payload_copy, batch.payload, batch.nslots * sizeof(uint32_t),
                                     cudaMemcpyDeviceToDevice, stream)) != cudaSuccess)
            return error;
    }
    if ((error = layout.tiles.fill(layout.bins.view(batch, layout.nbins - 1), tile_size, stream)) != cudaSuccess ||
        (error = allow_shared(heap_sort_tiles<Elements>, shared)) != cudaSuccess ||
        (error = allow_shared(merge_in_tiles<Elements>, shared)) != cudaSuccess)
        return error;
    heap_sort_tiles<<<blocks, tile_chunks, shared, stream>>>(elements, layout.buffer, layout.tiles);
    for (int level = HeapTile<Element>::level + 1; level <= tree_levels(batch.longest); level++) {
        uint32_t stride = (uint32_t)chunk << (level - 1);
        while (stride >= tile_size)
            if (stride >= 2 * tile_size) {
                merge_across<Element, true><<<blocks, 256, 0, stream>>>(layout.buffer, layout.tiles, level, stride);
                stride /= 4;
            } else {
                merge_across<Element, false><<<blocks, 256, 0, stream>>>(layout.buffer, layout.tiles, level, stride);
                stride /= 2;
            }
        merge_in_tiles<<<blocks, tile_chunks, shared, stream>>>(elements, layout.buffer, layout.tiles, level);
    }
    return cudaGetLastError();
}

cudaError_t hybrid_sort(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    return visit_elements(batch, [&](auto elements) -> cudaError_t {
        using Elements = decltype(elements);
        using Element = typename Elements::Element;
        Workspace workspace(memory);
        Layout<Elements> layout(batch, elements, workspace);

        cudaError_t error = layout.bins.fill(batch, stream);
        if (error == cudaSuccess)
            error = allow_shared(sort_segments_in_shared<Elements>, shared_bytes<Element>(HeapTile<Element>::chunks));
        if (error != cudaSuccess)
            return error;
        for (int b = 0; b < layout.nbins - 1; b++) {
            uint32_t threads = 1u << b, count = layout.bins.count[b];
            uint32_t block = threads < 64 ? 64 : threads;
            if (count != 0)
                sort_segments_in_shared<<<ceil_div((uint64_t)count * threads, block), block,
                                          shared_bytes<Element>(block), stream>>>(elements, layout.bins.view(batch, b),
                                                                                  threads);
        }
        if (layout.tiles.nsegments != 0 && (error = sort_long(batch, elements, layout, stream)) != cudaSuccess)
            return error;
        return cudaGetLastError();
    });
}

}  // namespace

const Method hybrid_method = {layout_bytes<Layout>, hybrid_sort};

}  // namespace gpusort
