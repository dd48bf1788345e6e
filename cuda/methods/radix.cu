/*
 * radix.cu
 *	  Method radix, which is CUB, and the segments that are too long for networks.
 *
 * Method radix has two ways:
 *	  one by one	very long segments, and all if they are few.  DeviceRadixSort works on
 *					the keys in place, with a second buffer.  Needs host_segments
 *	  all at once	the others.  They are copied as codes, sorted by
 *					DeviceSegmentedRadixSort, which gives each a block, and copied back
 *
 * Segments too long for networks: the very long ones, each of which fills the device, are
 * sorted one by one as above; all others together, by counting (counting.cuh).
 *
 * One by one, the most common keys, float32 and int32 without a payload, are sorted in
 * CUB's own order.  Afterwards NaNs that are at the wrong end are moved, and zeros are
 * written in order, because CUB ignores their sign (radix_mending.cuh).  All other keys
 * have a key type of ours.  It gets form and direction at run time, so they need no code
 * of their own.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cuda/std/tuple>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "methods/key_codes.cuh"
#include "methods/counting.cuh"
#include "methods/methods.cuh"
#include "methods/radix.cuh"
#include "methods/radix_mending.cuh"

namespace gpusort
{

/* A key as CUB sees it. The Codec gives its order. */
template <class Codec>
struct RawKey {
    typename Codec::Key bits;
};

/*
 * A codec turns keys into codes and back.  It differs from key_codes.cuh in two things.
 * CUB fills up its last tile with the key whose code is all ones, so NaNs become the key
 * of that code, and with descending order -infinity is moved there.  And it must be
 * cheap, because each pass converts both ways.
 */
template <class Key_>
struct CodecBase {
    using Key = Key_;

    template <class Codec>
    __host__ __device__ static ::cuda::std::tuple<Key &> parts_of(RawKey<Codec> &key)
    {
        return {key.bits};
    }
};

__device__ __forceinline__ uint32_t float_order(uint32_t bits)
{
    return bits ^ (uint32_t(int32_t(bits) >> 31) & INT32_MAX);
}

__device__ __forceinline__ uint64_t float_order(uint64_t bits)
{
    return bits ^ (uint64_t(int64_t(bits) >> 63) & INT64_MAX);
}

/* For any form, given at run time. */
template <class Key>
struct AnyCodec : CodecBase<Key> {
    Key offset;
    bool is_float, descending, tied;

    __host__ __device__ auto operator()(RawKey<AnyCodec> &key) const
    {
        return CodecBase<Key>::parts_of(key);
    }

    __device__ __forceinline__ Key encode(Key bits) const
    {
        if constexpr (sizeof(Key) > 2)
            if (is_float) {
                constexpr Key sign = Key(1) << (8 * sizeof(Key) - 1);
                constexpr Key infinity = sizeof(Key) == 4 ? Key(0x7f800000) : Key(UINT64_C(0x7ff0000000000000));

                if ((bits & ~sign) > infinity)
                    bits = Key(~sign);
                if (tied && bits == sign)
                    bits = 0;
                bits = float_order(bits);
            }
        return Key(descending ? offset - bits : offset + bits);
    }

    __device__ __forceinline__ Key decode(Key code) const
    {
        const Key bits = Key(descending ? offset - code : code - offset);

        if constexpr (sizeof(Key) > 2)
            if (is_float)
                return float_order(bits);
        return bits;
    }
};

template <class Key>
AnyCodec<Key> any_codec(const GpusortSpec &spec)
{
    constexpr Key sign = Key(Key(1) << (8 * sizeof(Key) - 1));
    const bool is_signed = spec.form != GPUSORT_KEY_UINT32 && spec.form != GPUSORT_KEY_UINT64;
    AnyCodec<Key> codec = {};

    codec.is_float = spec.form == GPUSORT_KEY_FLOAT32 || spec.form == GPUSORT_KEY_FLOAT64;
    codec.descending = spec.descending;
    codec.tied = spec.payload != GPUSORT_PAYLOAD_NONE;
    codec.offset = is_signed ? sign : 0;
    if (spec.descending)
        codec.offset = Key(~codec.offset);
    if (spec.descending && codec.is_float)
        codec.offset += Key(sizeof(Key) == 4 ? UINT64_C(0x007fffff) : UINT64_C(0x000fffffffffffff));
    return codec;
}

template <class Key>
struct CodeDigit {
    uint32_t bit, mask;

    __device__ __forceinline__ uint32_t Digit(Key code) const
    {
        return uint32_t(code >> bit) & mask;
    }
};

template <class Codec>
struct RawKeyConversion {
    using Key = typename Codec::Key;

    static __host__ __device__ __forceinline__ Key to_bit_ordered(const Codec &codec, Key bits)
    {
#ifdef __CUDA_ARCH__
        return codec.encode(bits);
#else
        return bits;
#endif
    }

    static __host__ __device__ __forceinline__ Key from_bit_ordered(const Codec &codec, Key code)
    {
#ifdef __CUDA_ARCH__
        return codec.decode(code);
#else
        return code;
#endif
    }
};

template <class Codec>
struct RawKeyInversion {
    using Key = typename Codec::Key;

    static __host__ __device__ __forceinline__ Key inverse(const Codec &, Key code)
    {
        return ~code;
    }
};

}  // namespace gpusort

CUB_NAMESPACE_BEGIN
namespace detail
{
namespace radix
{

template <class Codec>
struct traits_t<gpusort::RawKey<Codec>, false> {
    using bit_ordered_type = typename Codec::Key;
    using bit_ordered_conversion_policy = gpusort::RawKeyConversion<Codec>;
    using bit_ordered_inversion_policy = gpusort::RawKeyInversion<Codec>;
    template <class, class>
    using digit_extractor_t = gpusort::CodeDigit<bit_ordered_type>;

    static __host__ __device__ bit_ordered_type min_raw_binary_key(const Codec &codec)
    {
        return bit_ordered_conversion_policy::from_bit_ordered(codec, 0);
    }

    static __host__ __device__ bit_ordered_type max_raw_binary_key(const Codec &codec)
    {
        return bit_ordered_conversion_policy::from_bit_ordered(codec, bit_ordered_type(~bit_ordered_type(0)));
    }

    static __host__ __device__ int default_end_bit(const Codec &)
    {
        return 8 * sizeof(bit_ordered_type);
    }

    template <class>
    static __host__ __device__ gpusort::CodeDigit<bit_ordered_type> digit_extractor(int begin_bit, int num_bits,
                                                                                    const Codec &)
    {
        return {uint32_t(begin_bit), (1u << num_bits) - 1};
    }
};

}  // namespace radix
}  // namespace detail
CUB_NAMESPACE_END

namespace gpusort
{

namespace
{

/* Segments of longer classes are sorted one by one. Method radix does so with shorter ones too, if they are few. */
constexpr uint32_t LONG_CLASS = 22;
constexpr uint32_t LONG = 1 << LONG_CLASS;
constexpr uint32_t FEW_SEGMENTS = 100;

constexpr int COPY_THREADS = 512;
constexpr uint32_t BLOCKS_PER_SEGMENT = 8;

size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* How many keys of a segment the sort of all at once takes: all, or none if the segment is sorted otherwise. */
struct Selected {
    const GpusortSegment *segments;
    uint32_t longest;

    __device__ GpusortSegment operator[](uint32_t number) const
    {
        GpusortSegment segment = segments[number];

        if (segment.count > longest)
            segment.count = 0;
        return segment;
    }
};

struct SelectedBegin {
    Selected selected;

    __device__ int operator()(int number) const
    {
        return int(selected[number].start);
    }
};

struct SelectedEnd {
    Selected selected;

    __device__ int operator()(int number) const
    {
        const GpusortSegment segment = selected[number];

        return int(segment.start + segment.count);
    }
};

/* Copies keys as codes, and makes positions or copies the payload. */
template <class Key>
__global__ void __launch_bounds__(COPY_THREADS)
    copy_codes(const Key *keys, const uint32_t *payload, Selected selected, Coding coding, GpusortPayload kind,
               Key *codes, uint32_t *values)
{
    const GpusortSegment segment = selected[blockIdx.x / BLOCKS_PER_SEGMENT];

    for (uint32_t i = blockIdx.x % BLOCKS_PER_SEGMENT * COPY_THREADS + threadIdx.x; i < segment.count;
         i += BLOCKS_PER_SEGMENT * COPY_THREADS) {
        codes[segment.start + i] = encode(coding, keys[segment.start + i]);
        if (kind != GPUSORT_PAYLOAD_NONE)
            values[segment.start + i] = kind == GPUSORT_PAYLOAD_INDEX ? i : payload[segment.start + i];
    }
}

/* Copies the first `limit` entries of each segment back. */
template <class Key>
__global__ void __launch_bounds__(COPY_THREADS)
    copy_results(Key *keys, uint32_t *payload, Selected selected, Coding coding, uint64_t limit, const Key *codes,
                 const uint32_t *values)
{
    GpusortSegment segment = selected[blockIdx.x / BLOCKS_PER_SEGMENT];

    if (limit < segment.count)
        segment.count = uint32_t(limit);
    for (uint32_t i = blockIdx.x % BLOCKS_PER_SEGMENT * COPY_THREADS + threadIdx.x; i < segment.count;
         i += BLOCKS_PER_SEGMENT * COPY_THREADS) {
        if (values)
            payload[segment.start + i] = values[segment.start + i];
        else
            keys[segment.start + i] = decode(coding, codes[segment.start + i]);
    }
}

__global__ void __launch_bounds__(COPY_THREADS) write_positions(uint32_t *payload, uint32_t count)
{
    const uint64_t i = uint64_t(blockIdx.x) * COPY_THREADS + threadIdx.x;

    if (i < count)
        payload[i] = uint32_t(i);
}

/* Sorts one segment in place, with a second buffer. With space == nullptr only sets CUB's temporary bytes. */
template <class Codec>
cudaError_t sort_by_codec(const SegmentBatch &batch, const GpusortSegment &segment, const Codec &codec, bool pairs,
                          void *space, size_t *bytes, cudaStream_t stream)
{
    using Key = typename Codec::Key;
    const size_t key_room = aligned(size_t(segment.count) * sizeof(Key));
    const size_t value_room = pairs ? aligned(size_t(segment.count) * sizeof(uint32_t)) : 0;
    char *base = static_cast<char *>(space);
    RawKey<Codec> *keys = static_cast<RawKey<Codec> *>(batch.keys) + segment.start;
    uint32_t *payload = batch.payload + segment.start;
    cub::DoubleBuffer<RawKey<Codec>> both_keys(keys, reinterpret_cast<RawKey<Codec> *>(base));
    cub::DoubleBuffer<uint32_t> both_values(payload, reinterpret_cast<uint32_t *>(base + key_room));
    void *temporary = space ? base + key_room + value_room : nullptr;
    size_t temporary_bytes = space ? *bytes - key_room - value_room : 0;
    cudaError_t error;

    if (space && batch.spec.payload == GPUSORT_PAYLOAD_INDEX && segment.count > 0)
        write_positions<<<(segment.count - 1) / COPY_THREADS + 1, COPY_THREADS, 0, stream>>>(payload, segment.count);
    if (pairs)
        error = cub::DeviceRadixSort::SortPairs(temporary, temporary_bytes, both_keys, both_values, segment.count,
                                                codec, stream);
    else
        error = cub::DeviceRadixSort::SortKeys(temporary, temporary_bytes, both_keys, segment.count, codec, stream);
    if (!space) {
        *bytes = key_room + value_room + aligned(temporary_bytes);
        return error;
    }
    if (error == cudaSuccess && pairs && both_values.Current() != payload)
        error = cudaMemcpyAsync(payload, both_values.Current(), size_t(segment.count) * sizeof(uint32_t),
                                cudaMemcpyDeviceToDevice, stream);
    if (error == cudaSuccess && !pairs && both_keys.Current() != keys)
        error = cudaMemcpyAsync(keys, both_keys.Current(), size_t(segment.count) * sizeof(Key),
                                cudaMemcpyDeviceToDevice, stream);
    return error;
}

/* Sorts a segment of 32-bit keys in CUB's own order, which differs from ours only for NaNs with a sign and zeros. */
template <class Key>
cudaError_t sort_native(const SegmentBatch &batch, const GpusortSegment &segment, void *space, size_t *bytes,
                        cudaStream_t stream)
{
    const bool descending = batch.spec.descending;
    const size_t key_room = aligned(size_t(segment.count) * sizeof(Key));
    char *base = static_cast<char *>(space);
    Key *keys = static_cast<Key *>(batch.keys) + segment.start;
    cub::DoubleBuffer<Key> both(keys, reinterpret_cast<Key *>(base));
    void *temporary = space ? base + key_room : nullptr;
    size_t temporary_bytes = space ? *bytes - key_room - MENDING_BYTES : 0;
    cudaError_t error = descending
                            ? cub::DeviceRadixSort::SortKeysDescending(temporary, temporary_bytes, both, segment.count,
                                                                       0, 8 * int(sizeof(Key)), stream)
                            : cub::DeviceRadixSort::SortKeys(temporary, temporary_bytes, both, segment.count, 0,
                                                             8 * int(sizeof(Key)), stream);

    if (!space) {
        *bytes = key_room + aligned(temporary_bytes + MENDING_BYTES);
        return error;
    }
    if (error == cudaSuccess && both.Current() != keys)
        error = cudaMemcpyAsync(keys, both.Current(), size_t(segment.count) * sizeof(Key), cudaMemcpyDeviceToDevice,
                                stream);
    if constexpr (std::is_same_v<Key, float>)
        if (error == cudaSuccess && segment.count > 0) {
            Mending *mending = reinterpret_cast<Mending *>(base + (*bytes - MENDING_BYTES) / 4 * 4);

            error = mend_order(keys, reinterpret_cast<Key *>(base), segment.count, descending, mending, stream);
        }
    return error;
}

template <class Key>
cudaError_t sort_one(const SegmentBatch &batch, const GpusortSegment &segment, void *space, size_t *bytes,
                     cudaStream_t stream)
{
    if (batch.spec.payload == GPUSORT_PAYLOAD_NONE && batch.spec.form == GPUSORT_KEY_FLOAT32)
        return sort_native<float>(batch, segment, space, bytes, stream);
    if (batch.spec.payload == GPUSORT_PAYLOAD_NONE && batch.spec.form == GPUSORT_KEY_INT32)
        return sort_native<int32_t>(batch, segment, space, bytes, stream);
    return sort_by_codec(batch, segment, any_codec<Key>(batch.spec), batch.spec.payload != GPUSORT_PAYLOAD_NONE, space,
                         bytes, stream);
}

/* Sorts the selected segments at once. With space == nullptr only sets the bytes it needs. */
template <class Key>
cudaError_t sort_all(const SegmentBatch &batch, const Selected &selected, uint32_t count, void *space, size_t *bytes,
                     cudaStream_t stream)
{
    const bool pairs = batch.spec.payload != GPUSORT_PAYLOAD_NONE;
    const size_t key_room = aligned(batch.nslots * sizeof(Key));
    const size_t value_room = pairs ? aligned(batch.nslots * sizeof(uint32_t)) : 0;
    char *base = static_cast<char *>(space);
    cub::DoubleBuffer<Key> both_codes(reinterpret_cast<Key *>(base), reinterpret_cast<Key *>(base + key_room));
    cub::DoubleBuffer<uint32_t> both_values(reinterpret_cast<uint32_t *>(base + 2 * key_room),
                                            reinterpret_cast<uint32_t *>(base + 2 * key_room + value_room));
    const auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator(0), SelectedBegin{selected});
    const auto end = thrust::make_transform_iterator(thrust::make_counting_iterator(0), SelectedEnd{selected});
    void *temporary = space ? base + 2 * (key_room + value_room) : nullptr;
    size_t temporary_bytes = space ? *bytes - 2 * (key_room + value_room) : 0;
    cudaError_t error;

    if (batch.nslots > INT32_MAX)
        return cudaErrorNotSupported;
    if (space)
        copy_codes<Key><<<count * BLOCKS_PER_SEGMENT, COPY_THREADS, 0, stream>>>(
            static_cast<const Key *>(batch.keys), batch.payload, selected, coding_of(batch.spec), batch.spec.payload,
            both_codes.Current(), both_values.Current());
    if (pairs)
        error = cub::DeviceSegmentedRadixSort::SortPairs(temporary, temporary_bytes, both_codes, both_values,
                                                         int(batch.nslots), int(count), begin, end, 0,
                                                         8 * int(sizeof(Key)), stream);
    else
        error = cub::DeviceSegmentedRadixSort::SortKeys(temporary, temporary_bytes, both_codes, int(batch.nslots),
                                                        int(count), begin, end, 0, 8 * int(sizeof(Key)), stream);
    if (!space) {
        *bytes = 2 * (key_room + value_room) + aligned(temporary_bytes);
        return error;
    }
    if (error == cudaSuccess) {
        copy_results<Key><<<count * BLOCKS_PER_SEGMENT, COPY_THREADS, 0, stream>>>(
            static_cast<Key *>(batch.keys), batch.payload, selected, coding_of(batch.spec),
            batch.spec.limit == 0 ? UINT64_MAX : batch.spec.limit, both_codes.Current(),
            pairs ? both_values.Current() : nullptr);
        error = cudaGetLastError();
    }
    return error;
}

/*
 * The first segment from `number` on that has more than longer_than keys, or the number of segments.  Looks at
 * many together, because the device waits for it and a few long ones may lie among a million.
 */
uint32_t next_longer(const SegmentBatch &batch, uint32_t number, uint32_t longer_than)
{
    constexpr uint32_t TOGETHER = 64;
    const GpusortSegment *segments = batch.host_segments;

    for (; number + TOGETHER <= batch.nsegments; number += TOGETHER) {
        uint32_t found = 0;

        for (uint32_t i = 0; i < TOGETHER; i++)
            found |= segments[number + i].count > longer_than;
        if (found)
            break;
    }
    while (number < batch.nsegments && segments[number].count <= longer_than)
        number++;
    return number;
}

/* Sorts segments of more than this many keys one by one. With space == nullptr only sets the bytes it needs. */
template <class Key>
cudaError_t sort_apart(const SegmentBatch &batch, uint32_t longer_than, void *space, size_t *bytes, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    if (!space)
        return sort_one<Key>(batch, {0, batch.longest}, nullptr, bytes, stream);
    for (uint32_t i = next_longer(batch, 0, longer_than); i < batch.nsegments && error == cudaSuccess;
         i = next_longer(batch, i + 1, longer_than))
        error = sort_one<Key>(batch, batch.host_segments[i], space, bytes, stream);
    return error;
}

/* How many segments of the batch have at least the class first_class. */
uint32_t longer_ones(const SegmentBatch &batch, uint32_t first_class)
{
    uint32_t count = 0;

    for (uint32_t c = first_class; c < GPUSORT_LENGTH_CLASSES; c++)
        count += gpusort_class_count(batch.length_histogram, c);
    return count;
}

/* Method radix: very long segments one by one, the others at once. If they are few, all one by one. */
template <class Key>
cudaError_t sort_by_cub(const SegmentBatch &batch, void *space, size_t *bytes, cudaStream_t stream)
{
    const uint32_t apart = batch.host_segments ? longer_ones(batch, LONG_CLASS + 1) : 0;
    const bool few = batch.host_segments && batch.nsegments - apart <= FEW_SEGMENTS;
    const size_t all_bytes = *bytes;
    size_t apart_bytes = all_bytes;
    cudaError_t error = cudaSuccess;

    *bytes = space ? all_bytes : 0;
    if (!few && batch.nsegments > apart)
        error = sort_all<Key>(batch, {batch.segments, apart > 0 ? LONG : UINT32_MAX}, batch.nsegments, space, bytes,
                              stream);
    if (error == cudaSuccess && (few || apart > 0)) {
        error = sort_apart<Key>(batch, few ? 0 : LONG, space, &apart_bytes, stream);
        *bytes = apart_bytes > *bytes ? apart_bytes : *bytes;
    }
    return error;
}

/* Segments too long for networks: very long ones one by one, the others by counting. */
template <class Key>
cudaError_t sort_beyond_networks(const SegmentBatch &batch, const LongSegments &segments, void *space, size_t *bytes,
                                 cudaStream_t stream)
{
    const uint32_t apart = batch.host_segments ? longer_ones(batch, LONG_CLASS + 1) : 0;
    const BinView counted = {segments.segments, nullptr, segments.count - apart};
    cudaError_t error = cudaSuccess;
    size_t counted_bytes = 0, apart_bytes = space ? *bytes : 0;

    if (counted.count > 0 && space)
        error = sort_by_counting(batch, counted, space, stream);
    else if (counted.count > 0)
        counted_bytes = counting_bytes(batch, counted.count);
    if (apart > 0 && error == cudaSuccess)
        error = sort_apart<Key>(batch, LONG, space, &apart_bytes, stream);
    if (!space)
        *bytes = counted_bytes > apart_bytes ? counted_bytes : apart_bytes;
    return error;
}

const char *radix_refuses(const GpusortSpec &spec)
{
    return spec.buckets > 0 ? "the radix sort gives exact order only" : nullptr;
}

size_t radix_workspace_bytes(const SegmentBatch &batch)
{
    size_t bytes = 0;

    visit_key(batch.spec, [&](auto key) { return sort_by_cub<decltype(key)>(batch, nullptr, &bytes, nullptr); });
    return bytes;
}

cudaError_t radix_sort(const SegmentBatch &batch, void *workspace, size_t bytes, cudaStream_t stream)
{
    return visit_key(batch.spec,
                     [&](auto key) { return sort_by_cub<decltype(key)>(batch, workspace, &bytes, stream); });
}

}  // namespace

size_t long_workspace_bytes(const SegmentBatch &batch, const LongSegments &segments)
{
    size_t bytes = 0;

    visit_key(batch.spec,
              [&](auto key) { return sort_beyond_networks<decltype(key)>(batch, segments, nullptr, &bytes, nullptr); });
    return bytes;
}

cudaError_t sort_long(const SegmentBatch &batch, const LongSegments &segments, void *workspace, size_t bytes,
                      cudaStream_t stream)
{
    return visit_key(batch.spec, [&](auto key) {
        return sort_beyond_networks<decltype(key)>(batch, segments, workspace, &bytes, stream);
    });
}

const Method radix_method = {radix_refuses, radix_workspace_bytes, radix_sort};

}  // namespace gpusort
