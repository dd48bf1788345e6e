/*
 * payload.cuh
 *	  A warp's sorted positions, and the payload gathered through them, on their way to
 *	  segments: by fours where that can be.
 */
#ifndef GPUSORT_NETWORK_PAYLOAD_CUH
#define GPUSORT_NETWORK_PAYLOAD_CUH

#include "network/io.cuh"

namespace gpusort
{

/* Of a warp's sorted pairs only the positions are stored, as rows of words. */
template <class S>
constexpr int POSITION_STRIDE = S::ROW + 4;

template <class Element, class S>
__device__ __forceinline__ void store_positions(typename Element::Code *warp_rows, uint32_t lane,
                                                const typename Element::Code (&row)[S::ROW])
{
    uint32_t *target = reinterpret_cast<uint32_t *>(warp_rows) + lane * POSITION_STRIDE<S>;

#pragma unroll
    for (int i = 0; i < S::ROW; i += 4) {
        Chunk<4, uint32_t> chunk;

#pragma unroll
        for (int j = 0; j < 4; j++)
            chunk.part[j] = Element::position(row[i + j]);
        *reinterpret_cast<Chunk<4, uint32_t> *>(target + i) = chunk;
    }
}

/* Writes them, or the payload gathered through them, CHUNK entries at a time, of which all or none are wanted. */
template <class S, int GROUP_ROWS, int CHUNK>
__device__ __forceinline__ void write_positions_by(const NetworkTask &task, const Part &mine, const uint32_t *positions,
                                                   uint32_t lane)
{
    using Values = Chunk<CHUNK, uint32_t>;
    constexpr int GROUP = GROUP_ROWS * S::ROW, CHUNKS = S::ROW / CHUNK;
    /* So many chunks of a lane go to one group. */
    constexpr int TOGETHER = GROUP % (32 * CHUNK) == 0 ? GROUP / (32 * CHUNK) : 1;
    Values values[CHUNKS];
    uint32_t *targets[CHUNKS / TOGETHER], counts[CHUNKS / TOGETHER];

#pragma unroll
    for (int i = 0; i < CHUNKS; i++) {
        const uint32_t index = (i * 32 + lane) * CHUNK;

        if (i % TOGETHER == 0) {
            const Part owner = owner_of<GROUP_ROWS>(mine, index / GROUP);

            targets[i / TOGETHER] = task.payload + owner.start;
            counts[i / TOGETHER] = owner.count;
        }
        values[i] = *reinterpret_cast<const Values *>(positions + index / S::ROW * POSITION_STRIDE<S> + index % S::ROW);
    }
    if (task.kind == GPUSORT_PAYLOAD_CARRIED) {
#pragma unroll
        for (int i = 0; i < CHUNKS; i++)
            if ((i * 32 + lane) * CHUNK % GROUP < counts[i / TOGETHER]) {
#pragma unroll
                for (int j = 0; j < CHUNK; j++)
                    values[i].part[j] = targets[i / TOGETHER][values[i].part[j]];
            }
        __syncwarp();
    }
#pragma unroll
    for (int i = 0; i < CHUNKS; i++) {
        const uint32_t position = (i * 32 + lane) * CHUNK % GROUP;

        if (position < counts[i / TOGETHER])
            *reinterpret_cast<Values *>(targets[i / TOGETHER] + position) = values[i];
    }
}

template <class S, int GROUP_ROWS>
__device__ __forceinline__ void write_positions(const NetworkTask &task, const Part &mine, const void *warp_rows,
                                                uint32_t lane)
{
    const uint32_t *positions = static_cast<const uint32_t *>(warp_rows);
    const bool aligned = reinterpret_cast<uintptr_t>(task.payload + mine.start) % 16 == 0;

    if (__all_sync(UINT32_MAX, aligned && mine.count % 4 == 0))
        write_positions_by<S, GROUP_ROWS, 4>(task, mine, positions, lane);
    else
        write_positions_by<S, GROUP_ROWS, 1>(task, mine, positions, lane);
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_PAYLOAD_CUH */
