/*
 * top.cu
 *	  The first `limit` entries of long segments by a threshold.
 *
 * A block reads its keys tile by tile and keeps, in shared memory, those that may still be
 * among the first: all that are not beyond a bound.  In nearly all tiles a key then costs
 * a read and a comparison.  When too many would be kept, the bound is lowered:
 *
 *	  tighten	The least key of each thread's share of the tile: the limit-th of
 *				these is not before the limit-th of all.
 *	  cut		The kept keys are sorted and all but the first `limit` dropped.
 *
 * If that is not enough, the tile is taken in quarters with a cut before each: a quarter
 * and `limit` keys always fit.  So no input, sorted, reversed or equal, costs more per tile.
 *
 * Entries are integers that order as (key, position) with a payload, and as the key
 * without.  The greatest integer fills up an incomplete segment or tile.
 *
 * A segment of a long class is divided among several blocks (slices).  A second launch
 * finds the first entries among the survivors of the slices in the same way.
 */
#include <type_traits>

#include "methods/key_codes.cuh"
#include "methods/top.cuh"

namespace gpusort
{

namespace
{

constexpr int THREADS = 256;
constexpr int ITEMS = 16; /* keys of a thread in a tile */
constexpr int QUARTER = ITEMS / 4;
constexpr uint32_t TILE = THREADS * ITEMS;
constexpr uint32_t MOST_KEPT = 2 * THREADS * QUARTER; /* the most entries that are kept */
constexpr uint32_t MOST_LIMIT = MOST_KEPT / 2;
constexpr uint32_t SLICE = 1 << 15;      /* keys of a slice */
constexpr uint32_t WANTED_BLOCKS = 1056; /* enough blocks to fill any device */
constexpr uint32_t LONGEST_SLICE_CLASS = 20;

struct TopTask {
    void *keys;
    uint32_t *payload;
    const GpusortSegment *segments;
    uint32_t slices; /* slices of a segment */
    uint32_t limit;
    Coding coding;
    GpusortPayload kind;
    void *survivors; /* `limit` entries of each slice; unused with one slice */
};

template <class Key, bool PAIRS>
struct EntryOf {
    using Type = std::conditional_t<sizeof(Key) == 8, uint64_t, uint32_t>;

    static __device__ __forceinline__ Type make(Key code, uint32_t)
    {
        return code;
    }
};

template <class Key>
struct EntryOf<Key, true> {
    using Type = std::conditional_t<sizeof(Key) == 8, unsigned __int128, uint64_t>;

    static __device__ __forceinline__ Type make(Key code, uint32_t position)
    {
        return Type(code) << 32 | position;
    }
};

/* Sorts `size` entries, a power of two, in shared memory; begins and ends synchronized. */
template <class Entry>
__device__ void sort_shared(Entry *entries, uint32_t size)
{
    for (uint32_t run = 2; run <= size; run *= 2)
        for (uint32_t stride = run / 2; stride > 0; stride /= 2) {
            const uint32_t next = stride > 1 ? stride / 2 : run;

            for (uint32_t i = threadIdx.x; i < size / 2; i += THREADS) {
                const uint32_t low = 2 * i - (i & (stride - 1));
                const Entry a = entries[low], b = entries[low + stride];

                if ((b < a) == ((low & run) == 0)) {
                    entries[low] = b;
                    entries[low + stride] = a;
                }
            }
            /* A warp's pairs stay within 64 entries while strides do. */
            if (stride > 32 || next > 32)
                __syncthreads();
            else
                __syncwarp();
        }
    __syncthreads();
}

/* The entries that a block has kept so far. All threads have the same members. */
template <class Entry>
struct Keeper {
    Entry *kept;   /* MOST_KEPT entries */
    Entry *least;  /* one entry per thread */
    uint32_t *sum; /* how many entries the threads want to keep */
    uint32_t limit;
    uint32_t filled = 0;
    Entry bound = ~Entry(0); /* entries beyond it are not wanted */
    bool open = true;        /* if false, no further entries are wanted */

    __device__ __forceinline__ bool wants(Entry entry) const
    {
        return open && entry <= bound;
    }

    /* Sorts the kept entries, filled up to a power of two. */
    __device__ void sort_kept()
    {
        uint32_t size = 2;

        while (size < filled)
            size *= 2;
        for (uint32_t i = filled + threadIdx.x; i < size; i += THREADS)
            kept[i] = ~Entry(0);
        __syncthreads();
        sort_shared(kept, size);
    }

    __device__ void cut()
    {
        if (filled < limit)
            return;
        sort_kept();
        filled = limit;
        open = kept[limit - 1] > 0;
        bound = kept[limit - 1] - 1;
        __syncthreads();
    }

    __device__ void tighten(const Entry (&items)[ITEMS])
    {
        Entry mine = items[0];

#pragma unroll
        for (int i = 1; i < ITEMS; i++)
            mine = items[i] < mine ? items[i] : mine;
        least[threadIdx.x] = mine;
        __syncthreads();
        sort_shared(least, THREADS);
        mine = least[limit - 1];
        bound = mine < bound ? mine : bound;
        __syncthreads();
    }

    /* Adds `mine` to the sum; returns the place of the thread's entries. */
    __device__ __forceinline__ uint32_t reserve(uint32_t mine, uint32_t *total) const
    {
        const uint32_t lane = threadIdx.x % 32;
        uint32_t through = mine, base = 0;

        if (!__any_sync(UINT32_MAX, mine > 0))
            return 0;
#pragma unroll
        for (uint32_t distance = 1; distance < 32; distance *= 2) {
            const uint32_t before = __shfl_up_sync(UINT32_MAX, through, distance);

            through += lane >= distance ? before : 0;
        }
        if (lane == 31)
            base = atomicAdd(total, through);
        return filled + __shfl_sync(UINT32_MAX, base, 31) + through - mine;
    }

    template <int FIRST, int COUNT>
    __device__ __forceinline__ uint32_t wanted_of(const Entry (&items)[ITEMS]) const
    {
        uint32_t wanted = 0;

#pragma unroll
        for (int i = FIRST; i < FIRST + COUNT; i++)
            wanted += wants(items[i]);
        return wanted;
    }

    template <int FIRST, int COUNT>
    __device__ __forceinline__ void append(const Entry (&items)[ITEMS], uint32_t place)
    {
#pragma unroll
        for (int i = FIRST; i < FIRST + COUNT; i++)
            if (wants(items[i]))
                kept[place++] = items[i];
    }

    /* Keeps what is wanted of the COUNT items from FIRST on, if they fit. */
    template <int FIRST, int COUNT>
    __device__ bool try_keep(const Entry (&items)[ITEMS])
    {
        uint32_t place, total;

        __syncthreads();
        if (threadIdx.x == 0)
            *sum = 0;
        __syncthreads();
        place = reserve(wanted_of<FIRST, COUNT>(items), sum);
        __syncthreads();
        total = *sum;
        if (filled + total > MOST_KEPT)
            return false;
        append<FIRST, COUNT>(items, place);
        filled += total;
        return true;
    }

    template <int FIRST>
    __device__ void keep_quarters(const Entry (&items)[ITEMS])
    {
        if constexpr (FIRST < ITEMS) {
            if (!try_keep<FIRST, QUARTER>(items)) {
                cut();
                try_keep<FIRST, QUARTER>(items);
            }
            keep_quarters<FIRST + QUARTER>(items);
        }
    }

    /* Keeps what is wanted of a tile that has more wanted entries than fit. */
    __device__ __forceinline__ void keep_overflowing(const Entry (&items)[ITEMS])
    {
        __syncthreads();
        if (limit <= THREADS) {
            tighten(items);
            if (try_keep<0, ITEMS>(items))
                return;
        }
        cut();
        if (!try_keep<0, ITEMS>(items))
            keep_quarters<0>(items);
    }
};

/* Reads a thread's entries of the tile that begins at `tile` of keys[0 .. count), in aligned chunks of 16 bytes. */
template <class Key, bool PAIRS>
__device__ __forceinline__ void read_tile(const TopTask &task, const Key *keys, uint32_t skew, uint32_t first,
                                          int count, uint32_t tile, typename EntryOf<Key, PAIRS>::Type (&items)[ITEMS])
{
    using Entry = typename EntryOf<Key, PAIRS>::Type;
    constexpr int CHUNK = 16 / int(sizeof(Key));
    struct alignas(16) KeyChunk {
        Key part[CHUNK];
    };

#pragma unroll
    for (int i = 0; i < ITEMS / CHUNK; i++) {
        const int position = int(tile + (i * THREADS + threadIdx.x) * CHUNK) - int(skew);

        if (position >= 0 && position + CHUNK <= count) {
            const KeyChunk chunk = *reinterpret_cast<const KeyChunk *>(keys + position);

#pragma unroll
            for (int j = 0; j < CHUNK; j++)
                items[i * CHUNK + j] =
                    EntryOf<Key, PAIRS>::make(encode(task.coding, chunk.part[j]), first + uint32_t(position) + j);
        } else {
#pragma unroll
            for (int j = 0; j < CHUNK; j++) {
                const int p = position + j;

                items[i * CHUNK + j] = ~Entry(0);
                if (p >= 0 && p < count)
                    items[i * CHUNK + j] = EntryOf<Key, PAIRS>::make(encode(task.coding, keys[p]), first + uint32_t(p));
            }
        }
    }
}

/* Writes the first results of a segment from the sorted entries. */
template <class Key, bool PAIRS, class Entry>
__device__ __forceinline__ void write_first(const TopTask &task, const GpusortSegment &segment, const Entry *sorted)
{
    const uint32_t wanted = min(segment.count, task.limit);

    if constexpr (PAIRS) {
        constexpr int MOST = MOST_LIMIT / THREADS;
        uint32_t *payload = task.payload + segment.start;
        uint32_t values[MOST];

#pragma unroll
        for (int i = 0; i < MOST; i++) {
            const uint32_t place = i * THREADS + threadIdx.x;

            if (place < wanted) {
                const uint32_t position = uint32_t(sorted[place]);

                values[i] = task.kind == GPUSORT_PAYLOAD_CARRIED ? payload[position] : position;
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < MOST; i++)
            if (i * THREADS + threadIdx.x < wanted)
                payload[i * THREADS + threadIdx.x] = values[i];
    } else {
        Key *keys = static_cast<Key *>(task.keys) + segment.start;

        for (uint32_t i = threadIdx.x; i < wanted; i += THREADS)
            keys[i] = decode(task.coding, Key(sorted[i]));
    }
}

/*
 * A block finds the first entries of a segment's slice, or with SURVIVORS those of a
 * segment among the survivors of its slices.
 */
template <class Key, bool PAIRS, bool SURVIVORS>
__global__ void __launch_bounds__(THREADS) keep_first(const __grid_constant__ TopTask task)
{
    using Entry = typename EntryOf<Key, PAIRS>::Type;
    constexpr int CHUNK = 16 / int(sizeof(Key));
    __shared__ Entry kept[MOST_KEPT], least[THREADS];
    __shared__ uint32_t sums[4];
    const uint32_t number = SURVIVORS ? blockIdx.x : blockIdx.x / task.slices;
    const uint32_t slice = SURVIVORS ? 0 : blockIdx.x % task.slices;
    const GpusortSegment segment = task.segments[number];
    const uint64_t per_slice = (uint64_t(segment.count) + task.slices - 1) / task.slices;
    const uint64_t begin = min(uint64_t(segment.count), slice * per_slice);
    const Key *keys = static_cast<const Key *>(task.keys) + segment.start + begin;
    const uint32_t skew = uint32_t((segment.start + begin) % CHUNK);
    const uint32_t count =
        SURVIVORS ? task.slices * task.limit : uint32_t(min(uint64_t(segment.count), begin + per_slice) - begin);
    Entry *survivors = static_cast<Entry *>(task.survivors) + (uint64_t(number) * task.slices + slice) * task.limit;
    Keeper<Entry> keeper = {kept, least, &sums[3], task.limit};
    uint32_t turn = 0;

    if (threadIdx.x < 4)
        sums[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t tile = 0; tile < count + skew; tile += TILE) {
        Entry items[ITEMS];
        uint32_t place, total;

        if constexpr (SURVIVORS) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                const uint32_t index = tile + i * THREADS + threadIdx.x;

                items[i] = index < count ? survivors[index] : ~Entry(0);
            }
        } else
            read_tile<Key, PAIRS>(task, keys, skew, uint32_t(begin), count, tile, items);

        /* Three sums take turns: while one is read, the next is added to and the last is cleared. */
        place = keeper.reserve(keeper.template wanted_of<0, ITEMS>(items), &sums[turn]);
        __syncthreads();
        total = sums[turn];
        if (threadIdx.x == 0)
            sums[turn == 0 ? 2 : turn - 1] = 0;
        turn = turn == 2 ? 0 : turn + 1;
        if (keeper.filled + total <= MOST_KEPT) {
            keeper.template append<0, ITEMS>(items, place);
            keeper.filled += total;
        } else
            keeper.keep_overflowing(items);
    }
    keeper.sort_kept();

    if (!SURVIVORS && task.slices > 1) {
        for (uint32_t i = threadIdx.x; i < task.limit; i += THREADS)
            survivors[i] = i < keeper.filled ? kept[i] : ~Entry(0);
    } else
        write_first<Key, PAIRS>(task, segment, kept);
}

uint32_t slices_of(uint32_t length_class, uint32_t count)
{
    const uint64_t useful = (UINT64_C(1) << length_class) / SLICE;
    const uint64_t fair = WANTED_BLOCKS / count;
    const uint64_t least = length_class > LONGEST_SLICE_CLASS ? UINT64_C(1) << (length_class - LONGEST_SLICE_CLASS) : 1;
    const uint64_t slices = useful < fair ? useful : fair;

    return uint32_t(slices > least ? slices : least);
}

template <class Key, bool PAIRS>
cudaError_t launch(const TopTask &task, uint32_t count, cudaStream_t stream)
{
    keep_first<Key, PAIRS, false><<<count * task.slices, THREADS, 0, stream>>>(task);
    if (task.slices > 1)
        keep_first<Key, PAIRS, true><<<count, THREADS, 0, stream>>>(task);
    return cudaGetLastError();
}

template <class Key>
cudaError_t launch_of_width(const TopTask &task, uint32_t count, cudaStream_t stream)
{
    return task.kind == GPUSORT_PAYLOAD_NONE ? launch<Key, false>(task, count, stream)
                                             : launch<Key, true>(task, count, stream);
}

}  // namespace

uint32_t top_first_class(const GpusortSpec &spec)
{
    if (spec.limit == 0 || spec.limit > MOST_LIMIT)
        return GPUSORT_LENGTH_CLASSES;
    return spec.limit <= THREADS / 2 ? 13 : 16;
}

size_t top_workspace_bytes(const GpusortSpec &spec, uint32_t length_class, uint32_t count)
{
    const uint32_t width = gpusort_key_width(spec.form) == 8 ? 8 : 4;
    const uint32_t entry = spec.payload == GPUSORT_PAYLOAD_NONE ? width : 2 * width;
    const uint32_t slices = count == 0 ? 1 : slices_of(length_class, count);

    return slices <= 1 ? 0 : (uint64_t(count) * slices * spec.limit * entry + 255) / 256 * 256;
}

cudaError_t find_top(const SegmentBatch &batch, uint32_t length_class, const GpusortSegment *segments, uint32_t count,
                     void *workspace, cudaStream_t stream)
{
    TopTask task = {};

    task.keys = batch.keys;
    task.payload = batch.payload;
    task.segments = segments;
    task.slices = slices_of(length_class, count);
    task.limit = uint32_t(batch.spec.limit);
    task.coding = coding_of(batch.spec);
    task.kind = batch.spec.payload;
    task.survivors = workspace;
    switch (gpusort_key_width(batch.spec.form)) {
        case 2:
            return launch_of_width<uint16_t>(task, count, stream);
        case 4:
            return launch_of_width<uint32_t>(task, count, stream);
        default:
            return launch_of_width<uint64_t>(task, count, stream);
    }
}

}  // namespace gpusort
