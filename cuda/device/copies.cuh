/*
 * copies.cuh
 *	  Copies made by kernels, and digests of what is copied.
 *
 * A copy by the device's copy engines starts later than a kernel does, and a kernel that
 * waits for it starts later again: 5 to 10 microseconds in all. So few bytes are copied
 * sooner by a kernel, and kernels that do other work can copy as well.
 *
 * A thread can also digest what it copies (keys/digest.h), because it has it in registers.
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

/* Copies that do not depend on each other. Entries with bytes == 0 are unused. */
struct Copies {
    Copy each[5];
};

/* How many pieces a copy has: 16 bytes each, and single bytes for the rest. */
__host__ __device__ inline uint64_t pieces(const Copy &copy)
{
    return copy.bytes / sizeof(uint4) + copy.bytes % sizeof(uint4);
}

/* How many blocks give each piece a thread, but at most `most`. */
inline uint32_t copying_blocks(const Copies &copies, uint32_t threads, uint32_t most)
{
    uint64_t total = 0;

    for (const Copy &copy : copies.each)
        total += pieces(copy);
    return uint32_t(std::min<uint64_t>((total + threads - 1) / threads, most));
}

/* The digest of piece number `number` of 16 bytes. */
__device__ __forceinline__ uint64_t digest_of(uint4 piece, uint64_t number)
{
    return gpusort_digest_word(4 * number, piece.x) + gpusort_digest_word(4 * number + 1, piece.y) +
           gpusort_digest_word(4 * number + 2, piece.z) + gpusort_digest_word(4 * number + 3, piece.w);
}

__device__ __forceinline__ uint64_t digest_of(uint8_t piece, uint64_t number)
{
    return gpusort_digest8(number, piece);
}

/* Copies a piece and returns its digest. */
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
 * Copies a thread's pieces. Pieces are dealt to threads round robin; each copy continues
 * where the previous one ended. Returns the sum of the pieces' digests; pieces are numbered
 * within their copy.
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
