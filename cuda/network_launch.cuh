/*
 * network_launch.cuh
 *	  Which kernel sorts which class of lengths, for one kind of element.
 *
 * Tuning lives here: row lengths, threads of the longest block, registers.
 */
#ifndef GPUSORT_NETWORK_LAUNCH_CUH
#define GPUSORT_NETWORK_LAUNCH_CUH

#include "network.cuh"

namespace gpusort
{

/*
 * ROW elements a lane; blocks of up to MAX_THREADS; RESIDENT: threads that a
 * multiprocessor should hold at least, which bounds the registers of a thread.
 */
template <class Element, int ROW, int MAX_THREADS, int RESIDENT>
struct NetworkShapes {
    using S = Shape<Element, ROW>;
    static constexpr uint32_t ROW_CLASS = log2_of(ROW);
    static constexpr uint32_t WARP_CLASS = ROW_CLASS + 5;
    static constexpr uint32_t BLOCK_CLASS = ROW_CLASS + log2_of(MAX_THREADS);

    static constexpr int threads(uint32_t length_class)
    {
        return length_class > BLOCK_CLASS ? MAX_THREADS : 1 << (length_class - ROW_CLASS);
    }

    static constexpr int block_bytes(int threads)
    {
        return threads * S::STRIDE * int(sizeof(typename Element::Code));
    }

    static bool can(uint32_t length_class, const NetworkDevice &device)
    {
        if (length_class <= WARP_CLASS)
            return true;
        return length_class <= NETWORK_LONGEST_CLASS && block_bytes(threads(length_class)) <= device.shared_bytes &&
               (length_class <= BLOCK_CLASS || device.clusters);
    }

    /* Rows of the shortest segments are shorter. */
    template <int SHORT_ROW, int LEVELS>
    static cudaError_t launch_warps(const NetworkTask &task, cudaStream_t stream)
    {
        constexpr uint32_t groups = (WARP_SORT_THREADS >> LEVELS) * Element::SEGMENTS;

        warp_sort<Element, SHORT_ROW, LEVELS, RESIDENT / WARP_SORT_THREADS>
            <<<(task.count + groups - 1) / groups, WARP_SORT_THREADS, 0, stream>>>(task);
        return cudaGetLastError();
    }

    template <uint32_t CLASS>
    static cudaError_t launch_blocks(const NetworkTask &task, cudaStream_t stream)
    {
        constexpr int THREADS = threads(CLASS);
        constexpr int CLUSTER_BITS = CLASS > BLOCK_CLASS ? CLASS - BLOCK_CLASS : 0;
        constexpr int RESIDENT_BLOCKS = RESIDENT / THREADS > 0 ? RESIDENT / THREADS : 1;
        auto kernel = block_sort<Element, ROW, THREADS, CLUSTER_BITS, RESIDENT_BLOCKS>;
        cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, block_bytes(THREADS));
        cudaLaunchAttribute attribute = {};
        cudaLaunchConfig_t config = {};

        if (error != cudaSuccess)
            return error;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = 1 << CLUSTER_BITS;
        attribute.val.clusterDim.y = 1;
        attribute.val.clusterDim.z = 1;
        config.gridDim = dim3((task.count + Element::SEGMENTS - 1) / Element::SEGMENTS << CLUSTER_BITS);
        config.blockDim = dim3(THREADS);
        config.dynamicSmemBytes = block_bytes(THREADS);
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = CLUSTER_BITS > 0;
        return cudaLaunchKernelEx(&config, kernel, task);
    }

    template <uint32_t CLASS>
    static cudaError_t launch_class(const NetworkTask &task, cudaStream_t stream)
    {
        if constexpr (CLASS <= 3)
            return launch_warps<8, 0>(task, stream);
        else if constexpr (CLASS <= ROW_CLASS)
            return launch_warps<1 << CLASS, 0>(task, stream);
        else if constexpr (CLASS <= WARP_CLASS)
            return launch_warps<ROW, CLASS - ROW_CLASS>(task, stream);
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
        return launch_any(length_class < 3 ? 3 : length_class, task, stream,
                          std::make_integer_sequence<uint32_t, NETWORK_LONGEST_CLASS + 1>());
    }
};

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_LAUNCH_CUH */
