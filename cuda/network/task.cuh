/*
 * task.cuh
 *	  What a launch of a network is given, and rows of elements in shared memory.
 */
#ifndef GPUSORT_NETWORK_TASK_CUH
#define GPUSORT_NETWORK_TASK_CUH

#include "network/elements.cuh"

namespace gpusort
{

/* Arguments of a launch: the segments of one shape. */
struct NetworkTask {
    void *keys;
    uint32_t *payload;
    const GpusortSegment *segments;
    uint32_t count;
    bool grouped; /* segments that fit the shorter rows are adjacent, or all segments fit them */
    NetworkCoding coding;
    GpusortPayload kind;
    NetworkFactors factors;
    int cluster_bits; /* binary logarithm of the blocks that share a segment */
};

/* The same in a kernel for clusters of up to 2^MOST blocks. */
template <int MOST>
__device__ __forceinline__ int cluster_bits_of(const NetworkTask &task)
{
    return MOST > 1 ? task.cluster_bits : MOST;
}

constexpr __host__ __device__ int log2_of(int n)
{
    return n <= 1 ? 0 : 1 + log2_of(n / 2);
}

template <int COUNT, class Code>
struct alignas(COUNT * sizeof(Code)) Chunk {
    Code part[COUNT];
};

/* COUNT raw keys as they lie in device memory, held in words: a register per 16-bit key would be too many. */
template <int COUNT, class Key>
struct alignas(COUNT * sizeof(Key)) RawChunk {
    static constexpr int WORDS = COUNT * int(sizeof(Key)) / 4;
    uint32_t words[WORDS];

    __device__ __forceinline__ Key part(int i) const
    {
        if constexpr (sizeof(Key) == 2)
            return Key(words[i / 2] >> i % 2 * 16);
        else if constexpr (sizeof(Key) == 4)
            return words[i];
        else
            return uint64_t(words[2 * i + 1]) << 32 | words[2 * i];
    }

    __device__ __forceinline__ void put(int i, Key key)
    {
        if constexpr (sizeof(Key) == 2)
            words[i / 2] = __byte_perm(words[i / 2], key, i % 2 == 0 ? 0x3254 : 0x5410);
        else if constexpr (sizeof(Key) == 4)
            words[i] = key;
        else {
            words[2 * i] = uint32_t(key);
            words[2 * i + 1] = uint32_t(key >> 32);
        }
    }
};

/* Stores a chunk or not, without a branch into which the compiler would move what makes the chunk. */
template <int COUNT, class Key>
__device__ __forceinline__ void store_if(bool condition, Key *target, const RawChunk<COUNT, Key> &chunk)
{
    const uint32_t *words = chunk.words;

    if constexpr (RawChunk<COUNT, Key>::WORDS == 4)
        asm volatile(
            "{\n\t.reg .pred wanted;\n\t"
            "setp.ne.u32 wanted, %0, 0;\n\t"
            "@wanted st.global.v4.b32 [%1], {%2, %3, %4, %5};\n\t}"
            :
            : "r"(uint32_t(condition)), "l"(target), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
            : "memory");
    else
        asm volatile(
            "{\n\t.reg .pred wanted;\n\t"
            "setp.ne.u32 wanted, %0, 0;\n\t"
            "@wanted st.global.v2.b32 [%1], {%2, %3};\n\t}"
            :
            : "r"(uint32_t(condition)), "l"(target), "r"(words[0]), "r"(words[1])
            : "memory");
}

/* The geometry of rows of ROW elements in shared memory. */
template <class Element, int ROW_>
struct Shape {
    using Code = typename Element::Code;
    static constexpr int ROW = ROW_;
    static constexpr int CHUNK = 16 / int(sizeof(Code));
    static constexpr int STRIDE = ROW + CHUNK;
    static constexpr int CHUNKS = ROW / CHUNK;
    static constexpr int COLUMN_BITS = log2_of(ROW & -ROW); /* lane bits that one pass can take */
};

/* The same in chunks of 16 bytes of keys, for reading them where codes are longer. */
template <class Element, int ROW>
struct KeyShape : Shape<Element, ROW> {
    static constexpr int WHOLE_CHUNK = 16 / int(sizeof(typename Element::Key));
    static constexpr int CHUNK = WHOLE_CHUNK < ROW ? WHOLE_CHUNK : ROW;
    static constexpr int CHUNKS = ROW / CHUNK;
};

template <class S, class Code>
__device__ __forceinline__ void store_row(Code *rows, uint32_t index, const Code (&row)[S::ROW])
{
    Code *target = rows + index * S::STRIDE;

#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        Chunk<S::CHUNK, Code> chunk;

#pragma unroll
        for (int j = 0; j < S::CHUNK; j++)
            chunk.part[j] = row[i * S::CHUNK + j];
        *reinterpret_cast<Chunk<S::CHUNK, Code> *>(target + i * S::CHUNK) = chunk;
    }
}

template <class S, class Code>
__device__ __forceinline__ void load_row(const Code *rows, uint32_t index, Code (&row)[S::ROW])
{
    const Code *source = rows + index * S::STRIDE;

#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        const Chunk<S::CHUNK, Code> chunk = *reinterpret_cast<const Chunk<S::CHUNK, Code> *>(source + i * S::CHUNK);

#pragma unroll
        for (int j = 0; j < S::CHUNK; j++)
            row[i * S::CHUNK + j] = chunk.part[j];
    }
}

/* Where chunk i * 32 + lane of a warp's rows lies: lanes' and chunks' shares apart, where that can be. */
template <class S>
__device__ __forceinline__ uint32_t place_of_chunk(int i, uint32_t lane)
{
    constexpr uint32_t STEP = 32 * S::CHUNK;
    const uint32_t first = lane * S::CHUNK, index = i * STEP + first;

    if constexpr (STEP % S::ROW == 0)
        return i * (STEP / S::ROW * S::STRIDE) + first / S::ROW * S::STRIDE + first % S::ROW;
    else
        return index / S::ROW * S::STRIDE + index % S::ROW;
}

/*
 * The same place in device memory.  The compiler must not see its sum, or it would make an address of four
 * instructions of each place that lies at a distance from it.
 */
template <class Key>
__device__ __forceinline__ Key *as_address(Key *place)
{
    size_t address = __cvta_generic_to_global(place);

    asm("" : "+l"(address));
    return static_cast<Key *>(__cvta_global_to_generic(address));
}

/* A segment as a group of threads sees it. */
struct Part {
    uint32_t start, count;
};

template <class Element>
__device__ __forceinline__ typename Element::Key *keys_of(const NetworkTask &task, const Part &part)
{
    return static_cast<typename Element::Key *>(task.keys) + part.start;
}

__device__ __forceinline__ Part part_of(const NetworkTask &task, uint32_t number)
{
    Part part = {0, 0};

    if (number < task.count) {
        const GpusortSegment segment = task.segments[number];

        part = {segment.start, segment.count};
    }
    return part;
}

/* Whether a segment's keys are sorted alone: where they come from does not matter then. */
template <class Element>
constexpr bool ALONE = !Element::PAIRS;

/* Whether the warp's segments begin and end in whole chunks. */
template <class S>
__device__ __forceinline__ bool all_whole(const Part &part)
{
    return __all_sync(UINT32_MAX, (part.start | part.count) % S::CHUNK == 0);
}

/*
 * A segment's frame is the chunks around it.  In the rows that hold a frame keys that sort first take the places
 * before the segment, so that sorted keys lie in the rows as they do in memory.
 */
template <class S>
__device__ __forceinline__ uint32_t skew_of(const Part &part)
{
    return part.start % S::CHUNK;
}

/* Whether `slots` hold the frame of each of the warp's segments, and none that is not empty is a part of one chunk. */
template <class S>
__device__ __forceinline__ bool all_framed(const Part &part, uint32_t slots)
{
    const uint32_t skew = skew_of<S>(part);

    return __all_sync(UINT32_MAX, part.count + skew <= slots && part.count - 1 >= S::CHUNK - 1 - skew);
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_TASK_CUH */
