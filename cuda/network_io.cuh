/*
 * network_io.cuh
 *	  Keys on their way from segments to lanes' rows and back.
 *
 * Any alignment: a segment's keys are read in 16-byte chunks of the aligned memory
 * around it.  The order in which keys enter does not matter, so the keys that such
 * a frame leaves over at its end go to the places before the segment's start.
 *
 * Sorted rows lie in shared memory before they are written, so that neighbouring lanes
 * write neighbouring keys.
 */
#ifndef GPUSORT_NETWORK_IO_CUH
#define GPUSORT_NETWORK_IO_CUH

#include <cuda_pipeline_primitives.h>

#include "network_elements.cuh"

namespace gpusort
{

/* Arguments of a launch: the segments of one shape. */
struct NetworkTask {
    void *keys;
    uint32_t *payload;
    const GpusortSegment *segments;
    const uint32_t *ids; /* which of the segments; nullptr: all, in order */
    uint32_t count;
    uint32_t limit; /* entries wanted of each segment */
    NetworkCoding coding;
    GpusortPayload kind;
    NetworkFactors factors;
};

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
        const GpusortSegment segment = task.segments[task.ids ? task.ids[number] : number];

        part = {segment.start, segment.count};
    }
    return part;
}

/*
 * Reads keys of a segment: the chunks first_chunk, first_chunk + step, … of its frame
 * of `slots` keys.  Whole chunks are all asked for before any is looked at.  With LEAST,
 * the segment has more keys than that, and first_chunk is below step.
 */
template <class Element, class S, int LEAST>
__device__ __forceinline__ void read_keys(const NetworkTask &task, const Part &part, uint32_t first_chunk,
                                          uint32_t step, uint32_t slots,
                                          RawChunk<S::CHUNK, typename Element::Key> (&raw)[S::CHUNKS])
{
    using Key = typename Element::Key;
    using KeyChunk = RawChunk<S::CHUNK, Key>;
    const Key *keys = keys_of<Element>(task, part);
    const Key last = Element::last(task.coding);
    const int count = int(part.count), skew = int(part.start % S::CHUNK);
    const int first = int(first_chunk) * S::CHUNK - skew;

#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        const int distance = int(i * step) * S::CHUNK;

        if (i > 0 && int((i + 1) * step) * S::CHUNK <= LEAST) {
            raw[i] = *reinterpret_cast<const KeyChunk *>(keys + first + distance);
            continue;
        }
#pragma unroll
        for (int j = 0; j < S::CHUNK; j++)
            raw[i].put(j, last);
        if ((i > 0 || first >= 0) && count - first - S::CHUNK >= distance)
            raw[i] = *reinterpret_cast<const KeyChunk *>(keys + first + distance);
    }
    if (skew == 0 && count % S::CHUNK == 0)
        return;
#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        const int position = int((first_chunk + i * step) * S::CHUNK) - skew;

        if (position < 0 || (position < count && position + S::CHUNK > count)) {
#pragma unroll
            for (int j = 0; j < S::CHUNK; j++) {
                const int p = position + j >= 0 ? position + j : int(slots) + position + j;

                if (p < count)
                    raw[i].put(j, keys[p]);
            }
        }
    }
}

/* Reads keys, as read_keys does, and makes the lane's row of them. */
template <class Element, class S, int LEAST = 0>
__device__ __forceinline__ void read_row(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                         uint32_t first_chunk, uint32_t step, uint32_t slots,
                                         typename Element::Code (&row)[S::ROW])
{
    using Key = typename Element::Key;
    RawChunk<S::CHUNK, typename Element::Key> raw[Element::SEGMENTS][S::CHUNKS];

#pragma unroll
    for (int half = 0; half < Element::SEGMENTS; half++)
        read_keys<Element, S, LEAST>(task, parts[half], first_chunk, step, slots, raw[half]);
    if constexpr (Element::SEGMENTS == 1) {
        const int skew = int(parts[0].start % S::CHUNK);

#pragma unroll
        for (int i = 0; i < S::CHUNKS; i++)
#pragma unroll
            for (int j = 0; j < S::CHUNK; j++) {
                const int place = int((first_chunk + i * step) * S::CHUNK) - skew + j;

                row[i * S::CHUNK + j] = Element::make(task.coding, raw[0][i].part(j),
                                                      uint32_t(i > 0 || place >= 0 ? place : int(slots) + place));
            }
    } else {
#pragma unroll
        for (int i = 0; i < S::CHUNKS; i++)
#pragma unroll
            for (int j = 0; j < S::CHUNK; j += 2)
                Element::make(task.coding, raw[0][i].words[j / 2], raw[Element::SEGMENTS - 1][i].words[j / 2],
                              row[i * S::CHUNK + j], row[i * S::CHUNK + j + 1]);
    }
}

/* Where entries of a warp's rows belong: each group of GROUP_ROWS rows has a segment. */
template <int GROUP_ROWS>
__device__ __forceinline__ Part owner_of(const NetworkTask &task, const Part &part, uint32_t group)
{
    Part owner = part;

    if (GROUP_ROWS < 32) {
        owner.start = __shfl_sync(UINT32_MAX, part.start, group * GROUP_ROWS);
        owner.count = __shfl_sync(UINT32_MAX, part.count, group * GROUP_ROWS);
    }
    owner.count = min(owner.count, task.limit);
    return owner;
}

/*
 * Reads the rows of segments that have a lane each: by way of shared memory, for a lane's
 * own keys lie far from its neighbours'.
 */
template <class Element, class S>
__device__ __forceinline__ void read_staged(const NetworkTask &task, const Part &part,
                                            typename Element::Code *warp_rows, uint32_t lane,
                                            typename Element::Code (&row)[S::ROW])
{
    using Key = typename Element::Key;
    using KeyChunk = Chunk<S::CHUNK, Key>;
    Key *staged = reinterpret_cast<Key *>(warp_rows);
    const Key *keys = static_cast<const Key *>(task.keys);
    const Key last = Element::last(task.coding);

    if (__all_sync(UINT32_MAX, (part.start | part.count) % S::CHUNK == 0)) {
#pragma unroll
        for (int i = 0; i < S::CHUNKS; i++) {
            const uint32_t index = (i * 32 + lane) * S::CHUNK, position = index % S::ROW;
            const uint32_t start = __shfl_sync(UINT32_MAX, part.start, index / S::ROW);
            const uint32_t count = __shfl_sync(UINT32_MAX, part.count, index / S::ROW);
            Key *target = staged + index / S::ROW * S::STRIDE + index % S::ROW;

            if (position < count)
                __pipeline_memcpy_async(target, keys + start + position, 16);
            else {
                KeyChunk lasts;

#pragma unroll
                for (int j = 0; j < S::CHUNK; j++)
                    lasts.part[j] = last;
                *reinterpret_cast<KeyChunk *>(target) = lasts;
            }
        }
    } else {
#pragma unroll 4
        for (int i = 0; i < S::ROW; i++) {
            const uint32_t index = i * 32 + lane, position = index % S::ROW;
            const uint32_t start = __shfl_sync(UINT32_MAX, part.start, index / S::ROW);
            const uint32_t count = __shfl_sync(UINT32_MAX, part.count, index / S::ROW);
            Key *target = staged + index / S::ROW * S::STRIDE + index % S::ROW;

            if (position < count)
                __pipeline_memcpy_async(target, keys + start + position, sizeof(Key));
            else
                *target = last;
        }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    load_row<S>(warp_rows, lane, row);
#pragma unroll
    for (int i = 0; i < S::ROW; i++)
        row[i] = Element::make(task.coding, row[i], 0);
}

/*
 * The same for segments that have LANES lanes each, in whole chunks: a segment's frame,
 * the chunks of aligned memory that hold its keys, is one chunk longer than its rows at
 * most, and that goes to the padding of the last row.
 */
template <class Element, class S, int LANES>
__device__ __forceinline__ void read_frames(const NetworkTask &task, const Part &part,
                                            typename Element::Code *warp_rows, uint32_t lane,
                                            typename Element::Code (&row)[S::ROW])
{
    using Key = typename Element::Key;
    constexpr uint32_t GROUP = LANES * S::ROW;
    Key *staged = reinterpret_cast<Key *>(warp_rows);
    Key *first_row = staged + lane / LANES * LANES * S::STRIDE, *padding = first_row + (LANES - 1) * S::STRIDE + S::ROW;
    const Key *keys = static_cast<const Key *>(task.keys);
    const Key last = Element::last(task.coding);
    const uint32_t skew = part.start % S::CHUNK, end = skew + part.count;
    Chunk<S::CHUNK, Key> lasts;

#pragma unroll
    for (int j = 0; j < S::CHUNK; j++)
        lasts.part[j] = last;
#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        const uint32_t index = (i * 32 + lane) * S::CHUNK, place = index % GROUP;
        const uint32_t frame = __shfl_sync(UINT32_MAX, part.start - skew, index / GROUP * LANES);
        const uint32_t frame_end = __shfl_sync(UINT32_MAX, end, index / GROUP * LANES);
        Key *target = staged + index / S::ROW * S::STRIDE + index % S::ROW;

        if (place < frame_end)
            __pipeline_memcpy_async(target, keys + frame + place, 16);
        else
            *reinterpret_cast<Chunk<S::CHUNK, Key> *>(target) = lasts;
    }
    if (GROUP < end && lane % LANES == 0)
        __pipeline_memcpy_async(padding, keys + part.start - skew + GROUP, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();

    /* What of the frame is not the segment's: its end gets the last key, its start what the padding holds. */
    if (lane % LANES == 0) {
#pragma unroll
        for (uint32_t j = 0; j < S::CHUNK - 1; j++) {
            if (j < -end % S::CHUNK && end + j < GROUP)
                first_row[(end + j) / S::ROW * S::STRIDE + (end + j) % S::ROW] = last;
            if (j < skew)
                first_row[j] = GROUP + j < end ? padding[j] : last;
        }
    }
    __syncwarp();
    load_row<S>(warp_rows, lane, row);
#pragma unroll
    for (int i = 0; i < S::ROW; i++)
        row[i] = Element::make(task.coding, row[i], 0);
}

/* Keys of one segment from the codes of neighbouring places. */
template <class Element, int CHUNK>
__device__ __forceinline__ RawChunk<CHUNK, typename Element::Key> keys_of_codes(const NetworkCoding &coding,
                                                                                const typename Element::Code *codes,
                                                                                int half)
{
    RawChunk<CHUNK, typename Element::Key> chunk;

    if constexpr (Element::SEGMENTS == 1) {
#pragma unroll
        for (int j = 0; j < CHUNK; j++)
            chunk.put(j, Element::key(coding, codes[j]));
    } else {
#pragma unroll
        for (int j = 0; j < CHUNK; j += 2)
            chunk.words[j / 2] = Element::keys(coding, codes[j], codes[j + 1], half);
    }
    return chunk;
}

/*
 * Writes the rows of a warp's groups to segments that start anywhere: in whole chunks of
 * aligned memory, each of which holds the last keys of one chunk of the rows and the
 * first of the next.
 */
template <class Element, class S, int GROUP_ROWS>
__device__ __forceinline__ void write_shifted(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                              const typename Element::Code *warp_rows, uint32_t lane)
{
    using Key = typename Element::Key;
    using Code = typename Element::Code;
    using CodeChunk = Chunk<S::CHUNK, Code>;
    constexpr uint32_t GROUP = GROUP_ROWS * S::ROW;

#pragma unroll 2
    for (int i = 0; i < S::CHUNKS; i++) {
        const uint32_t index = (i * 32 + lane) * S::CHUNK, place = index % GROUP;
        const uint32_t before = index < S::CHUNK ? 0 : index - S::CHUNK;
        const auto codes =
            *reinterpret_cast<const CodeChunk *>(warp_rows + index / S::ROW * S::STRIDE + index % S::ROW);
        const auto codes_before =
            *reinterpret_cast<const CodeChunk *>(warp_rows + before / S::ROW * S::STRIDE + before % S::ROW);

#pragma unroll
        for (int half = 0; half < Element::SEGMENTS; half++) {
            const Part part = owner_of<GROUP_ROWS>(task, parts[half], index / GROUP);
            const uint32_t skew = part.start % S::CHUNK;
            Code both[2 * S::CHUNK];

#pragma unroll
            for (int j = 0; j < S::CHUNK; j++) {
                both[j] = codes_before.part[j];
                both[S::CHUNK + j] = codes.part[j];
            }
#pragma unroll
            for (int bit = S::CHUNK / 2; bit > 0; bit /= 2)
#pragma unroll
                for (int j = 2 * S::CHUNK - 1; j > S::CHUNK - bit; j--)
                    both[j] = (skew & bit) != 0 ? both[j - bit] : both[j];
            if (place >= skew && place - skew + S::CHUNK <= part.count)
                *reinterpret_cast<RawChunk<S::CHUNK, Key> *>(keys_of<Element>(task, part) + (place - skew)) =
                    keys_of_codes<Element, S::CHUNK>(task.coding, both + S::CHUNK, half);
        }
    }

    /* The keys before the first and after the last of each segment's whole chunks. */
#pragma unroll
    for (int half = 0; half < Element::SEGMENTS; half++) {
        const Part part = parts[half];
        const uint32_t count = min(part.count, task.limit);
        const uint32_t head = min(count, -part.start % S::CHUNK);
        const uint32_t tail = min(count - head, (part.start + count) % S::CHUNK);

        for (uint32_t i = lane % GROUP_ROWS; i < head + tail; i += GROUP_ROWS) {
            const uint32_t position = i < head ? i : count - tail + (i - head);
            const uint32_t index = lane / GROUP_ROWS * GROUP + position;
            const Code code = warp_rows[index / S::ROW * S::STRIDE + index % S::ROW];

            if constexpr (Element::SEGMENTS == 1)
                keys_of<Element>(task, part)[position] = Element::key(task.coding, code);
            else
                keys_of<Element>(task, part)[position] = Element::key(task.coding, code, half);
        }
    }
}

/*
 * Writes the warp's 32 rows, sorted, from shared memory to their segments.  A warp
 * holds groups of GROUP_ROWS rows, or rows of one segment from its position `base`.
 */
template <class Element, class S, int GROUP_ROWS>
__device__ __forceinline__ void write_keys(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                           const typename Element::Code *warp_rows, uint32_t lane, uint32_t base)
{
    using Key = typename Element::Key;
    using Code = typename Element::Code;
    constexpr uint32_t GROUP = GROUP_ROWS * S::ROW;
    uint32_t unaligned = 0;

#pragma unroll
    for (int half = 0; half < Element::SEGMENTS; half++)
        unaligned |= parts[half].start % S::CHUNK;
    if (__any_sync(UINT32_MAX, unaligned != 0)) {
        if constexpr (GROUP_ROWS > 1 && GROUP_ROWS < 32)
            write_shifted<Element, S, GROUP_ROWS>(task, parts, warp_rows, lane);
        else {
#pragma unroll 4
            for (int i = 0; i < S::ROW; i++) {
                const uint32_t index = i * 32 + lane, position = base + index % GROUP;
                const Code code = warp_rows[index / S::ROW * S::STRIDE + index % S::ROW];

#pragma unroll
                for (int half = 0; half < Element::SEGMENTS; half++) {
                    const Part part = owner_of<GROUP_ROWS>(task, parts[half], index / GROUP);

                    if (position < part.count) {
                        if constexpr (Element::SEGMENTS == 1)
                            keys_of<Element>(task, part)[position] = Element::key(task.coding, code);
                        else
                            keys_of<Element>(task, part)[position] = Element::key(task.coding, code, half);
                    }
                }
            }
        }
        return;
    }
    Part owners[Element::SEGMENTS];

#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        /* Where all lanes write to one group, its chunks are at constant distances. */
        constexpr bool TOGETHER = GROUP % (32 * S::CHUNK) == 0;
        const uint32_t index = (i * 32 + lane) * S::CHUNK;
        const int first = int(base + (TOGETHER ? lane * S::CHUNK : index % GROUP));
        const int distance = TOGETHER ? i * 32 * S::CHUNK % GROUP : 0;
        const auto codes = *reinterpret_cast<const Chunk<S::CHUNK, Code> *>(warp_rows + place_of_chunk<S>(i, lane));

#pragma unroll
        for (int half = 0; half < Element::SEGMENTS; half++) {
            if (distance == 0)
                owners[half] = owner_of<GROUP_ROWS>(task, parts[half], index / GROUP);

            Key *target = keys_of<Element>(task, owners[half]) + first;

            asm("" : "+l"(target)); /* one address, or each chunk's would be computed anew */
            store_if(int(owners[half].count) - first - S::CHUNK >= distance, target + distance,
                     keys_of_codes<Element, S::CHUNK>(task.coding, codes.part, half));
        }
    }

    /* What is left of each segment's last chunk. */
#pragma unroll
    for (int half = 0; half < Element::SEGMENTS; half++) {
        const uint32_t count = min(parts[half].count, task.limit);

        for (uint32_t position = (count & -uint32_t(S::CHUNK)) + lane % GROUP_ROWS; position < count;
             position += GROUP_ROWS) {
            const uint32_t index = lane / GROUP_ROWS * GROUP + position - base;

            if (position < base || position - base >= GROUP)
                continue;

            const Code code = warp_rows[index / S::ROW * S::STRIDE + index % S::ROW];

            if constexpr (Element::SEGMENTS == 1)
                keys_of<Element>(task, parts[half])[position] = Element::key(task.coding, code);
            else
                keys_of<Element>(task, parts[half])[position] = Element::key(task.coding, code, half);
        }
    }
}

/* Writes positions, or the payload gathered through them.  barrier() waits for all who read the segment's payload. */
template <class Element, class S, int GROUP_ROWS, class Barrier>
__device__ __forceinline__ void write_payload(const NetworkTask &task, const Part &mine,
                                              const typename Element::Code *warp_rows, uint32_t lane, uint32_t base,
                                              const Barrier &barrier)
{
    constexpr uint32_t GROUP = GROUP_ROWS * S::ROW;
    uint32_t values[S::ROW];

#pragma unroll
    for (int i = 0; i < S::ROW; i++) {
        const uint32_t index = i * 32 + lane;

        values[i] = Element::position(warp_rows[index / S::ROW * S::STRIDE + index % S::ROW]);
    }
    if (task.kind == GPUSORT_PAYLOAD_CARRIED) {
#pragma unroll
        for (int i = 0; i < S::ROW; i++) {
            const uint32_t index = i * 32 + lane;
            const Part part = owner_of<GROUP_ROWS>(task, mine, index / GROUP);

            if (base + index % GROUP < part.count)
                values[i] = task.payload[part.start + values[i]];
        }
        barrier();
    }
#pragma unroll
    for (int i = 0; i < S::ROW; i++) {
        const uint32_t index = i * 32 + lane;
        const Part part = owner_of<GROUP_ROWS>(task, mine, index / GROUP);

        if (base + index % GROUP < part.count)
            task.payload[part.start + base + index % GROUP] = values[i];
    }
}

template <class Element, class S, int GROUP_ROWS, class Barrier>
__device__ __forceinline__ void write_rows(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                           const typename Element::Code *warp_rows, uint32_t lane, uint32_t base,
                                           const Barrier &barrier)
{
    if constexpr (Element::PAIRS)
        write_payload<Element, S, GROUP_ROWS>(task, parts[0], warp_rows, lane, base, barrier);
    else
        write_keys<Element, S, GROUP_ROWS>(task, parts, warp_rows, lane, base);
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_IO_CUH */
