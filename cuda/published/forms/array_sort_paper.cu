/*
 * array_sort_paper.cu
 *	  GPU-ArraySort (Awan and Saeed) as published.
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

/* Entries for a number of each bucket, so many that what lies behind is aligned. */
__host__ __device__ uint32_t bucket_entries(uint32_t buckets)
{
    return ceil_div(buckets, 4) * 4;
}

/*
 * Phase 1: the array moves into shared memory.  One thread takes the sample, sorts it
 * and picks the splitters.
 */
__global__ void paper_splitters(uint32_t *all_keys, Coding coding, const GpusortSegment *segments, uint32_t *splitters)
{
    extern __shared__ uint4 memory[];
    GpusortSegment segment = segments[blockIdx.x];
    uint32_t buckets = paper_buckets(segment.count);
    uint32_t *keys = reinterpret_cast<uint32_t *>(memory), *sample = keys + segment.count;

    for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x) {
        keys[k] = encode(coding, all_keys[segment.start + k]);
        all_keys[segment.start + k] = keys[k];
    }
    __syncthreads();
    if (buckets == 1 || threadIdx.x > 0)
        return;
    uint32_t nsample = ceil_div(segment.count, sample_every);
    for (uint32_t i = 0; i < nsample; i++) {
        uint32_t key = keys[i * sample_every];
        uint32_t j = i;
        for (; j > 0 && key < sample[j - 1]; j--)
            sample[j] = sample[j - 1];
        sample[j] = key;
    }
    for (uint32_t j = 1; j < buckets; j++)
        splitters[segment.start / bucket_size + j - 1] = sample[j * nsample / buckets];
}

/* The keys between a bucket's pair of splitters. */
struct PaperRange {
    bool lowest, highest;
    uint32_t low, high;

    __device__ PaperRange(const uint32_t *splitters, uint32_t bucket, uint32_t buckets)
        : lowest(bucket == 0),
          highest(bucket == buckets - 1),
          low(lowest ? 0 : splitters[bucket - 1]),
          high(highest ? 0 : splitters[bucket])
    {
    }

    __device__ bool has(uint32_t key) const
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
 * of splitters.  The sizes of the buckets tell where it writes them back.
 */
__global__ void paper_buckets_of_arrays(uint32_t *all_keys, const GpusortSegment *segments, const uint32_t *splitters,
                                        uint32_t *sizes)
{
    extern __shared__ uint4 memory[];
    GpusortSegment segment = segments[blockIdx.x];
    uint32_t buckets = paper_buckets(segment.count);
    if (buckets == 1)
        return;
    uint32_t *size = reinterpret_cast<uint32_t *>(memory);
    uint32_t *keys = reinterpret_cast<uint32_t *>(size + bucket_entries(buckets));
    splitters += segment.start / bucket_size;

    for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x)
        keys[k] = all_keys[segment.start + k];
    __syncthreads();

    for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x) {
        PaperRange range(splitters, b, buckets);
        uint32_t count = 0;
        for (uint32_t k = 0; k < segment.count; k++)
            count += range.has(keys[k]);
        size[b] = count;
    }
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x) {
        PaperRange range(splitters, b, buckets);
        uint32_t slot = segment.start + paper_start(size, b);
        sizes[segment.start / bucket_size + b] = size[b];
        for (uint32_t k = 0; k < segment.count; k++)
            if (range.has(keys[k]))
                all_keys[slot++] = keys[k];
    }
}

/* Phase 3: each thread insertion-sorts a bucket. */
__global__ void paper_sort_buckets(uint32_t *all_keys, Coding coding, const GpusortSegment *segments,
                                   const uint32_t *sizes)
{
    extern __shared__ uint4 memory[];
    GpusortSegment segment = segments[blockIdx.x];
    uint32_t buckets = paper_buckets(segment.count);
    uint32_t *size = reinterpret_cast<uint32_t *>(memory);
    uint32_t *keys = reinterpret_cast<uint32_t *>(size + bucket_entries(buckets));

    for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x)
        keys[k] = all_keys[segment.start + k];
    for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x)
        size[b] = buckets == 1 ? segment.count : sizes[segment.start / bucket_size + b];
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < buckets; b += blockDim.x) {
        uint32_t start = paper_start(size, b);
        for (uint32_t i = start + 1; i < start + size[b]; i++) {
            uint32_t key = keys[i];
            uint32_t j = i;
            for (; j > start && key < keys[j - 1]; j--)
                keys[j] = keys[j - 1];
            keys[j] = key;
        }
    }
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < segment.count; k += blockDim.x)
        all_keys[segment.start + k] = decode(coding, keys[k]);
}

struct PaperLayout {
    uint32_t *splitters;
    uint32_t *sizes;

    PaperLayout(const SegmentBatch &batch, Workspace &workspace)
        : splitters(workspace.take<uint32_t>(batch.nslots / bucket_size + 1)),
          sizes(workspace.take<uint32_t>(batch.nslots / bucket_size + 1))
    {
    }
};

}  // namespace

size_t array_sort_paper_workspace(const SegmentBatch &batch)
{
    Workspace workspace(nullptr);
    PaperLayout layout(batch, workspace);
    return workspace.used();
}

cudaError_t array_sort_paper(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    Workspace workspace(memory);
    PaperLayout layout(batch, workspace);
    uint32_t *keys = static_cast<uint32_t *>(batch.keys);
    Coding coding = coding_of(batch.spec);
    uint32_t buckets = paper_buckets(batch.longest);
    uint32_t threads = buckets > 1024 ? 1024 : ceil_div(buckets, 32) * 32;
    size_t shared =
        ((size_t)batch.longest + ceil_div(batch.longest, sample_every) + bucket_entries(buckets)) * sizeof(uint32_t);
    cudaError_t error;
    if ((error = allow_shared(paper_splitters, shared)) != cudaSuccess ||
        (error = allow_shared(paper_buckets_of_arrays, shared)) != cudaSuccess ||
        (error = allow_shared(paper_sort_buckets, shared)) != cudaSuccess)
        return error;
    paper_splitters<<<batch.nsegments, 64, shared, stream>>>(keys, coding, batch.segments, layout.splitters);
    paper_buckets_of_arrays<<<batch.nsegments, threads, shared, stream>>>(keys, batch.segments, layout.splitters,
                                                                          layout.sizes);
    paper_sort_buckets<<<batch.nsegments, threads, shared, stream>>>(keys, coding, batch.segments, layout.sizes);
    return cudaGetLastError();
}

}  // namespace gpusort
