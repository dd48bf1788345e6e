/*
 * io.cuh
 *	  Keys on their way from segments to lanes' rows and back.
 *
 * Any alignment.  Keys alone are sorted in their frame, the chunks around them: keys that sort
 * first take the places before the segment, and sorted keys lie in the rows as they do in memory.  Keys with
 * positions are read in such chunks as well; the order in which they enter does not matter,
 * so what a frame leaves over at its end goes to the places before the segment's start.
 *
 * Sorted rows lie in shared memory before they are written, so that neighboring lanes
 * write neighboring keys.
 */
#ifndef GPUSORT_NETWORK_IO_CUH
#define GPUSORT_NETWORK_IO_CUH

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

/* Reads keys, as read_keys does, and makes the lane's row of them and their positions. */
template <class Element, class S, int LEAST = 0>
__device__ __forceinline__ void read_row(const NetworkTask &task, const Part &part, uint32_t first_chunk, uint32_t step,
                                         uint32_t slots, typename Element::Code (&row)[S::ROW])
{
    const int skew = int(part.start % S::CHUNK);
    RawChunk<S::CHUNK, typename Element::Key> raw[S::CHUNKS];

    read_keys<Element, S, LEAST>(task, part, first_chunk, step, slots, raw);
#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++)
#pragma unroll
        for (int j = 0; j < S::CHUNK; j++) {
            const int place = int((first_chunk + i * step) * S::CHUNK) - skew + j;

            row[i * S::CHUNK + j] =
                Element::make(task.coding, raw[i].part(j), uint32_t(i > 0 || place >= 0 ? place : int(slots) + place));
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

/* Where entries of a warp's rows belong: the part of a group's lanes, GROUP_ROWS each, for the whole warp. */
template <int GROUP_ROWS>
__device__ __forceinline__ Part owner_of(const Part &part, uint32_t group)
{
    if (GROUP_ROWS == 32)
        return part;
    return {__shfl_sync(UINT32_MAX, part.start, group * GROUP_ROWS),
            __shfl_sync(UINT32_MAX, part.count, group * GROUP_ROWS)};
}

/* Keys of one segment from the codes of neighboring places. */
template <class Element, int CHUNK>
__device__ __forceinline__ RawChunk<CHUNK, typename Element::Key> keys_of_codes(const NetworkCoding &coding,
                                                                                const typename Element::Code *codes)
{
    RawChunk<CHUNK, typename Element::Key> chunk;

#pragma unroll
    for (int j = 0; j < CHUNK; j++)
        chunk.put(j, Element::key(coding, codes[j]));
    return chunk;
}

/*
 * Writes the warp's 32 rows in whole chunks to segments that begin at one, or FRAMED: whose rows hold their frames,
 * and then what is left of the last chunks and the first.
 */
template <class Element, class S, int GROUP_ROWS, bool FRAMED>
__device__ __forceinline__ void write_chunks(const NetworkTask &task, const Part &part,
                                             const typename Element::Code *warp_rows, uint32_t lane, uint32_t base)
{
    using Key = typename Element::Key;
    using Code = typename Element::Code;
    constexpr uint32_t GROUP = GROUP_ROWS * S::ROW;
    const int skew = FRAMED ? int(skew_of<S>(part)) : 0;
    const Part own = {part.start, part.count + skew};
    Part owner;
    Key *targets;

#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        /* Where all lanes write to one group, its chunks are at constant distances. */
        constexpr bool TOGETHER = GROUP % (32 * S::CHUNK) == 0;
        const uint32_t index = (i * 32 + lane) * S::CHUNK;
        const int first = int(base + (TOGETHER ? lane * S::CHUNK : index % GROUP));
        const int distance = TOGETHER ? i * 32 * S::CHUNK % GROUP : 0;
        const auto codes = *reinterpret_cast<const Chunk<S::CHUNK, Code> *>(warp_rows + place_of_chunk<S>(i, lane));
        bool begins = true;

        if (distance == 0) {
            owner = owner_of<GROUP_ROWS>(own, index / GROUP);

            const uint32_t owners_skew = FRAMED ? skew_of<S>(owner) : 0;

            targets = as_address(keys_from<Element>(task, first) + (owner.start - owners_skew));
            begins = first > 0 || owners_skew == 0;
        }
        store_if(begins && int(owner.count) - first - S::CHUNK >= distance, targets + distance,
                 keys_of_codes<Element, S::CHUNK>(task.coding, codes.part));
    }

    const int count = int(own.count);

#pragma unroll
    for (int begin = 0; begin < (FRAMED ? 2 : 1) * S::CHUNK; begin += GROUP_ROWS) {
        const int i = begin + int(lane % GROUP_ROWS);
        const int position = i < S::CHUNK ? (count & -S::CHUNK) + i : i - S::CHUNK, place = position - int(base);
        const uint32_t index = lane / GROUP_ROWS * GROUP + place;

        if (place < 0 || place >= int(GROUP) || position < skew || position >= count ||
            i >= (skew > 0 ? 2 : 1) * S::CHUNK)
            continue;
        keys_of<Element>(task, own)[position - skew] =
            Element::key(task.coding, warp_rows[index / S::ROW * S::STRIDE + index % S::ROW]);
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
            const Part part = owner_of<GROUP_ROWS>(mine, index / GROUP);

            if (base + index % GROUP < part.count)
                values[i] = task.payload[part.start + values[i]];
        }
        barrier();
    }
#pragma unroll
    for (int i = 0; i < S::ROW; i++) {
        const uint32_t index = i * 32 + lane;
        const Part part = owner_of<GROUP_ROWS>(mine, index / GROUP);

        if (base + index % GROUP < part.count)
            task.payload[part.start + base + index % GROUP] = values[i];
    }
}

/*
 * Writes the warp's 32 rows, sorted, from shared memory to their segments.  A warp
 * holds groups of GROUP_ROWS rows, or rows of one segment from its position `base`.
 */
template <class Element, class S, int GROUP_ROWS>
__device__ __forceinline__ void write_keys(const NetworkTask &task, const Part &part, const Part *warp_parts,
                                           const typename Element::Code *warp_rows, uint32_t lane, uint32_t base,
                                           bool whole, bool framed)
{
    if (whole)
        write_chunks<Element, S, GROUP_ROWS, false>(task, part, warp_rows, lane, base);
    else if (framed)
        write_chunks<Element, S, GROUP_ROWS, true>(task, part, warp_rows, lane, base);
    else
        write_steps<Element, S, GROUP_ROWS>(task, GROUP_ROWS == 32 ? &part : warp_parts, warp_rows, lane, base);
}

/* The same for a block's warp, with payload or without. */
template <class Element, class S, class Barrier>
__device__ __forceinline__ void write_rows(const NetworkTask &task, const Part &part,
                                           const typename Element::Code *warp_rows, uint32_t lane, uint32_t base,
                                           bool framed, const Barrier &barrier)
{
    if constexpr (Element::PAIRS)
        write_payload<Element, S, 32>(task, part, warp_rows, lane, base, barrier);
    else
        write_keys<Element, S, 32>(task, part, &part, warp_rows, lane, base, false, framed);
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_IO_CUH */
