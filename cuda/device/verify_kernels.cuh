/*
 * verify_kernels.cuh
 *	  The kernels of verify.cu: what a check looks at, and how it adds up.
 *
 * A first kernel gives each segment to the same number of threads, up to a block, which
 * suits their average length. Long segments go to a second kernel, which cuts them into
 * chunks. If a batch has both kinds, the first kernel lists the long ones. Every block adds
 * its findings, and the last block of all gives the verdict. The entries before the sort are
 * digested before it or, if they are kept, together with those after it.
 *
 * Two sums are taken. The digest of a segment's entries is the same in any order, so
 * sorting must not change it. The balance ties this to the bytes that came and to those
 * that leave. It is a sum of digests that depend on places:
 *
 *	  what leaves + what was looked at before the sort
 *	  - what came - what was looked at after the sort
 *
 * The balance must be zero. With keys alone, what leaves and what was looked at after the
 * sort differ by the gaps between segments, and so do what came and what was looked at
 * before it. With a payload, gaps of the result are zero, so what leaves is what was
 * looked at; what came is digested a second time.
 *
 * A session knows the digest of the keys that came, and wants that of the keys that leave
 * (KeyDigests). Then the first is compared with what was looked at before the sort, and
 * what was looked at after it is the second, so nothing else is read.
 *
 * Each form of key has code of its own, and keys are loaded 16 bytes at a time.
 */
#ifndef GPUSORT_VERIFY_KERNELS_CUH
#define GPUSORT_VERIFY_KERNELS_CUH

#include <string.h>

#include <type_traits>

#include "device/copies.cuh"
#include "device/verify.cuh"
#include "methods/key_codes.cuh"

namespace gpusort
{

namespace
{

constexpr int THREADS = 256;
constexpr int RESIDENT = 4;              /* blocks that a multiprocessor holds at once, at least */
constexpr int RUN = 4;                   /* neighbouring entries of a payload that a thread reads at a time */
constexpr int KEY_RUN_BYTES = 16;        /* bytes of keys that a thread reads at a time */
constexpr uint32_t CHUNK = THREADS * 8;  /* entries of a long segment that a block reads at a time */
constexpr uint32_t MOST_BLOCKS = 512;    /* the most blocks of a kernel */
constexpr uint32_t MOST_PARTS = 1 << 16; /* the most parts of all long segments together */
constexpr uint32_t LEAST_LANES = 4;      /* the fewest threads of a segment */

constexpr uint64_t ENDED_WRONG = UINT64_C(1) << 32; /* added by a block that saw a wrong entry */
constexpr uint64_t COUNTED = UINT64_C(1) << 32;     /* added by a thread, or a warp, with the keys that it counted */

template <GpusortKeyForm FORM>
using KeyOf = std::conditional_t<
    FORM == GPUSORT_KEY_INT16, uint16_t,
    std::conditional_t<FORM == GPUSORT_KEY_INT32 || FORM == GPUSORT_KEY_UINT32 || FORM == GPUSORT_KEY_FLOAT32, uint32_t,
                       uint64_t>>;

/* What the kernels of a check leave to each other. */
struct Notes {
    uint64_t *digests;    /* found by each block before the sort; the second kernel's blocks from MOST_BLOCKS on */
    uint64_t *places;     /* found by the same blocks for the balance */
    uint64_t *arrived;    /* the digest of what each copying block brought */
    uint32_t *narrived;   /* how many copying blocks there were */
    uint64_t *difference; /* sum of the blocks' digests after the sort, less those before it */
    uint64_t *balance;    /* sum of what the same blocks found for the balance */
    uint64_t *ended;      /* blocks that have ended, plus ENDED_WRONG for each that saw a wrong entry */
    uint32_t *nlong;      /* how many segments are in the list */
    uint32_t *list;       /* the numbers of the long segments; null if all are long */
    uint64_t *counters;   /* of each segment: its keys up to the last wanted one, plus COUNTED for each count */
    void *kept;           /* the entries before the sort; null if they are not kept */
    size_t bytes;
};

/* How the kernels are spread over a batch. */
struct Grid {
    uint32_t lanes;       /* threads per short segment, a power of two */
    uint32_t short_class; /* segments of longer classes are long */
    uint32_t long_segments;
    uint32_t short_blocks;
    uint32_t long_blocks;
    uint32_t copying_blocks; /* further blocks, which make the copies */
    uint32_t parts;          /* how many parts each long segment has */
    bool mixed;              /* there are both short and long segments */
};

struct Check {
    const void *keys; /* with an index those before the sort */
    const uint32_t *payload;
    const void *kept; /* the entries before the sort; null if they were digested then */
    Gather gather;
    KeyDigests digests;
    const GpusortSegment *segments;
    uint32_t nsegments;
    GpusortPayload kind;
    Coding coding;
    uint64_t limit;
    bool ordered;  /* check the order */
    bool balanced; /* check the balance */
    bool listing;  /* list the long segments */
    Notes notes;
    Grid grid;
    Copies copies;
    uint32_t *failed;
};

/* The findings of a thread. */
struct Found {
    uint64_t digest = 0;
    uint64_t balance = 0;
    bool wrong = false;
};

/* A number that differs from segment to segment, so an exchange of keys between segments is noticed. */
struct Salt {
    uint32_t a, b;
};

__device__ __forceinline__ Salt salt_of(uint32_t number)
{
    const uint64_t mixed = (number + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    const uint64_t salt = (mixed ^ (mixed >> 29)) * UINT64_C(0x94d049bb133111eb);

    return {uint32_t(salt), uint32_t(salt >> 32)};
}

/* What an entry adds to a digest: a product of two numbers made of it. A plain sum would miss compensating errors. */
__device__ __forceinline__ uint64_t mix(uint32_t entry, Salt salt)
{
    const uint32_t other = entry * UINT32_C(0x9e3779b1) + salt.b;

    return uint64_t{entry ^ salt.a} * (other ^ (other >> 15));
}

__device__ __forceinline__ uint64_t mix(uint64_t entry, Salt salt)
{
    const uint32_t low = uint32_t(entry), high = uint32_t(entry >> 32);

    return mix(low, {salt.a, salt.b + high * UINT32_C(0x85ebca6b)}) +
           mix(high, {salt.b, salt.a + low * UINT32_C(0xc2b2ae35)});
}

__device__ __forceinline__ uint64_t mix(uint16_t entry, Salt salt)
{
    return mix(uint32_t{entry}, salt);
}

/* A code that does not fall along a sorted segment. With TIED both zeros have one code. */
template <GpusortKeyForm FORM, bool TIED>
__device__ __forceinline__ KeyOf<FORM> order_code(const Check &check, KeyOf<FORM> key)
{
    constexpr Coding ORDERED = {FORM, false, TIED};

    return encode(ORDERED, key) ^ KeyOf<FORM>(check.coding.descending ? -1 : 0);
}

/* The entries begin .. end of a segment. A thread takes every lanes-th run of them, from run `lane` on. */
struct Entries {
    uint32_t number; /* of the segment */
    GpusortSegment segment;
    Salt salt;
    uint32_t begin, end; /* a few thousand apart at most */
    uint32_t lane, lanes;
    uint32_t wanted; /* how many of the segment's entries are wanted */

    __device__ bool limited() const
    {
        return wanted < segment.count;
    }
};

/*
 * A run is 16 aligned bytes, which one load brings. The segment may begin or end within it.
 * With a limit only keys below the last wanted one are digested, because any of the keys
 * equal to that one may be among the wanted. `upto` counts both.
 */
template <GpusortKeyForm FORM, bool SORTED>
__device__ __forceinline__ Found look_at_keys(const Check &check, const void *all, const Entries &entries,
                                              KeyOf<FORM> last, uint32_t *upto)
{
    using Key = KeyOf<FORM>;
    constexpr uint32_t KEYS = KEY_RUN_BYTES / sizeof(Key);
    constexpr Coding DIGESTED = {FORM, false, false};
    const Key *keys = static_cast<const Key *>(all);
    const uint64_t start = entries.segment.start;
    const uint32_t size = entries.end - entries.begin;
    const uint32_t second = max(entries.begin, 1u); /* the first key with a predecessor */
    const uint32_t ordered_end = min(entries.end, entries.wanted);
    const uint32_t successors = check.ordered && ordered_end > second ? ordered_end - second : 0;
    const bool limited = entries.limited();
    Found found;

    for (uint64_t run = (start + entries.begin) / KEYS + entries.lane; run * KEYS < start + entries.end;
         run += entries.lanes) {
        const uint32_t at = uint32_t(run * KEYS - start); /* wraps before the segment, beyond its end */
        uint4 loaded = static_cast<const uint4 *>(all)[run];
        Key key[KEYS],
            before = order_code<FORM, false>(check, SORTED && run * KEYS > start ? keys[run * KEYS - 1] : Key(0));

        memcpy(key, &loaded, sizeof(key));
#pragma unroll
        for (uint32_t i = 0; i < KEYS; i++) {
            const bool own = at + i - entries.begin < size;
            bool digested = own;

            if (limited) {
                const Key code = order_code<FORM, false>(check, key[i]);

                digested &= code < last && (!SORTED || at + i < entries.wanted);
                *upto += own && code <= last;
            }
            if (digested)
                found.digest += mix(encode(DIGESTED, key[i]), entries.salt);
            if constexpr (SORTED) {
                const Key code = order_code<FORM, false>(check, key[i]);

                found.wrong |= at + i - second < successors && code < before;
                before = code;
            }
            if (!own)
                key[i] = 0;
        }
        memcpy(&loaded, key, sizeof(key));
        found.balance += digest_of(loaded, run);
    }
    return found;
}

__device__ uint64_t look_at_payload(const void *all, const Entries &entries)
{
    const uint32_t *payload = static_cast<const uint32_t *>(all) + entries.segment.start + entries.begin;
    const uint32_t size = entries.end - entries.begin;
    uint64_t sum = 0;

    for (uint32_t at = entries.lane * RUN; at < size; at += entries.lanes * RUN) {
        uint32_t entry[RUN];

#pragma unroll
        for (int i = 0; i < RUN; i++)
            entry[i] = at + i < size ? payload[at + i] : 0;
#pragma unroll
        for (int i = 0; i < RUN; i++)
            if (at + i < size)
                sum += mix(entry[i], entries.salt);
    }
    return sum;
}

/* Gathers the entry that the position names, and returns the digest of what leaves in this slot. */
__device__ __forceinline__ uint64_t leave_entry(const Check &check, uint64_t start, uint64_t slot, uint32_t position,
                                                bool right)
{
    if (!check.gather.to)
        return gpusort_digest32(slot, position);
    if (!right)
        return 0;

    const uint32_t value = check.gather.from[start + position];

    check.gather.to[slot] = value;
    return gpusort_digest32(slot, value);
}

/*
 * The digest is that of the wanted positions less that of the right ones. These are 0, 1,
 * 2, ... or, with a limit, the positions of all keys that come no later than the last
 * wanted one.
 */
template <GpusortKeyForm FORM>
__device__ Found look_at_index(const Check &check, const Entries &entries)
{
    using Key = KeyOf<FORM>;
    const uint64_t start = entries.segment.start;
    const Key *keys = static_cast<const Key *>(check.keys) + start;
    const uint32_t *index = check.payload + start + entries.begin;
    const uint32_t count = entries.segment.count, size = entries.end - entries.begin;
    const uint32_t wanted = entries.wanted > entries.begin ? min(size, entries.wanted - entries.begin) : 0;
    const bool limited = entries.limited();
    Found found;

    for (uint32_t at = entries.lane * RUN; at < size; at += entries.lanes * RUN) {
        const bool first = entries.begin + at == 0;
        uint32_t position[RUN + 1]; /* [0] is the one before the run */
        Key key[RUN + 1];
        bool right[RUN + 1];

#pragma unroll
        for (int i = 0; i <= RUN; i++)
            position[i] = at + i <= size && !(first && i == 0) ? index[int32_t(at) + i - 1] : 0;
#pragma unroll
        for (int i = 0; i <= RUN; i++) {
            right[i] = position[i] < count;
            found.wrong |= !right[i] && wanted > 0 && at + i <= wanted;
            key[i] = check.ordered && right[i] ? keys[position[i]] : Key(0);
        }
#pragma unroll
        for (int i = 1; i <= RUN; i++) {
            const uint32_t place = entries.begin + at + i - 1;

            if (at + i <= size && (at + i <= wanted || !check.gather.to))
                found.balance -= leave_entry(check, start, start + place, position[i], right[i]);
            if (at + i <= wanted) {
                const Key code = order_code<FORM, true>(check, key[i]),
                          before = order_code<FORM, true>(check, key[i - 1]);

                found.digest += mix(position[i], entries.salt) - (limited ? 0 : mix(place, entries.salt));
                found.wrong |= check.ordered && !(first && i == 1) &&
                               (code < before || (code == before && position[i] <= position[i - 1]));
            }
        }
    }
    if (!limited)
        return found;

    const uint32_t last = check.payload[start + entries.wanted - 1];
    const Key last_code = order_code<FORM, true>(check, last < count ? keys[last] : Key(0));

    for (uint32_t place = entries.begin + entries.lane; place < entries.end; place += entries.lanes) {
        const Key code = order_code<FORM, true>(check, keys[place]);

        if (code < last_code || (code == last_code && place <= last))
            found.digest -= mix(place, entries.salt);
    }
    return found;
}

/* Adds a thread's count to its segment's. The last of `threads` sees whether there are enough keys. */
__device__ void count_keys(const Check &check, const Entries &entries, uint64_t upto, uint64_t threads, Found *found)
{
    uint64_t *counter = check.notes.counters + entries.number;
    const uint64_t mine = COUNTED + upto;
    const uint64_t all = mine + atomicAdd(reinterpret_cast<unsigned long long *>(counter), mine);

    if (all / COUNTED < threads)
        return;
    found->wrong |= uint32_t(all) < entries.wanted;
    *counter = 0;
}

/* Looks at a thread's share of a segment. `lookers` threads share it. */
template <GpusortKeyForm FORM, bool AFTER>
__device__ __forceinline__ void look(const Check &check, Entries entries, uint64_t lookers, Found *total)
{
    using Key = KeyOf<FORM>;
    const uint32_t count = entries.segment.count;
    const bool compare = AFTER && check.kept;
    Found found, before;

    entries.wanted = check.limit > 0 && check.limit < count ? uint32_t(check.limit) : count;
    if (check.kind == GPUSORT_PAYLOAD_INDEX) {
        if (AFTER && entries.begin < entries.end)
            found = look_at_index<FORM>(check, entries);
    } else if (check.kind == GPUSORT_PAYLOAD_CARRIED) {
        if (!entries.limited())
            found.digest = look_at_payload(check.payload, entries);
        if (compare && !entries.limited())
            found.digest -= look_at_payload(check.kept, entries);
    } else {
        Key last = 0;
        uint32_t sorted_upto = 0, upto = 0;

        if (AFTER && entries.limited())
            last = order_code<FORM, false>(
                check, static_cast<const Key *>(check.keys)[entries.segment.start + entries.wanted - 1]);
        if (entries.begin < entries.end) {
            found = look_at_keys<FORM, AFTER>(check, check.keys, entries, last, &sorted_upto);
            if (AFTER)
                found.balance = -found.balance;
            if (compare) {
                before = look_at_keys<FORM, false>(check, check.kept, entries, last, &upto);
                found.digest -= before.digest;
                found.balance += before.balance;
            }
        }
        if (AFTER && entries.limited()) {
            if (lookers > THREADS) {
#pragma unroll
                for (int i = 16; i > 0; i /= 2)
                    upto += __shfl_xor_sync(UINT32_MAX, upto, i);
                if (threadIdx.x % 32 == 0)
                    count_keys(check, entries, upto, lookers / 32, &found);
            } else
                count_keys(check, entries, upto, lookers, &found);
        }
    }
    total->digest += found.digest;
    total->balance += found.balance;
    total->wrong |= found.wrong;
}

__device__ uint32_t thread_of_block()
{
    return threadIdx.y * blockDim.x + threadIdx.x;
}

/* The work of a copying block: its share of the copies. After the sort it also takes off what came. */
template <bool AFTER>
__device__ Found copy_beside(const Check &check, uint32_t block)
{
    const uint32_t thread = block * THREADS + thread_of_block(), threads = check.grid.copying_blocks * THREADS;
    Found found;

    found.balance = copy_pieces(check.copies, thread, threads);
    if (AFTER)
        for (uint32_t i = thread; i < *check.notes.narrived; i += threads)
            found.balance -= check.notes.arrived[i];
    return found;
}

/* Clears the sums for the look after the sort. */
__device__ void clear(const Notes &notes)
{
    *notes.difference = 0;
    *notes.balance = 0;
    *notes.ended = 0;
}

/* The sum of the numbers of a block's threads, in its first thread. */
__device__ uint64_t sum_of_block(uint64_t sum)
{
    __shared__ uint64_t warp_sums[THREADS / 32];
    const uint32_t thread = thread_of_block();

#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        sum += __shfl_xor_sync(UINT32_MAX, sum, i);
    __syncthreads();
    if (thread % 32 == 0)
        warp_sums[thread / 32] = sum;
    __syncthreads();
    if (thread == 0)
        for (int w = 1; w < THREADS / 32; w++)
            sum += warp_sums[w];
    return sum;
}

/* Notes the digest of what a copying block before the sort has brought. */
__device__ void leave_arrived(const Notes &notes, uint32_t block, uint32_t blocks, Found found)
{
    const uint64_t sum = sum_of_block(found.balance);

    if (thread_of_block() != 0)
        return;
    notes.arrived[block] = sum;
    *notes.narrived = blocks;
}

/* Notes what block `number` of those that look has found before the sort. */
__device__ void leave_before(const Notes &notes, uint32_t number, Found found)
{
    const uint64_t digest = sum_of_block(found.digest), balance = sum_of_block(found.balance);

    if (thread_of_block() != 0)
        return;
    notes.digests[number] = digest;
    notes.places[number] = balance;
    clear(notes);
}

/* Adds what a block has found after the sort. The last block gives the verdict. */
__device__ void leave_after(const Check &check, Found found)
{
    const Notes &notes = check.notes;
    const Grid &grid = check.grid;
    const uint32_t blocks = grid.short_blocks + grid.long_blocks + grid.copying_blocks;
    const bool wrong = __syncthreads_or(found.wrong);
    uint64_t difference = sum_of_block(found.digest), balance = sum_of_block(found.balance);
    uint64_t ended = 1 + (wrong ? ENDED_WRONG : 0);

    if (thread_of_block() != 0)
        return;
    if (blocks > 1) {
        atomicAdd(reinterpret_cast<unsigned long long *>(notes.difference), difference);
        atomicAdd(reinterpret_cast<unsigned long long *>(notes.balance), balance);
        __threadfence();
        ended += atomicAdd(reinterpret_cast<unsigned long long *>(notes.ended), ended);
        if (ended % ENDED_WRONG < blocks)
            return;
        __threadfence();
        difference = __ldcg(notes.difference);
        balance = __ldcg(notes.balance);
    }
    if (check.digests.came)
        balance -= *check.digests.came;
    *check.failed = ended >= ENDED_WRONG || difference != 0 || (check.balanced && balance != 0);
    clear(notes);
    if (check.listing)
        *notes.nlong = 0;
}

/* Leaves what block `number` of those that look, in both kernels, has found. */
template <bool AFTER>
__device__ void leave(const Check &check, uint32_t number, Found found)
{
    if (!AFTER) {
        leave_before(check.notes, number, found);
        return;
    }
    if (check.digests.left) {
        const uint64_t left = sum_of_block(-found.balance);

        if (thread_of_block() == 0)
            atomicAdd(reinterpret_cast<unsigned long long *>(check.digests.left), left);
        found.balance = 0;
    }
    if (!check.kept && thread_of_block() == 0) {
        found.digest -= check.notes.digests[number];
        found.balance += check.notes.places[number];
    }
    leave_after(check, found);
}

/* Leaves what a copying block has found. */
template <bool AFTER>
__device__ void copy_and_leave(const Check &check, uint32_t block)
{
    const Found found = copy_beside<AFTER>(check, block);

    if (AFTER)
        leave_after(check, found);
    else
        leave_arrived(check.notes, block, check.grid.copying_blocks, found);
}

/* Looks at short segments: each row of a block's threads takes one. */
template <GpusortKeyForm FORM, bool AFTER>
__global__ void __launch_bounds__(THREADS, RESIDENT) look_at_segments(const __grid_constant__ Check check)
{
    const uint32_t lane = threadIdx.x, lanes = blockDim.x, blocks = check.grid.short_blocks;
    Found found;

    if (blockIdx.x >= blocks) {
        copy_and_leave<AFTER>(check, blockIdx.x - blocks);
        return;
    }
    for (uint64_t number = uint64_t{blockIdx.x} * blockDim.y + threadIdx.y; number < check.nsegments;
         number += uint64_t{blocks} * blockDim.y) {
        const GpusortSegment segment = check.segments[number];

        if (segment.count <= 1u << check.grid.short_class)
            look<FORM, AFTER>(check,
                              {uint32_t(number), segment, salt_of(uint32_t(number)), 0, segment.count, lane, lanes},
                              lanes, &found);
        else if (check.listing && lane == 0)
            check.notes.list[atomicAdd(check.notes.nlong, 1)] = uint32_t(number);
    }
    leave<AFTER>(check, blockIdx.x, found);
}

/* Looks at long segments. Part p of a segment is its chunks p, p + parts, ... */
template <GpusortKeyForm FORM, bool AFTER>
__global__ void __launch_bounds__(THREADS, RESIDENT) look_at_long_segments(const __grid_constant__ Check check)
{
    const uint64_t work = uint64_t{check.grid.long_segments} * check.grid.parts;
    const uint32_t blocks = check.grid.long_blocks;
    Found found;

    if (blockIdx.x >= blocks) {
        copy_and_leave<AFTER>(check, blockIdx.x - blocks);
        return;
    }
    for (uint64_t item = blockIdx.x; item < work; item += blocks) {
        const uint32_t place = uint32_t(item / check.grid.parts);
        const uint32_t number = check.notes.list ? check.notes.list[place] : place;
        const GpusortSegment segment = check.segments[number];

        for (uint64_t begin = item % check.grid.parts * CHUNK; begin < segment.count;
             begin += uint64_t{check.grid.parts} * CHUNK) {
            const uint64_t end = begin + CHUNK < segment.count ? begin + CHUNK : segment.count;

            look<FORM, AFTER>(check,
                              {number, segment, salt_of(number), uint32_t(begin), uint32_t(end), threadIdx.x, THREADS},
                              uint64_t{(segment.count - 1) / CHUNK + 1} * THREADS, &found);
        }
    }
    leave<AFTER>(check, MOST_BLOCKS + blockIdx.x, found);
}

__global__ void __launch_bounds__(THREADS) make_copies(const __grid_constant__ Copies copies)
{
    copy_pieces(copies, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS);
}

/* Makes the copies, one of which keeps the entries for the look after the sort. */
__global__ void __launch_bounds__(THREADS) keep_entries(const __grid_constant__ Check check)
{
    leave_arrived(check.notes, blockIdx.x, gridDim.x, copy_beside<false>(check, blockIdx.x));
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        clear(check.notes);
        *check.notes.nlong = 0;
    }
}

/* Makes the copies of what was gathered. */
__global__ void __launch_bounds__(THREADS) let_leave(const __grid_constant__ Check check)
{
    copy_and_leave<true>(check, blockIdx.x);
}

}  // namespace

}  // namespace gpusort

#endif /* GPUSORT_VERIFY_KERNELS_CUH */
