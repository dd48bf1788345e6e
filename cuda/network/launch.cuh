/*
 * launch.cuh
 *	  Which kernel sorts which class of lengths, for one kind of element.
 *
 * Tuning lives here: row lengths, threads of the longest block, registers.
 */
#ifndef GPUSORT_NETWORK_LAUNCH_CUH
#define GPUSORT_NETWORK_LAUNCH_CUH

#include "network/kernels.cuh"
#include "network/network.cuh"

namespace gpusort
{

/*
 * Element for segments of less than a warp, LongElement for the others.  ROW elements a
 * lane, and WIDE_ROW from class WIDE_CLASS on; blocks of up to MAX_THREADS.  RESIDENT and WIDE_RESIDENT: threads that a
 * multiprocessor should hold, which bounds the registers of a thread.
 */
template <class Element, class LongElement, int ROW, int RESIDENT, int MAX_THREADS, uint32_t WIDE_CLASS, int WIDE_ROW,
          int WIDE_RESIDENT>
struct NetworkShapes {
    static constexpr int row(uint32_t length_class)
    {
        /* What two warps with rows of 16 would share, one with rows of 32 takes. */
        return length_class >= WIDE_CLASS || (ROW == 16 && length_class == 10) ? WIDE_ROW : ROW;
    }

    /* Binary logarithm of the blocks that share a segment. */
    static constexpr int cluster_bits(uint32_t length_class)
    {
        const int longest = log2_of(row(length_class)) + log2_of(MAX_THREADS);

        return int(length_class) > longest ? int(length_class) - longest : 0;
    }

    static constexpr int threads(uint32_t length_class)
    {
        return 1 << (int(length_class) - cluster_bits(length_class) - log2_of(row(length_class)));
    }

    static constexpr int block_bytes(uint32_t length_class)
    {
        return threads(length_class) * (row(length_class) * int(sizeof(typename Element::Code)) + 16);
    }

    static bool can(uint32_t length_class, const NetworkDevice &device)
    {
        if (length_class <= log2_of(ROW) + 5)
            return true;
        return length_class <= NETWORK_LONGEST_CLASS && block_bytes(length_class) <= device.shared_bytes &&
               (cluster_bits(length_class) == 0 || device.clusters);
    }

    static cudaError_t start(void (*kernel)(NetworkTask), const NetworkTask &task, uint32_t blocks, int threads,
                             int shared_bytes, int cluster_bits, cudaStream_t stream)
    {
        cudaLaunchAttribute cluster = {};
        cudaLaunchConfig_t config = {};

        config.gridDim = dim3(blocks);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared_bytes;
        config.stream = stream;
        if (cluster_bits > 0) {
            cluster.id = cudaLaunchAttributeClusterDimension;
            cluster.val.clusterDim.x = 1 << cluster_bits;
            cluster.val.clusterDim.y = 1;
            cluster.val.clusterDim.z = 1;
            config.attrs = &cluster;
            config.numAttrs = 1;
        }
        return cudaLaunchKernelEx(&config, kernel, task);
    }

    template <int LANE_ROW, int LEVELS, int THREADS>
    static cudaError_t launch_warps(const NetworkTask &task, cudaStream_t stream)
    {
        using Sorted = std::conditional_t<LEVELS == 5, LongElement, Element>;
        constexpr uint32_t groups = WARP_SORT_THREADS >> LEVELS;

        return start(warp_sort<Sorted, LANE_ROW, LEVELS, THREADS / WARP_SORT_THREADS>, task,
                     (task.count + groups - 1) / groups, WARP_SORT_THREADS, 0, 0, stream);
    }

    template <uint32_t CLASS>
    static cudaError_t launch_blocks(const NetworkTask &task, cudaStream_t stream)
    {
        constexpr int THREADS = threads(CLASS);
        constexpr int CLUSTER_BITS = cluster_bits(CLASS);
        constexpr int MOST_BITS = CLUSTER_BITS > 0 ? cluster_bits(NETWORK_LONGEST_CLASS) : 0;
        constexpr int WANTED = row(CLASS) == ROW ? RESIDENT : WIDE_RESIDENT;
        constexpr int RESIDENT_BLOCKS = WANTED / THREADS > 0 ? WANTED / THREADS : 1;
        auto kernel = block_sort<LongElement, row(CLASS), THREADS, MOST_BITS, RESIDENT_BLOCKS>;
        NetworkTask own = task;
        cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, block_bytes(CLASS));

        if (error != cudaSuccess)
            return error;
        own.cluster_bits = CLUSTER_BITS;
        return start(kernel, own, task.count << CLUSTER_BITS, THREADS, block_bytes(CLASS), CLUSTER_BITS, stream);
    }

    template <uint32_t CLASS>
    static cudaError_t launch_class(const NetworkTask &task, cudaStream_t stream)
    {
        constexpr uint32_t ROW_CLASS = log2_of(row(CLASS));

        if constexpr (CLASS <= 3)
            return launch_warps<8, 0, RESIDENT>(task, stream);
        else if constexpr (CLASS <= ROW_CLASS)
            return launch_warps<1 << CLASS, 0, RESIDENT>(task, stream);
        else if constexpr (CLASS <= ROW_CLASS + 5)
            return launch_warps < row(CLASS), CLASS - ROW_CLASS,
                   row(CLASS) == ROW ? RESIDENT : RESIDENT * 5 / 8 > (task, stream);
        else
            return launch_blocks<CLASS>(task, stream);
    }

    template <uint32_t... CLASS>
    static cudaError_t launch_any(uint32_t length_class, const NetworkTask &task, cudaStream_t stream,
                                  std::integer_sequence<uint32_t, CLASS...>)
    {
        cudaError_t error = cudaErrorInvalidValue;

        ((length_class == CLASS ? void(error = launch_class<CLASS>(task, stream)) : void()), ...);
        return error;
    }

    static cudaError_t launch(uint32_t length_class, const NetworkTask &task, cudaStream_t stream)
    {
        return launch_any(length_class, task, stream,
                          std::make_integer_sequence<uint32_t, NETWORK_LONGEST_CLASS + 1>());
    }
};

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_LAUNCH_CUH */
