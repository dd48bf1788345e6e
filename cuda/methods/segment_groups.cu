/*
 * segment_groups.cu
 *	  See segment_groups.cuh.
 */
#include "methods/segment_groups.cuh"

namespace gpusort
{

namespace
{

constexpr uint32_t BINS = GPUSORT_LENGTH_BINS;
constexpr uint32_t GROUP_THREADS = 256;
constexpr uint32_t SEGMENTS_PER_THREAD = 8;

/* As gpusort_length_bin, but the first bin of TINY_CLASS for all of its lengths. */
__device__ __forceinline__ uint32_t bin_of(uint32_t count)
{
    const uint32_t last = max(count, 1) - 1, length_class = 32 - __clz(last);

    return length_class <= TINY_CLASS ? 4 * TINY_CLASS : 4 * length_class + (last >> (length_class - 3) & 3);
}

/* Lists segments grouped by bin; taken[] counts what is listed of each. */
__global__ void __launch_bounds__(GROUP_THREADS)
    group_segments(const GpusortSegment *segments, uint32_t nsegments, const __grid_constant__ SegmentGroups groups,
                   uint32_t *taken, GpusortSegment *list)
{
    __shared__ uint32_t counts[BINS], first[BINS];
    GpusortSegment own[SEGMENTS_PER_THREAD];
    uint32_t rank[SEGMENTS_PER_THREAD];
    const uint32_t begin = blockIdx.x * SEGMENTS_PER_THREAD * GROUP_THREADS + threadIdx.x;

    for (uint32_t i = threadIdx.x; i < BINS; i += GROUP_THREADS)
        counts[i] = 0;
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < SEGMENTS_PER_THREAD; i++)
        if (begin + i * GROUP_THREADS < nsegments) {
            own[i] = segments[begin + i * GROUP_THREADS];
            rank[i] = atomicAdd(&counts[bin_of(own[i].count)], 1);
        }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < BINS; i += GROUP_THREADS)
        if (counts[i] > 0)
            first[i] = groups.start[i] + atomicAdd(&taken[i], counts[i]);
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < SEGMENTS_PER_THREAD; i++)
        if (begin + i * GROUP_THREADS < nsegments)
            list[first[bin_of(own[i].count)] + rank[i]] = own[i];
}

}  // namespace

SegmentGroups::SegmentGroups(const uint32_t *length_histogram)
{
    uint32_t listed = 0;

    for (uint32_t bin = 0; bin < BINS; bin++) {
        start[bin] = bin <= 4 * TINY_CLASS ? 0 : listed;
        listed += length_histogram[bin];
    }
    start[BINS] = listed;
    for (uint32_t bin = 4 * TINY_CLASS + 1; bin < 4 * (TINY_CLASS + 1); bin++)
        start[bin] = start[4 * (TINY_CLASS + 1)];
}

cudaError_t list_segments(const SegmentBatch &batch, const SegmentGroups &groups, uint32_t *taken, GpusortSegment *list,
                          cudaStream_t stream)
{
    constexpr uint32_t per_block = GROUP_THREADS * SEGMENTS_PER_THREAD;
    const cudaError_t error = cudaMemsetAsync(taken, 0, BINS * sizeof(uint32_t), stream);

    if (error != cudaSuccess)
        return error;
    group_segments<<<(batch.nsegments + per_block - 1) / per_block, GROUP_THREADS, 0, stream>>>(
        batch.segments, batch.nsegments, groups, taken, list);
    return cudaGetLastError();
}

}  // namespace gpusort
