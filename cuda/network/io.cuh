/*
 * io.cuh
 *	  Keys on their way from segments to lanes' rows and back.
 *
 * Any alignment.  Keys alone are sorted in their frame, the chunks of 16 bytes around them: keys that sort
 * first take the places before the segment, and sorted keys lie in the rows as they do in memory.  Keys with
 * positions and pairs of segments are read in such chunks as well; the order in which they enter does not matter,
 * so what a frame leaves over at its end goes to the places before the segment's start.
 *
 * Sorted rows lie in shared memory before they are written, so that neighbouring lanes
 * write neighbouring keys.
 */
#ifndef GPUSORT_NETWORK_IO_CUH
#define GPUSORT_NETWORK_IO_CUH

#include <cuda_pipeline_primitives.h>

#include "network/steps.cuh"

namespace gpusort
{

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

/*
 * Reads a lane's row of a segment that fills whole chunks: first_chunk + t + i * LANES.  All are asked for before any
 * is looked at.  With LEAST, there are more keys than that.
 *
 * FRAMED: of a segment's frame, which has part.count keys.  If its last chunk is not whole, the last lane takes it,
 * at its last place, for any other would need a look at each of its chunks.
 */
template <class Element, class S, int LANES, bool FRAMED, int LEAST = 0>
__device__ __forceinline__ void read_chunks(const NetworkTask &task, const Part &part, uint32_t first_chunk, uint32_t t,
                                            typename Element::Code (&row)[S::ROW])
{
    using Key = typename Element::Key;
    using KeyChunk = RawChunk<S::CHUNK, Key>;
    constexpr int STEP = LANES * S::CHUNK, FAR = (S::CHUNKS - 1) * STEP;
    const int first = int(first_chunk + t) * S::CHUNK, skew = FRAMED ? int(skew_of<S>(part)) : 0;
    const int count = int(part.count), left = (count & -S::CHUNK) - first;
    const bool takes_last = FRAMED && t == LANES - 1;
    const int far = takes_last ? min(left, FAR) : FAR;
    const int rest = left - far + (takes_last ? count & (S::CHUNK - 1) : 0);
    const Key *keys = as_address(keys_of<Element>(task, part) - skew + first);
    const Key last = Element::last(task.coding);
    KeyChunk raw[S::CHUNKS];

#pragma unroll
    for (int i = 0; i < S::CHUNKS - 1; i++) {
        if ((i + 1) * STEP <= LEAST) {
            raw[i] = *reinterpret_cast<const KeyChunk *>(keys + i * STEP);
            continue;
        }
#pragma unroll
        for (int j = 0; j < S::CHUNK; j++)
            raw[i].put(j, last);
        if (left > i * STEP)
            raw[i] = *reinterpret_cast<const KeyChunk *>(keys + i * STEP);
    }
#pragma unroll
    for (int j = 0; j < S::CHUNK; j++)
        raw[S::CHUNKS - 1].put(j, last);
    if (rest > 0)
        raw[S::CHUNKS - 1] = *reinterpret_cast<const KeyChunk *>(keys + far);
    if constexpr (FRAMED) {
#pragma unroll
        for (int j = 0; j < S::CHUNK - 1; j++) {
            if (first == 0 && j < skew)
                raw[0].put(j, Element::first(task.coding));
            if (rest <= 1 + j)
                raw[S::CHUNKS - 1].put(1 + j, last);
        }
    }
#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++)
#pragma unroll
        for (int j = 0; j < S::CHUNK; j++)
            row[i * S::CHUNK + j] = Element::make(task.coding, raw[i].part(j), 0);
}

/* The part of a group's lanes, GROUP_ROWS each, for the whole warp. */
template <int GROUP_ROWS>
__device__ __forceinline__ Part shared_by(const Part &part, uint32_t group)
{
    if (GROUP_ROWS == 32)
        return part;
    return {__shfl_sync(UINT32_MAX, part.start, group * GROUP_ROWS),
            __shfl_sync(UINT32_MAX, part.count, group * GROUP_ROWS)};
}

/* Where entries of a warp's rows belong: each group of GROUP_ROWS rows has a segment. */
template <int GROUP_ROWS>
__device__ __forceinline__ Part owner_of(const NetworkTask &task, const Part &part, uint32_t group)
{
    const Part owner = shared_by<GROUP_ROWS>(part, group);

    return {owner.start, min(owner.count, task.limit)};
}

/*
 * Reads the rows of segments that have LANES lanes each, all in whole chunks: by way of shared
 * memory, for what one lane reads lies far from its neighbours'.
 */
template <class Element, class S, int LANES>
__device__ __forceinline__ void read_staged(const NetworkTask &task, const Part &part,
                                            typename Element::Code *warp_rows, uint32_t lane,
                                            typename Element::Code (&row)[S::ROW])
{
    using Key = typename Element::Key;
    using KeyChunk = Chunk<S::CHUNK, Key>;
    constexpr uint32_t GROUP = LANES * S::ROW;
    Key *staged = reinterpret_cast<Key *>(warp_rows);
    const Key *keys = static_cast<const Key *>(task.keys);
    KeyChunk lasts;

#pragma unroll
    for (int j = 0; j < S::CHUNK; j++)
        lasts.part[j] = Element::last(task.coding);
#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        const uint32_t index = (i * 32 + lane) * S::CHUNK, position = index % GROUP;
        const uint32_t start = __shfl_sync(UINT32_MAX, part.start, index / GROUP * LANES);
        const uint32_t count = __shfl_sync(UINT32_MAX, part.count, index / GROUP * LANES);
        Key *target = staged + index / S::ROW * S::STRIDE + index % S::ROW;

        if (position < count)
            __pipeline_memcpy_async(target, keys + start + position, 16);
        else
            *reinterpret_cast<KeyChunk *>(target) = lasts;
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
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
 * Writes the rows of a warp's groups, of two segments each, to where those start: in whole chunks of
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

            keys_of<Element>(task, part)[position] = Element::key(task.coding, code, half);
        }
    }
}

/* Writes the rows of two segments each to halves of words, one key after the other. */
template <class Element, class S, int GROUP_ROWS>
__device__ __forceinline__ void write_halves(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                             const typename Element::Code *warp_rows, uint32_t lane, uint32_t base)
{
    constexpr uint32_t GROUP = GROUP_ROWS * S::ROW;

#pragma unroll 4
    for (int i = 0; i < S::ROW; i++) {
        const uint32_t index = i * 32 + lane, position = base + index % GROUP;
        const auto code = warp_rows[index / S::ROW * S::STRIDE + index % S::ROW];

#pragma unroll
        for (int half = 0; half < Element::SEGMENTS; half++) {
            const Part part = owner_of<GROUP_ROWS>(task, parts[half], index / GROUP);

            if (position < part.count)
                keys_of<Element>(task, part)[position] = Element::key(task.coding, code, half);
        }
    }
}

/*
 * Writes the warp's 32 rows in whole chunks to segments that begin at one, or FRAMED: whose rows hold their frames,
 * and then what is left of the last chunks and the first.
 */
template <class Element, class S, int GROUP_ROWS, bool FRAMED>
__device__ __forceinline__ void write_chunks(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                             const typename Element::Code *warp_rows, uint32_t lane, uint32_t base)
{
    using Key = typename Element::Key;
    using Code = typename Element::Code;
    constexpr uint32_t GROUP = GROUP_ROWS * S::ROW;

    Part own[Element::SEGMENTS], owners[Element::SEGMENTS];
    Key *targets[Element::SEGMENTS];

#pragma unroll
    for (int half = 0; half < Element::SEGMENTS; half++) {
        own[half] = {parts[half].start, min(parts[half].count, task.limit)};
        if (FRAMED)
            own[half].count += skew_of<S>(parts[half]);
    }
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
            bool begins = true;

            if (distance == 0) {
                owners[half] = shared_by<GROUP_ROWS>(own[half], index / GROUP);

                const uint32_t skew = FRAMED ? skew_of<S>(owners[half]) : 0;

                targets[half] = as_address(keys_from<Element>(task, first) + (owners[half].start - skew));
                begins = first > 0 || skew == 0;
            }
            store_if(begins && int(owners[half].count) - first - S::CHUNK >= distance, targets[half] + distance,
                     keys_of_codes<Element, S::CHUNK>(task.coding, codes.part, half));
        }
    }
#pragma unroll
    for (int half = 0; half < Element::SEGMENTS; half++) {
        const int skew = FRAMED ? int(skew_of<S>(own[half])) : 0, count = int(own[half].count);

#pragma unroll
        for (int begin = 0; begin < (FRAMED ? 2 : 1) * S::CHUNK; begin += GROUP_ROWS) {
            const int i = begin + int(lane % GROUP_ROWS);
            const int position = i < S::CHUNK ? (count & -S::CHUNK) + i : i - S::CHUNK, place = position - int(base);
            const uint32_t index = lane / GROUP_ROWS * GROUP + place;

            if (place < 0 || place >= int(GROUP) || position < skew || position >= count ||
                i >= (skew > 0 ? 2 : 1) * S::CHUNK)
                continue;

            const Code code = warp_rows[index / S::ROW * S::STRIDE + index % S::ROW];
            Key *target = keys_of<Element>(task, own[half]) - skew + position;

            if constexpr (Element::SEGMENTS == 1)
                *target = Element::key(task.coding, code);
            else
                *target = Element::key(task.coding, code, half);
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

/*
 * Writes the warp's 32 rows, sorted, from shared memory to their segments.  A warp
 * holds groups of GROUP_ROWS rows, or rows of one segment from its position `base`.
 */
template <class Element, class S, int GROUP_ROWS>
__device__ __forceinline__ void write_keys(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                           const Part *warp_parts, const typename Element::Code *warp_rows,
                                           uint32_t lane, uint32_t base, bool whole, bool framed)
{
    if (whole)
        write_chunks<Element, S, GROUP_ROWS, false>(task, parts, warp_rows, lane, base);
    else if (framed)
        write_chunks<Element, S, GROUP_ROWS, true>(task, parts, warp_rows, lane, base);
    else if constexpr (Element::SEGMENTS == 1)
        write_steps<Element, S, GROUP_ROWS>(task, GROUP_ROWS == 32 ? parts : warp_parts, warp_rows, lane, base);
    else if constexpr (GROUP_ROWS > 1 && GROUP_ROWS < 32)
        write_shifted<Element, S, GROUP_ROWS>(task, parts, warp_rows, lane);
    else
        write_halves<Element, S, GROUP_ROWS>(task, parts, warp_rows, lane, base);
}

/* The same for a block's warp, with payload or without. */
template <class Element, class S, class Barrier>
__device__ __forceinline__ void write_rows(const NetworkTask &task, const Part (&parts)[Element::SEGMENTS],
                                           const typename Element::Code *warp_rows, uint32_t lane, uint32_t base,
                                           bool whole, bool framed, const Barrier &barrier)
{
    if constexpr (Element::PAIRS)
        write_payload<Element, S, 32>(task, parts[0], warp_rows, lane, base, barrier);
    else
        write_keys<Element, S, 32>(task, parts, parts, warp_rows, lane, base, whole, framed);
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_IO_CUH */
