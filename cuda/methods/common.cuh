/*
 * common.cuh
 *	  Elements, and bins and tiles of segments, for methods/ and published/.
 *
 * A comparison sort moves elements.  Without a payload an element is the key's code.  With
 * a payload it is the code and the key's position in its segment.  Then no two elements of
 * a segment are equal, so any sort of them gives the stable order, and the payload is
 * found by the position.
 *
 * Segments are listed by length in bins.  So each bin is one launch that fits its lengths.  Segments too long for one
 * block are cut into tiles, which are numbered across all segments.
 */
#ifndef GPUSORT_METHOD_COMMON_CUH
#define GPUSORT_METHOD_COMMON_CUH

#include <cuda_runtime.h>

#include <type_traits>

#include "methods/key_codes.cuh"
#include "methods/segment_groups.cuh"
#include "methods/workspace.cuh"

namespace gpusort
{

__host__ __device__ inline uint32_t ceil_div(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/* Least k with 2^k >= n. */
__host__ __device__ inline int ceil_log2(uint64_t n)
{
    int k = 0;
    while (((uint64_t)1 << k) < n)
        k++;
    return k;
}

/*
 * The elements of a batch's segments.  Codes of keys of 16 bits are those of the same integers
 * of 32 bits, so they take no kernels of their own.
 */
template <class CodeType, bool PAIRED>
struct SegmentElements {
    using Code = CodeType;
    using Pair = std::conditional_t<sizeof(Code) == 8, unsigned __int128, uint64_t>;
    using Element = std::conditional_t<PAIRED, Pair, Code>;
    using Value = std::conditional_t<PAIRED, uint32_t, Code>; /* what is stored of an element: of pairs the payload */
    static constexpr bool paired = PAIRED;

    void *keys;
    bool narrow; /* keys have 16 bits */
    Coding coding;
    uint32_t *payload;
    const uint32_t *source; /* payload to read, a copy if blocks would race; nullptr for positions */

    /* Whether elements are as long as keys, so that they can lie where the keys do. */
    bool in_place() const
    {
        return !paired && !narrow;
    }

    __device__ Element load(uint32_t slot, uint32_t position) const
    {
        const Code key =
            narrow ? (Code) static_cast<const int16_t *>(keys)[slot] : static_cast<const Code *>(keys)[slot];
        const Element code = encode(coding, key);

        if constexpr (paired)
            return code << 32 | position;
        else
            return code;
    }

    static __device__ Element largest()
    {
        return ~(Element)0;
    }

    /* The value to be stored for a sorted element of the segment that begins at `start`. */
    __device__ Value value(Element element, uint32_t start) const
    {
        if constexpr (paired)
            return source == nullptr ? (uint32_t)element : source[start + (uint32_t)element];
        else
            return decode(coding, element);
    }

    __device__ void store(uint32_t slot, Value value) const
    {
        if constexpr (paired)
            payload[slot] = value;
        else if (narrow)
            static_cast<uint16_t *>(keys)[slot] = (uint16_t)value;
        else
            static_cast<Code *>(keys)[slot] = value;
    }
};

template <class Code, class Visitor>
auto visit_code(const SegmentBatch &batch, Visitor visitor)
{
    const bool narrow = gpusort_key_width(batch.spec.form) == 2;
    const uint32_t *source = batch.spec.payload == GPUSORT_PAYLOAD_CARRIED ? batch.payload : nullptr;
    Coding coding = coding_of(batch.spec);

    if (narrow)
        coding.form = GPUSORT_KEY_INT32;
    if (batch.spec.payload == GPUSORT_PAYLOAD_NONE)
        return visitor(SegmentElements<Code, false>{batch.keys, narrow, coding, nullptr, nullptr});
    return visitor(SegmentElements<Code, true>{batch.keys, narrow, coding, batch.payload, source});
}

/* Calls visitor with the elements of the batch. */
template <class Visitor>
auto visit_elements(const SegmentBatch &batch, Visitor visitor)
{
    if (gpusort_key_width(batch.spec.form) == 8)
        return visit_code<uint64_t>(batch, visitor);
    return visit_code<uint32_t>(batch, visitor);
}

/* Bytes of workspace that a method takes whose Layout divides it for the elements of a batch. */
template <template <class> class Layout>
size_t layout_bytes(const SegmentBatch &batch)
{
    return visit_elements(batch, [&](auto elements) {
        Workspace workspace(nullptr);
        Layout<decltype(elements)> layout(batch, elements, workspace);
        return workspace.used();
    });
}

constexpr int max_bins = 15;

/* Bins of a class each, the first with all that are shorter. */
constexpr int each_class[max_bins - 1] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/* One bin's segments of a batch. */
struct BinView {
    const GpusortSegment *segments;
    uint32_t count;

    __device__ GpusortSegment operator[](uint32_t i) const
    {
        return segments[i];
    }
};

/*
 * Lists of segments for bins of length classes: bin b has the classes up to last_class[b] that no earlier bin has, and
 * the last bin has the rest.
 */
struct BinLists {
    int used = 0; /* bins that are not empty */
    uint32_t first[max_bins], count[max_bins];
    SegmentGroups groups;
    uint32_t *taken = nullptr;
    GpusortSegment *list = nullptr; /* nullptr if one bin has all segments */

    BinLists(const SegmentBatch &batch, const int *last_class, int nbins, Workspace &workspace)
        : groups(batch.length_histogram)
    {
        for (int b = 0; b < nbins; b++) {
            first[b] = b == 0 ? 0 : first[b - 1] + count[b - 1];
            count[b] = groups.first_of(b < nbins - 1 ? last_class[b] + 1 : GPUSORT_LENGTH_CLASSES) - first[b];
            used += count[b] != 0;
        }
        if (used > 1) {
            taken = workspace.take<uint32_t>(GPUSORT_LENGTH_BINS);
            list = workspace.take<GpusortSegment>(batch.nsegments);
        }
    }

    BinView view(const SegmentBatch &batch, int bin) const
    {
        return {list == nullptr ? batch.segments : list + first[bin], count[bin]};
    }

    cudaError_t fill(const SegmentBatch &batch, cudaStream_t stream) const
    {
        return list == nullptr ? cudaSuccess : list_segments(batch, groups, taken, list, stream);
    }
};

/* A segment that is cut into tiles. Tiles are numbered across all segments of a batch. */
struct TiledSegment {
    uint32_t start, count;
    uint32_t first_tile;
};

/* The most keys that `count` of a batch's segments can have. */
inline uint64_t most_keys(const SegmentBatch &batch, uint32_t count)
{
    uint64_t keys = 0;
    for (uint32_t bin = GPUSORT_LENGTH_BINS; bin-- > 0 && count > 0;) {
        uint32_t longest = min(count, batch.length_histogram[bin]);
        keys += longest * min(gpusort_bin_longest(bin), (uint64_t)batch.longest);
        count -= longest;
    }
    return min(keys, batch.nslots);
}

/* The tiled segments of a batch, in the order of their tiles. */
struct TileList {
    TiledSegment *segments = nullptr;
    unsigned long long *cursor = nullptr; /* segments << 40 | tiles */
    uint32_t nsegments = 0;
    uint32_t most_tiles = 0; /* an upper bound of the number of tiles, for launches */

    TileList() = default;

    TileList(const SegmentBatch &batch, uint32_t count, uint32_t tile, Workspace &workspace) : nsegments(count)
    {
        if (count != 0) {
            segments = workspace.take<TiledSegment>(count);
            cursor = workspace.take<unsigned long long>(1);
            most_tiles = (uint32_t)(most_keys(batch, count) / tile) + count;
        }
    }

    __device__ uint32_t ntiles() const
    {
        return (uint32_t)(*cursor & ((1ull << 40) - 1));
    }

    /* The place in the list of the segment of a tile below ntiles(). */
    __device__ uint32_t index_of(uint32_t tile) const
    {
        uint32_t low = 0, high = nsegments - 1;
        while (low < high) {
            uint32_t middle = (low + high + 1) / 2;
            if (segments[middle].first_tile <= tile)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }

    __device__ TiledSegment find(uint32_t tile) const
    {
        return segments[index_of(tile)];
    }

    cudaError_t fill(const BinView &bin, uint32_t tile, cudaStream_t stream) const;

    /* Numbers the tiles of the bin's segments. The cursor must be 0 already. */
    cudaError_t number(const BinView &bin, uint32_t tile, cudaStream_t stream) const;
};

static __global__ void number_tiles(BinView bin, uint32_t tile, TileList tiles)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bin.count)
        return;
    GpusortSegment segment = bin[i];
    unsigned long long old = atomicAdd(tiles.cursor, 1ull << 40 | ceil_div(segment.count, tile));
    tiles.segments[old >> 40] = {segment.start, segment.count, (uint32_t)(old & ((1ull << 40) - 1))};
}

inline cudaError_t TileList::number(const BinView &bin, uint32_t tile, cudaStream_t stream) const
{
    number_tiles<<<ceil_div(bin.count, 128), 128, 0, stream>>>(bin, tile, *this);
    return cudaGetLastError();
}

inline cudaError_t TileList::fill(const BinView &bin, uint32_t tile, cudaStream_t stream) const
{
    if (nsegments == 0)
        return cudaSuccess;
    cudaError_t error = cudaMemsetAsync(cursor, 0, sizeof *cursor, stream);
    return error != cudaSuccess ? error : number(bin, tile, stream);
}

/* A number that describes the current device, or 0 if the driver does not tell it. */
inline int device_attribute(cudaDeviceAttr attribute)
{
    int device, value;
    bool known =
        cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess;
    return known ? value : 0;
}

/* Lets a kernel use more than 48 KiB of dynamic shared memory. */
template <class Kernel>
cudaError_t allow_shared(Kernel kernel, size_t bytes)
{
    if (bytes <= 48 * 1024)
        return cudaSuccess;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}

}  // namespace gpusort

#endif /* GPUSORT_METHOD_COMMON_CUH */
