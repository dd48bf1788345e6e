/*
 * copies.cuh
 *	  Copies made by kernels, between places that they reach.
 *
 * A copy that the device's engines make starts later than a kernel does, and a kernel
 * that waits for it later again, 5 to 10 microseconds in all. Few bytes are there
 * sooner when a kernel brings them, and other kernels can do it beside their work.
 */
#ifndef GPUSORT_COPIES_CUH
#define GPUSORT_COPIES_CUH

#include <stdint.h>

#include <algorithm>

#include <cuda_runtime.h>

namespace gpusort
{

/* All places are aligned to 16 bytes if a kernel copies. */
struct Copy {
    void *to;
    const void *from;
    uint64_t bytes;
    void *also; /* a second place to copy to, or null; for kernels */
};

/* Independent of each other; those of no bytes are none. */
struct Copies {
    Copy each[3];
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

template <class T>
__device__ void copy_piece(const Copy &copy, uint64_t i)
{
    const T piece = static_cast<const T *>(copy.from)[i];

    static_cast<T *>(copy.to)[i] = piece;
    if (copy.also)
        static_cast<T *>(copy.also)[i] = piece;
}

/* Copies a thread's pieces; which threads have some of a copy goes on from the copy before. */
__device__ inline void copy_pieces(const Copies &copies, uint32_t thread, uint32_t threads)
{
#pragma unroll
    for (const Copy &copy : copies.each) {
        const uint64_t whole = copy.bytes / sizeof(uint4);
        uint64_t i = thread;

        for (; i < whole; i += threads)
            copy_piece<uint4>(copy, i);
        for (; i < pieces(copy); i += threads)
            copy_piece<char>(copy, whole * sizeof(uint4) + i - whole);
        thread = uint32_t(i - pieces(copy));
    }
}

}  // namespace gpusort

#endif /* GPUSORT_COPIES_CUH */
