/*
 * copies.cuh
 *	  Copies made by kernels, between places that they reach, and their digests.
 *
 * A copy that the device's engines make starts later than a kernel does, and a kernel
 * that waits for it later again, 5 to 10 microseconds in all. Few bytes are there
 * sooner when a kernel brings them, and other kernels can do it beside their work.
 *
 * What a thread copies it can digest as well (keys/digest.h): it has it in registers.
 */
#ifndef GPUSORT_COPIES_CUH
#define GPUSORT_COPIES_CUH

#include <stdint.h>

#include <algorithm>

#include <cuda_runtime.h>

#include "keys/digest.h"

namespace gpusort
{

/* All places are aligned to 16 bytes if a kernel copies. */
struct Copy {
    void *to;         /* null: the bytes are digested only; for kernels */
    const void *from; /* null: zeros are written; for kernels */
    uint64_t bytes;
    void *also; /* a second place to copy to, or null; for kernels */
};

/* Independent of each other; those of no bytes are none. */
struct Copies {
    Copy each[5];
};

/* What threads copy one by one: 16 bytes each, and each byte that is left. */
__host__ __device__ inline uint64_t pieces(const Copy &copy)
{
    return copy.bytes / sizeof(uint4) + copy.bytes % sizeof(uint4);
}

/* Blocks that have a thread for each piece, or the most there may be. */
inline uint32_t copying_blocks(const Copies &copies, uint32_t threads, uint32_t most)
{
    uint64_t total = 0;

    for (const Copy &copy : copies.each)
        total += pieces(copy);
    return uint32_t(std::min<uint64_t>((total + threads - 1) / threads, most));
}

/* The digest of 16 bytes, of which those before them are `number` times as many. */
__device__ __forceinline__ uint64_t digest_of(uint4 piece, uint64_t number)
{
    return gpusort_digest_word(4 * number, piece.x) + gpusort_digest_word(4 * number + 1, piece.y) +
           gpusort_digest_word(4 * number + 2, piece.z) + gpusort_digest_word(4 * number + 3, piece.w);
}

__device__ __forceinline__ uint64_t digest_of(uint8_t piece, uint64_t number)
{
    return gpusort_digest8(number, piece);
}

/* Copies the piece, and returns its digest. */
template <class T>
__device__ __forceinline__ uint64_t copy_piece(const Copy &copy, uint64_t i)
{
    const T piece = copy.from ? static_cast<const T *>(copy.from)[i] : T{};

    if (copy.to)
        static_cast<T *>(copy.to)[i] = piece;
    if (copy.also)
        static_cast<T *>(copy.also)[i] = piece;
    return digest_of(piece, i);
}

/*
 * Copies a thread's pieces; which threads have some of a copy goes on from the copy before.
 * Returns the sum of the pieces' digests, each as its own copy's.
 */
__device__ inline uint64_t copy_pieces(const Copies &copies, uint32_t thread, uint32_t threads)
{
    uint64_t sum = 0;

#pragma unroll
    for (const Copy &copy : copies.each) {
        const uint64_t whole = copy.bytes / sizeof(uint4);
        uint64_t i = thread;

        for (; i < whole; i += threads)
            sum += copy_piece<uint4>(copy, i);
        for (; i < pieces(copy); i += threads)
            sum += copy_piece<uint8_t>(copy, whole * sizeof(uint4) + i - whole);
        thread = uint32_t(i - pieces(copy));
    }
    return sum;
}

}  // namespace gpusort

#endif /* GPUSORT_COPIES_CUH */
