/*
 * array_sort_paper.cu
 *	  GPU-ArraySort (Awan and Saeed) as published, and with one improvement after the
 *	  other, for the benchmark to show what each is worth.
 *
 * This follows the paper's listings, except for the outer splitters.  Here the first
 * and the last bucket are open, because the paper's released code loses keys below
 * the first splitter.
 *
 * There are three kernels, one per phase.  Splitters and bucket sizes of an array lie
 * at start / bucket_size of buffers in device memory.  They do not overlap, because
 * the arrays do not.  An array of a single bucket has none.
 */
#include "published/array_sort.cuh"
#include "published/forms/forms.cuh"

namespace gpusort
{
namespace
{

constexpr int bucket_size = 20; /* on average */

__host__ __device__ uint32_t paper_buckets(uint32_t count)
{
    return count < 2 * bucket_size ? 1 : count / bucket_size;
}

/* Entries for a number of each bucket. Sums read four at a time, so up to three more are read and not used. */
__host__ __device__ uint32_t bucket_entries(uint32_t buckets)
{
    return ceil_div(buckets, 4) * 4;
}

/*
 * Phase 1: the array moves into shared memory.  One thread takes the sample, sorts it
 * and picks the splitters.  Improved: all threads do so together.
 */
template <class Code, bool improved>
__global__ void paper_splitters(KeyElements<Code> elements, const GpusortSegment *segments, Code *splitters)
{
    extern __shared__ uint4 memory[];
    GpusortSegment segment = segments[blockIdx.x];
    uint32_t buckets = paper_buckets(segment.count);
    Code *keys = reinterpret_cast<Code *>(memory), *sample = keys + segment.count;

    for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x) {
        keys[k] = elements.load(segment.start + k, k);
        elements.keys[segment.start + k] = keys[k];
    }
    __syncthreads();
    if (buckets == 1)
        return;
    uint32_t nsample = ceil_div(segment.count, sample_every);
    if (improved) {
        for (uint32_t j = threadIdx.x; j < nsample; j += blockDim.x)
            sample[j] = keys[j * sample_every];
        __syncthreads();
        sample = sort_sample(sample, nsample);
    } else if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < nsample; i++) {
            Code key = keys[i * sample_every];
            uint32_t j = i;
            for (; j > 0 && key < sample[j - 1]; j--)
                sample[j] = sample[j - 1];
            sample[j] = key;
        }
    }
    uint32_t step = improved ? blockDim.x : 1;
    for (uint32_t j = 1 + threadIdx.x; j < buckets && (improved || threadIdx.x == 0); j += step)
        splitters[segment.start / bucket_size + j - 1] = sample[j * nsample / buckets];
}

/* The keys between a bucket's pair of splitters. */
template <class Code>
struct PaperRange {
    bool lowest, highest;
    Code low, high;

    __device__ PaperRange(const Code *splitters, uint32_t bucket, uint32_t buckets)
        : lowest(bucket == 0),
          highest(bucket == buckets - 1),
          low(lowest ? 0 : splitters[bucket - 1]),
          high(highest ? 0 : splitters[bucket])
    {
    }

    __device__ bool has(Code key) const
    {
        return (lowest || low <= key) && (highest || key < high);
    }
};

/* Where a bucket starts, from the sizes of the buckets before it. */
__device__ uint32_t paper_start(const uint32_t *size, uint32_t bucket)
{
    uint32_t start = 0;
    for (uint32_t before = 0; before < bucket; before++)
        start += size[before];
    return start;
}

/*
 * Phase 2: each thread reads the whole array and takes the keys between its pair
 * of splitters.  The sizes of the buckets tell where it writes them back.  Improved:
 * each key is read once and finds its bucket by binary search.
 */
template <class Code, bool improved>
__global__ void paper_buckets_of_arrays(KeyElements<Code> elements, const GpusortSegment *segments,
                                        const Code *splitters, uint32_t *sizes)
{
    extern __shared__ uint4 memory[];
    GpusortSegment segment = segments[blockIdx.x];
    uint32_t buckets = paper_buckets(segment.count);
    if (buckets == 1)
        return;
    uint32_t *size = reinterpret_cast<uint32_t *>(memory), *to = size + bucket_entries(buckets);
    Code *keys = reinterpret_cast<Code *>(to + bucket_entries(buckets));
    splitters += segment.start / bucket_size;

    for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x)
        keys[k] = elements.keys[segment.start + k];
    for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x)
        size[b] = 0;
    __syncthreads();

    /* How many splitters are not above the key: the number of its bucket. */
    auto bucket_of = [&](Code key) {
        uint32_t low = 0, high = buckets - 1;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (splitters[middle] <= key)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    };

    if (improved)
        for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x)
            atomicAdd(&size[bucket_of(keys[k])], 1);
    else
        for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x) {
            PaperRange<Code> range(splitters, b, buckets);
            uint32_t count = 0;
            for (uint32_t k = 0; k < segment.count; k++)
                count += range.has(keys[k]);
            size[b] = count;
        }
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x) {
        sizes[segment.start / bucket_size + b] = size[b];
        to[b] = segment.start + paper_start(size, b);
    }
    __syncthreads();
    if (improved)
        for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x)
            elements.keys[atomicAdd(&to[bucket_of(keys[k])], 1)] = keys[k];
    else
        for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x) {
            PaperRange<Code> range(splitters, b, buckets);
            uint32_t slot = to[b];
            for (uint32_t k = 0; k < segment.count; k++)
                if (range.has(keys[k]))
                    elements.keys[slot++] = keys[k];
        }
}

/* Phase 3: each thread insertion-sorts a bucket.  Improved: each key counts the smaller keys of its bucket. */
template <class Code, bool improved>
__global__ void paper_sort_buckets(KeyElements<Code> elements, const GpusortSegment *segments, const uint32_t *sizes)
{
    extern __shared__ uint4 memory[];
    GpusortSegment segment = segments[blockIdx.x];
    uint32_t buckets = paper_buckets(segment.count);
    uint32_t *size = reinterpret_cast<uint32_t *>(memory), *start = size + bucket_entries(buckets);
    Code *keys = reinterpret_cast<Code *>(start + bucket_entries(buckets));
    auto put = [&](uint32_t k, Code key) { elements.store(segment.start + k, elements.value(key, segment.start)); };

    for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x)
        keys[k] = elements.keys[segment.start + k];
    for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x)
        size[b] = buckets == 1 ? segment.count : sizes[segment.start / bucket_size + b];
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x)
        start[b] = paper_start(size, b);
    if (!improved) {
        for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x)
            for (uint32_t i = start[b] + 1; i < start[b] + size[b]; i++) {
                Code key = keys[i];
                uint32_t j = i;
                for (; j > start[b] && key < keys[j - 1]; j--)
                    keys[j] = keys[j - 1];
                keys[j] = key;
            }
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x)
            put(k, keys[k]);
        return;
    }
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x) {
        uint32_t low = 0, high = buckets - 1;
        while (low < high) {
            uint32_t middle = (low + high + 1) / 2;
            if (start[middle] <= k)
                low = middle;
            else
                high = middle - 1;
        }
        put(start[low] + rank_among(keys, start[low], start[low] + size[low], k, keys[k]), keys[k]);
    }
}

template <class Code>
struct PaperLayout {
    Code *splitters;
    uint32_t *sizes;

    PaperLayout(const SegmentBatch &batch, Workspace &workspace)
        : splitters(workspace.take<Code>(batch.nslots / bucket_size + 1)),
          sizes(workspace.take<uint32_t>(batch.nslots / bucket_size + 1))
    {
    }
};

template <class Code>
cudaError_t run_paper(const SegmentBatch &batch, const KeyElements<Code> &elements, int improvements, void *memory,
                      cudaStream_t stream)
{
    Workspace workspace(memory);
    PaperLayout<Code> layout(batch, workspace);
    uint32_t buckets = paper_buckets(batch.longest);
    uint32_t threads = buckets > 1024 ? 1024 : ceil_div(buckets, 32) * 32;
    size_t shared = ((size_t)batch.longest + sample_entries(batch.longest)) * sizeof(Code) +
                    2 * bucket_entries(buckets) * sizeof(uint32_t);
    auto splitters = improvements >= 1 ? paper_splitters<Code, true> : paper_splitters<Code, false>;
    auto fill = improvements >= 2 ? paper_buckets_of_arrays<Code, true> : paper_buckets_of_arrays<Code, false>;
    auto sort = improvements >= 3 ? paper_sort_buckets<Code, true> : paper_sort_buckets<Code, false>;
    cudaError_t error;
    if ((error = allow_shared(splitters, shared)) != cudaSuccess ||
        (error = allow_shared(fill, shared)) != cudaSuccess || (error = allow_shared(sort, shared)) != cudaSuccess)
        return error;
    splitters<<<batch.nsegments, improvements >= 1 ? 256 : 64, shared, stream>>>(elements, batch.segments,
                                                                                 layout.splitters);
    fill<<<batch.nsegments, improvements >= 2 ? 256 : threads, shared, stream>>>(elements, batch.segments,
                                                                                 layout.splitters, layout.sizes);
    sort<<<batch.nsegments, improvements >= 3 ? 256 : threads, shared, stream>>>(elements, batch.segments,
                                                                                 layout.sizes);
    return cudaGetLastError();
}

}  // namespace

uint32_t array_sort_paper_longest(const GpusortSpec &spec)
{
    return 128 * 1024 / gpusort_key_width(spec.form);
}

size_t array_sort_paper_workspace(const SegmentBatch &batch)
{
    Workspace workspace(nullptr);
    PaperLayout<uint64_t> layout(batch, workspace);
    return workspace.used();
}

cudaError_t array_sort_paper(const SegmentBatch &batch, int improvements, void *memory, cudaStream_t stream)
{
    if (batch.spec.payload != GPUSORT_PAYLOAD_NONE || batch.longest > array_sort_paper_longest(batch.spec))
        return cudaErrorNotSupported;
    return visit_elements(batch, [&](auto elements) -> cudaError_t {
        if constexpr (decltype(elements)::paired)
            return cudaErrorNotSupported;
        else
            return run_paper(batch, elements, improvements, memory, stream);
    });
}

}  // namespace gpusort
