/*
 * steps.cuh
 *	  Keys of segments that begin or end within a chunk of 16 bytes, where rows do not hold frames, on their
 *	  way to rows and back.
 *
 * A warp takes 32 neighboring keys of a segment at a time, a key each lane: addresses and
 * conditions then cost little, which counts more than the width of an access.
 */
#ifndef GPUSORT_NETWORK_STEPS_CUH
#define GPUSORT_NETWORK_STEPS_CUH

#include "network/task.cuh"

namespace gpusort
{

/* The batch's keys from a lane's place on, for segments' starts to be added. */
template <class Element>
__device__ __forceinline__ typename Element::Key *keys_from(const NetworkTask &task, uint32_t place)
{
    return as_address(static_cast<typename Element::Key *>(task.keys) + place);
}

/* Loads a key or leaves it, without a branch, into which the compiler would move the making of the address. */
#define GPUSORT_LOAD_IF(Key, width, constraint)                                          \
    __device__ __forceinline__ void load_if(bool condition, const Key *source, Key *key) \
    {                                                                                    \
        asm volatile(                                                                    \
            "{\n\t.reg .pred wanted;\n\t"                                                \
            "setp.ne.u32 wanted, %1, 0;\n\t"                                             \
            "@wanted ld.global." width " %0, [%2];\n\t}"                                 \
            : "+" constraint(*key)                                                       \
            : "r"(uint32_t(condition)), "l"(source));                                    \
    }
GPUSORT_LOAD_IF(uint32_t, "b32", "r")
GPUSORT_LOAD_IF(uint16_t, "b16", "h")
GPUSORT_LOAD_IF(uint64_t, "b64", "l")

/* Stores a key or not, likewise; nothing that the thread reads later depends on it. */
#define GPUSORT_STORE_IF(Key, width, constraint)                                   \
    __device__ __forceinline__ void store_if(bool condition, Key *target, Key key) \
    {                                                                              \
        asm volatile(                                                              \
            "{\n\t.reg .pred wanted;\n\t"                                          \
            "setp.ne.u32 wanted, %0, 0;\n\t"                                       \
            "@wanted st.global." width " [%1], %2;\n\t}"                           \
            :                                                                      \
            : "r"(uint32_t(condition)), "l"(target), constraint(key));             \
    }
GPUSORT_STORE_IF(uint32_t, "b32", "r")
GPUSORT_STORE_IF(uint16_t, "b16", "h")
GPUSORT_STORE_IF(uint64_t, "b64", "l")
#undef GPUSORT_LOAD_IF
#undef GPUSORT_STORE_IF

/*
 * How a warp goes over the slots of its groups, LANES rows each, where segments lie at odd places:
 * 32 neighboring keys of a segment at a time, or if groups are shorter, all of several.
 */
template <class S, int LANES>
struct Steps {
    static constexpr int GROUP = LANES * S::ROW;
    static constexpr int WIDTH = GROUP == 8 || GROUP == 16 ? GROUP : 32; /* slots of a group in a step */
    static constexpr int TOGETHER = 32 / WIDTH;                          /* groups in a step */
    static constexpr int STEPS = (GROUP + WIDTH - 1) / WIDTH;            /* that take a group */
    static constexpr int ROUNDS = 32 / LANES / TOGETHER;
};

/*
 * Reads the rows of such segments, whose parts the warp has in shared memory.  Keys are laid down chunk by
 * chunk of all lanes, so that both they and the lanes' chunks meet no bank conflicts.
 */
template <class Element, class S, int LANES>
__device__ __forceinline__ void read_steps(const NetworkTask &task, const Part *parts,
                                           typename Element::Code *warp_rows, uint32_t lane,
                                           typename Element::Code (&row)[S::ROW])
{
    using Key = typename Element::Key;
    using T = Steps<S, LANES>;
    constexpr int SPAN = S::CHUNK * LANES;
    constexpr int LINE = 32 * S::CHUNK + (SPAN * int(sizeof(Key)) < 128 ? SPAN : 0);
    static_assert(T::WIDTH % SPAN == 0 &&
                  S::CHUNKS * LINE * sizeof(Key) <= 32 * S::STRIDE * sizeof(typename Element::Code));
    const uint32_t place = lane % T::WIDTH, group = T::TOGETHER == 1 ? 0 : lane / T::WIDTH;
    Key *staged = reinterpret_cast<Key *>(warp_rows) + group * SPAN + place / SPAN * LINE + place % SPAN;
    const Key *keys = keys_from<Element>(task, place);
    Key taken[T::ROUNDS * T::STEPS];

#pragma unroll
    for (int round = 0; round < T::ROUNDS; round++) {
        const Part part = parts[round * T::TOGETHER + group];
        const Key *source = keys + part.start;

#pragma unroll
        for (int step = 0; step < T::STEPS; step++) {
            Key &key = taken[round * T::STEPS + step];

            key = Element::last(task.coding);
            load_if(step * T::WIDTH + place < part.count, source + step * T::WIDTH, &key);
        }
    }
#pragma unroll
    for (int round = 0; round < T::ROUNDS; round++)
#pragma unroll
        for (int step = 0; step < T::STEPS; step++)
            if ((step + 1) * T::WIDTH <= T::GROUP || step * T::WIDTH + place < T::GROUP)
                staged[round * T::TOGETHER * SPAN + step * (T::WIDTH / SPAN) * LINE] = taken[round * T::STEPS + step];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < S::CHUNKS; i++) {
        const auto chunk = *reinterpret_cast<const Chunk<S::CHUNK, Key> *>(reinterpret_cast<const Key *>(warp_rows) +
                                                                           i * LINE + lane * S::CHUNK);

#pragma unroll
        for (int j = 0; j < S::CHUNK; j++)
            row[i * S::CHUNK + j] = Element::make(task.coding, chunk.part[j], 0);
    }
    __syncwarp();
}

/* Reads the lane's row of a segment at an odd place that has many lanes: each takes every LANES-th key. */
template <class Element, class S, int LANES>
__device__ __forceinline__ void read_scattered(const NetworkTask &task, const Part &part, uint32_t t,
                                               typename Element::Code (&row)[S::ROW])
{
    using Key = typename Element::Key;
    const Key *source = keys_of<Element>(task, part) + t;
    Key keys[S::ROW];

#pragma unroll
    for (int i = 0; i < S::ROW; i++) {
        keys[i] = Element::last(task.coding);
        load_if(i * LANES + t < part.count, source + i * LANES, &keys[i]);
    }
#pragma unroll
    for (int i = 0; i < S::ROW; i++)
        row[i] = Element::make(task.coding, keys[i], 0);
}

/*
 * Writes sorted rows to segments at odd places; of a group's rows, those from position `base` on lie in
 * shared memory.
 */
template <class Element, class S, int LANES>
__device__ __forceinline__ void write_steps(const NetworkTask &task, const Part *parts,
                                            const typename Element::Code *warp_rows, uint32_t lane, uint32_t base)
{
    using T = Steps<S, LANES>;
    using Key = typename Element::Key;
    constexpr int COMMON = (S::ROW & -S::ROW) < T::WIDTH ? (S::ROW & -S::ROW) : T::WIDTH;
    constexpr int PERIOD = S::ROW / COMMON; /* steps until rows and steps begin at the same slot again */
    const uint32_t place = lane % T::WIDTH, group = T::TOGETHER == 1 ? 0 : lane / T::WIDTH;
    const typename Element::Code *codes[PERIOD];

#pragma unroll
    for (int step = 0; step < PERIOD; step++) {
        const uint32_t slot = step * T::WIDTH + place;

        codes[step] = warp_rows + group * LANES * S::STRIDE + slot / S::ROW * S::STRIDE + slot % S::ROW;
    }
    Key *keys = keys_from<Element>(task, base + place);

#pragma unroll
    for (int round = 0; round < T::ROUNDS; round++) {
        const Part part = parts[round * T::TOGETHER + group];
        const uint32_t count = LANES < 32 ? part.count : part.count > base ? part.count - base : 0;

#pragma unroll
        for (int step = 0; step < T::STEPS; step++) {
            const int rows = round * T::TOGETHER * LANES + step / PERIOD * (T::WIDTH / COMMON);

            store_if(step * T::WIDTH + place < count, keys + part.start + step * T::WIDTH,
                     Element::key(task.coding, codes[step % PERIOD][rows * S::STRIDE]));
        }
    }
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_STEPS_CUH */
