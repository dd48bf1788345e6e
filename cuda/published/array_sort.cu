/*
 * array_sort.cu
 *	  GPU-ArraySort (Awan and Saeed): one block per array, sample sort inside.
 *
 * The paper's three phases are kept: splitters from a regular sample of 10 %,
 * buckets of 20 keys on average, each bucket sorted by itself and left in its
 * place, so that nothing is merged.  What differs from the paper:
 *
 *	- the sample is sorted by all threads;
 *	- the array is read once: a key finds its bucket by binary search among the
 *	  splitters, where the paper has each of the p threads read the whole array;
 *	- a key finds its place by counting the smaller keys of its bucket, all keys
 *	  at a time, where the paper has one thread insertion-sort a bucket.  Every key
 *	  of the sample is then a splitter, so a bucket holds 10 keys on average, not 20;
 *	- keys equal to a splitter get a bucket of their own, which needs no sort.  If
 *	  another bucket has more than bucket_limit keys, a bitonic network sorts the
 *	  array, so no input takes quadratic time;
 *	- all three phases are one kernel, between one read and one write of the array.
 *
 * Arrays too long for a block are sorted in tiles, which are merged.  The form as
 * published is in forms/array_sort_paper.cu.
 */
#include "published/array_sort.cuh"
#include "published/merge.cuh"
#include "methods/methods.cuh"

namespace gpusort
{
namespace
{

constexpr int items = 16; /* keys per thread */
constexpr uint32_t bucket_limit = 512;

/* A block's shared memory for one array. */
template <class Element>
struct ArrayMemory {
    static constexpr int longest_class = sizeof(Element) == 16 ? 12 : sizeof(Element) == 8 ? 13 : 14;
    static constexpr int most_threads = (1 << longest_class) / items;

    /* The length class of the longest arrays that fit a block's shared memory on this device. */
    static int class_of_device()
    {
        const int most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        int length_class = longest_class;
        while (length_class > MergeTile<Element>::length_class && bytes(1 << length_class) > (size_t)most)
            length_class--;
        return length_class;
    }

    Element *keys;       /* capacity */
    Element *sample;     /* capacity / sample_every, and behind them the same ones sorted */
    uint32_t *starts;    /* where each bucket starts: two per splitter, and the end */
    uint16_t *bucket_of; /* the bucket of the key at each place; capacity */

    __device__ ArrayMemory(void *memory, uint32_t capacity)
    {
        keys = static_cast<Element *>(memory);
        sample = keys + capacity;
        starts = reinterpret_cast<uint32_t *>(sample + sample_entries(capacity));
        bucket_of = reinterpret_cast<uint16_t *>(starts + start_entries(capacity));
    }

    static __host__ __device__ uint32_t start_entries(uint32_t capacity)
    {
        return 2 * (capacity / sample_every) + 4;
    }

    static size_t bytes(uint32_t capacity)
    {
        return (capacity + sample_entries(capacity)) * sizeof(Element) + start_entries(capacity) * sizeof(uint32_t) +
               capacity * sizeof(uint16_t);
    }
};

/* One warp turns the sizes of buckets into their starts; the total goes behind them. Says if one is too full. */
__device__ void scan_starts(uint32_t *starts, uint32_t count, bool *too_full)
{
    if (threadIdx.x >= 32)
        return;
    uint32_t before = 0;
    bool full = false;
    for (uint32_t base = 0; base < count; base += 32) {
        uint32_t k = base + threadIdx.x;
        uint32_t own = k < count ? starts[k] : 0, sum = own;
        full |= own > bucket_limit && k % 2 == 0;
        for (int distance = 1; distance < 32; distance *= 2) {
            uint32_t other = __shfl_up_sync(~0u, sum, distance);
            if (threadIdx.x >= distance)
                sum += other;
        }
        if (k < count)
            starts[k] = before + sum - own;
        before += __shfl_sync(~0u, sum, 31);
    }
    full = __any_sync(~0u, full);
    if (threadIdx.x == 0) {
        starts[count] = before;
        *too_full = full;
    }
}

/* Sorts count elements, at most items * blockDim.x, into array.keys. */
template <class Element, class Load>
__device__ void sort_array(const ArrayMemory<Element> &array, uint32_t count, Load load)
{
    __shared__ bool too_full;
    uint32_t nsample = count < 4 * sample_every ? 0 : (count - 1) / sample_every + 1;
    uint32_t buckets = max(nsample, 1);

    /* Phase 1: splitters from a regular sample. */
    Element element[items];
    uint32_t place[items]; /* bucket, then number within it */
#pragma unroll
    for (int i = 0; i < items; i++) {
        uint32_t k = i * blockDim.x + threadIdx.x;
        if (k < count) {
            element[i] = load(k);
            if (nsample != 0 && k % sample_every == 0)
                array.sample[k / sample_every] = element[i];
        }
    }
    for (uint32_t k = threadIdx.x; k < 2 * buckets; k += blockDim.x)
        array.starts[k] = 0;
    __syncthreads();
    const Element *splitters = sort_sample(array.sample, nsample) + 1;

    /* Phase 2: each key moves into its bucket. Odd buckets hold keys equal to a splitter. */
#pragma unroll
    for (int i = 0; i < items; i++)
        if (i * blockDim.x + threadIdx.x < count) {
            uint32_t low = 0, high = buckets - 1;
            while (low < high) {
                uint32_t middle = (low + high) / 2;
                if (splitters[middle] < element[i])
                    low = middle + 1;
                else
                    high = middle;
            }
            uint32_t bucket = 2 * low;
            if (low < buckets - 1 && !(element[i] < splitters[low]))
                bucket++;
            place[i] = bucket << 16 | atomicAdd(&array.starts[bucket], 1);
        }
    __syncthreads();
    scan_starts(array.starts, 2 * buckets - 1, &too_full);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++)
        if (i * blockDim.x + threadIdx.x < count) {
            uint32_t bucket = place[i] >> 16;
            uint32_t to = array.starts[bucket] + (place[i] & 0xffff);
            array.keys[to] = element[i];
            array.bucket_of[to] = (uint16_t)bucket;
        }
    __syncthreads();

    /* Phase 3: each bucket is sorted by itself. */
    if (too_full) {
        bitonic_sort(array.keys, count);
        return;
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
        uint32_t k = i * blockDim.x + threadIdx.x;
        if (k < count) {
            Element own = array.keys[k];
            uint32_t bucket = array.bucket_of[k], rank = k;
            if (bucket % 2 == 0) {
                uint32_t start = array.starts[bucket];
                rank = start + rank_among(array.keys, start, array.starts[bucket + 1], k, own);
            }
            element[i] = own;
            place[i] = rank;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++)
        if (i * blockDim.x + threadIdx.x < count)
            array.keys[place[i]] = element[i];
    __syncthreads();
}

/* One block per array. */
template <class Elements>
__global__ void __launch_bounds__(ArrayMemory<typename Elements::Element>::most_threads)
    sort_arrays(Elements elements, BinView bin)
{
    using Element = typename Elements::Element;
    using Value = typename Elements::Value;
    extern __shared__ uint4 memory[];

    GpusortSegment segment = bin[blockIdx.x];
    ArrayMemory<Element> array(memory, items * blockDim.x);
    sort_array(array, segment.count, [&](uint32_t k) { return elements.load(segment.start + k, k); });
    for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x) {
        Value value = elements.value(array.keys[k], segment.start);
        if constexpr (Elements::paired)
            *reinterpret_cast<Value *>(&array.keys[k]) = value;
        else
            elements.store(segment.start + k, value);
    }
    if constexpr (Elements::paired) {
        __syncthreads(); /* all payload has been read */
        for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x)
            elements.store(segment.start + k, *reinterpret_cast<Value *>(&array.keys[k]));
    }
}

/* One warp per array of up to 32 keys, which are one bucket. */
template <class Elements>
__global__ void __launch_bounds__(128) sort_short_arrays(Elements elements, BinView bin)
{
    using Element = typename Elements::Element;
    __shared__ Element keys[128];

    uint32_t number = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (number >= bin.count)
        return;
    GpusortSegment segment = bin[number];
    Element *key = keys + threadIdx.x / 32 * 32;
    typename Elements::Value value;
    if (lane < segment.count) {
        key[lane] = elements.load(segment.start + lane, lane);
        value = elements.value(key[lane], segment.start);
    }
    __syncwarp();
    if (lane < segment.count) {
        Element own = key[lane];
        uint32_t rank = rank_among(key, 0, segment.count, lane, own);
        elements.store(segment.start + rank, value);
    }
}

/* One block per tile of a long array. */
template <class Elements>
__global__ void __launch_bounds__(ArrayMemory<typename Elements::Element>::most_threads)
    sort_tiles(Elements elements, MergeBuffers<Elements> buffers, TileList tiles)
{
    using Element = typename Elements::Element;
    constexpr uint32_t size = MergeTile<Element>::size;
    extern __shared__ uint4 memory[];

    if (blockIdx.x >= tiles.ntiles())
        return;
    TiledSegment segment = tiles.find(blockIdx.x);
    uint32_t first = (blockIdx.x - segment.first_tile) * size, count = min(size, segment.count - first);
    ArrayMemory<Element> array(memory, size);
    sort_array(array, count, [&](uint32_t k) { return elements.load(segment.start + first + k, first + k); });
    Element *to = buffers.before(0, merge_passes<Element>(segment.count)) + segment.start + first;
    for (uint32_t k = threadIdx.x; k < count; k += blockDim.x)
        to[k] = array.keys[k];
}

constexpr const int *classes = each_class + 2; /* bin 0: up to 32 keys */
constexpr int first_class = classes[0];

template <class Elements>
struct Layout {
    using Element = typename Elements::Element;

    int nbins; /* of the classes; the last is for the long arrays */
    BinLists bins;
    TileList tiles;
    MergeBuffers<Elements> buffers;

    Layout(const SegmentBatch &batch, const Elements &elements, Workspace &workspace)
        : nbins(ArrayMemory<Element>::class_of_device() - first_class + 2),
          bins(batch, classes, nbins, workspace),
          tiles(batch, bins.count[nbins - 1], MergeTile<Element>::size, workspace),
          buffers(batch, elements, tiles.nsegments != 0, workspace)
    {
    }
};

template <class Elements>
cudaError_t sort_long_arrays(const SegmentBatch &batch, Elements elements, const Layout<Elements> &layout,
                             cudaStream_t stream)
{
    using Element = typename Elements::Element;
    constexpr uint32_t size = MergeTile<Element>::size;
    size_t shared = ArrayMemory<Element>::bytes(size);
    cudaError_t error;
    if ((error = layout.buffers.prepare(batch, elements, stream)) != cudaSuccess ||
        (error = layout.tiles.fill(layout.bins.view(batch, layout.nbins - 1), size, stream)) != cudaSuccess ||
        (error = allow_shared(sort_tiles<Elements>, shared)) != cudaSuccess)
        return error;
    sort_tiles<<<layout.tiles.most_tiles, size / items, shared, stream>>>(elements, layout.buffers, layout.tiles);
    return merge_sorted_tiles(batch, elements, layout.buffers, layout.tiles, stream);
}

cudaError_t array_sort(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    return visit_elements(batch, [&](auto elements) -> cudaError_t {
        using Elements = decltype(elements);
        using Memory = ArrayMemory<typename Elements::Element>;
        Workspace workspace(memory);
        Layout<Elements> layout(batch, elements, workspace);
        const uint32_t *count = layout.bins.count;

        cudaError_t error = layout.bins.fill(batch, stream);
        if (error == cudaSuccess)
            error = allow_shared(sort_arrays<Elements>, Memory::bytes(1u << (first_class + layout.nbins - 2)));
        if (error != cudaSuccess)
            return error;
        if (count[0] != 0)
            sort_short_arrays<<<ceil_div(count[0], 4), 128, 0, stream>>>(elements, layout.bins.view(batch, 0));
        for (int b = 1; b < layout.nbins - 1; b++) {
            uint32_t capacity = 1u << (first_class + b);
            capacity = capacity < 32 * items ? 32 * items : capacity;
            if (count[b] != 0)
                sort_arrays<<<count[b], capacity / items, Memory::bytes(capacity), stream>>>(
                    elements, layout.bins.view(batch, b));
        }
        if (layout.tiles.nsegments != 0 && (error = sort_long_arrays(batch, elements, layout, stream)) != cudaSuccess)
            return error;
        return cudaGetLastError();
    });
}

}  // namespace

const Method array_sort_method = {layout_bytes<Layout>, array_sort};

}  // namespace gpusort
