/*
 * tagged.cu
 *	  STA, the tagged array sort that GPU-ArraySort is compared with (Awan and
 *	  Saeed, section 7.1.1).
 *
 * All arrays are one array.  A second array holds each key's tag, which is the
 * number of its array.  A stable sort by key, then a stable sort by tag, each
 * moving the other array along, leave every array sorted.
 *
 * The paper calls Thrust's stable_sort_by_key, which allocates.  That call runs
 * CUB's radix sort of pairs, so the same passes are called here directly, in the
 * workspace.  The paper sorts all 32 bits of the tags.  The method sorts only the
 * bits in use, and tagged_sort_all_bits, for the benchmark, sorts all.
 *
 * With a payload the moved value is the slot that the key came from, and tags are
 * looked up between the sorts.  Slots outside of all segments get the last tag, so
 * they end behind all others.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "methods/common.cuh"
#include "methods/methods.cuh"

namespace gpusort
{
namespace
{

/* Each warp takes one segment after the other. */
__global__ void __launch_bounds__(256)
    write_tags(const GpusortSegment *segments, uint32_t nsegments, uint32_t *tags, uint32_t *counts)
{
    uint32_t warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
    for (uint32_t s = (blockIdx.x * blockDim.x + threadIdx.x) / 32; s < nsegments; s += warps) {
        GpusortSegment segment = segments[s];
        for (uint32_t k = lane; k < segment.count; k += 32)
            tags[segment.start + k] = s;
        if (lane == 0)
            counts[s] = segment.count;
    }
}

__global__ void __launch_bounds__(256) fill_tags(uint32_t *tags, uint32_t nslots, uint32_t tag)
{
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < nslots; k += (uint64_t)gridDim.x * blockDim.x)
        tags[k] = tag;
}

template <class Key, class Code>
__global__ void __launch_bounds__(256)
    encode_keys(const Key *keys, Code *codes, uint32_t *slots, uint32_t nslots, Coding coding)
{
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < nslots; k += (uint64_t)gridDim.x * blockDim.x) {
        codes[k] = encode(coding, keys[k]);
        if (slots != nullptr)
            slots[k] = (uint32_t)k;
    }
}

__global__ void __launch_bounds__(256)
    look_up_tags(const uint32_t *slots, const uint32_t *tags, uint32_t *sorted_tags, uint32_t nslots)
{
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < nslots; k += (uint64_t)gridDim.x * blockDim.x)
        sorted_tags[k] = tags[slots[k]];
}

/* Puts the sorted entries back into their segments: keys made of the codes or, by the slots, the payload. */
template <class Key, class Code>
__global__ void __launch_bounds__(256)
    restore_segments(const GpusortSegment *segments, const uint32_t *firsts, uint32_t nsegments, const uint32_t *tags,
                     const Code *codes, const uint32_t *slots, const uint32_t *source, Key *keys, uint32_t *payload,
                     uint32_t nslots, Coding coding)
{
    for (uint64_t k = blockIdx.x * blockDim.x + threadIdx.x; k < nslots; k += (uint64_t)gridDim.x * blockDim.x) {
        uint32_t tag = tags[k];
        if (tag >= nsegments)
            continue;
        uint32_t start = segments[tag].start, to = start + (uint32_t)k - firsts[tag];
        if (payload == nullptr)
            keys[to] = decode(coding, (Key)codes[k]);
        else
            payload[to] = source == nullptr ? slots[k] - start : source[slots[k]];
    }
}

/* Codes of keys of 16 and of 32 bits are one type, as all tags are, so there are few sorts to compile. */
template <class Key>
using CodeOf = std::conditional_t<sizeof(Key) == 8, uint64_t, uint32_t>;

template <class Code>
struct TaggedLayout {
    bool payload;
    Code *codes[2];
    uint32_t *tags[2];  /* with a payload only the first, which keeps each slot's tag */
    uint32_t *slots[2]; /* with a payload */
    uint32_t *sorted_tags[2];
    uint32_t *source; /* a copy of the payload that is carried */
    uint32_t *counts, *firsts;
    char *temporary;
    size_t sort_bytes = 0, scan_bytes = 0, temporary_bytes;

    TaggedLayout(const SegmentBatch &batch, Workspace &workspace) : payload(batch.spec.payload != GPUSORT_PAYLOAD_NONE)
    {
        uint32_t n = (uint32_t)batch.nslots;
        bool carried = batch.spec.payload == GPUSORT_PAYLOAD_CARRIED;
        for (int i = 0; i < 2; i++) {
            codes[i] = workspace.take<Code>(n);
            tags[i] = payload && i == 1 ? nullptr : workspace.take<uint32_t>(n);
            slots[i] = payload ? workspace.take<uint32_t>(n) : nullptr;
            sorted_tags[i] = payload ? workspace.take<uint32_t>(n) : nullptr;
        }
        source = carried ? workspace.take<uint32_t>(n) : nullptr;
        counts = workspace.take<uint32_t>(batch.nsegments);
        firsts = workspace.take<uint32_t>(batch.nsegments);
        size_t other_bytes = 0;
        cub::DoubleBuffer<Code> key_buffer(nullptr, nullptr);
        cub::DoubleBuffer<uint32_t> tag_buffer(nullptr, nullptr);
        cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, key_buffer, tag_buffer, n);
        if (payload)
            cub::DeviceRadixSort::SortPairs(nullptr, other_bytes, tag_buffer, tag_buffer, n);
        else
            cub::DeviceRadixSort::SortPairs(nullptr, other_bytes, tag_buffer, key_buffer, n);
        cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, counts, firsts, batch.nsegments);
        temporary_bytes = max(max(sort_bytes, other_bytes), scan_bytes);
        temporary = workspace.take<char>(temporary_bytes);
    }

    static size_t max(size_t a, size_t b)
    {
        return a > b ? a : b;
    }
};

constexpr int grid = 2112; /* blocks of 256 threads: 16 for each of 132 multiprocessors */

template <class Key>
cudaError_t sort_tagged(const SegmentBatch &batch, int tag_bits, void *memory, cudaStream_t stream)
{
    using Code = CodeOf<Key>;
    Workspace workspace(memory);
    TaggedLayout<Code> layout(batch, workspace);
    uint32_t n = (uint32_t)batch.nslots, nsegments = batch.nsegments;
    Coding coding = coding_of(batch.spec);
    Key *keys = static_cast<Key *>(batch.keys);
    uint32_t *tags = layout.tags[0];
    size_t bytes = layout.temporary_bytes;
    cudaError_t error;

    if (n == 0 || nsegments == 0)
        return cudaSuccess;
    fill_tags<<<grid, 256, 0, stream>>>(tags, n, nsegments);
    write_tags<<<grid, 256, 0, stream>>>(batch.segments, nsegments, tags, layout.counts);
    encode_keys<<<grid, 256, 0, stream>>>(keys, layout.codes[0], layout.slots[0], n, coding);
    if ((error = cub::DeviceScan::ExclusiveSum(layout.temporary, bytes, layout.counts, layout.firsts, nsegments,
                                               stream)) != cudaSuccess)
        return error;

    bytes = layout.temporary_bytes;
    cub::DoubleBuffer<Code> codes(layout.codes[0], layout.codes[1]);
    if (!layout.payload) {
        cub::DoubleBuffer<uint32_t> moved(layout.tags[0], layout.tags[1]);
        if ((error = cub::DeviceRadixSort::SortPairs(layout.temporary, bytes, codes, moved, n, 0, 8 * sizeof(Key),
                                                     stream)) != cudaSuccess ||
            (error = cub::DeviceRadixSort::SortPairs(layout.temporary, bytes, moved, codes, n, 0, tag_bits, stream)) !=
                cudaSuccess)
            return error;
        restore_segments<Key, Code><<<grid, 256, 0, stream>>>(batch.segments, layout.firsts, nsegments, moved.Current(),
                                                              codes.Current(), nullptr, nullptr, keys, nullptr, n,
                                                              coding);
        return cudaGetLastError();
    }
    if (layout.source != nullptr && (error = cudaMemcpyAsync(layout.source, batch.payload, (size_t)n * sizeof(uint32_t),
                                                             cudaMemcpyDeviceToDevice, stream)) != cudaSuccess)
        return error;
    cub::DoubleBuffer<uint32_t> slots(layout.slots[0], layout.slots[1]);
    if ((error = cub::DeviceRadixSort::SortPairs(layout.temporary, bytes, codes, slots, n, 0, 8 * sizeof(Key),
                                                 stream)) != cudaSuccess)
        return error;
    cub::DoubleBuffer<uint32_t> moved(layout.sorted_tags[0], layout.sorted_tags[1]);
    look_up_tags<<<grid, 256, 0, stream>>>(slots.Current(), tags, moved.Current(), n);
    if ((error = cub::DeviceRadixSort::SortPairs(layout.temporary, bytes, moved, slots, n, 0, tag_bits, stream)) !=
        cudaSuccess)
        return error;
    restore_segments<Key, Code><<<grid, 256, 0, stream>>>(batch.segments, layout.firsts, nsegments, moved.Current(),
                                                          (const Code *)nullptr, slots.Current(), layout.source, keys,
                                                          batch.payload, n, coding);
    return cudaGetLastError();
}

size_t tagged_workspace(const SegmentBatch &batch)
{
    return visit_key(batch.spec, [&](auto key) {
        Workspace workspace(nullptr);
        TaggedLayout<CodeOf<decltype(key)>> layout(batch, workspace);
        return workspace.used();
    });
}

cudaError_t sort_with_tag_bits(const SegmentBatch &batch, int tag_bits, void *workspace, cudaStream_t stream)
{
    return visit_key(batch.spec,
                     [&](auto key) { return sort_tagged<decltype(key)>(batch, tag_bits, workspace, stream); });
}

cudaError_t tagged_sort(const SegmentBatch &batch, void *memory, cudaStream_t stream)
{
    return sort_with_tag_bits(batch, ceil_log2((uint64_t)batch.nsegments + 1), memory, stream);
}

}  // namespace

cudaError_t tagged_sort_all_bits(const SegmentBatch &batch, void *workspace, cudaStream_t stream)
{
    return sort_with_tag_bits(batch, 32, workspace, stream);
}

const Method tagged_method = {tagged_workspace, tagged_sort};

}  // namespace gpusort
