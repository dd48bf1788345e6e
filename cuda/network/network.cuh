/*
 * network.cuh
 *	  Launches of the network kernels, one file per kind of element, for network.cu.
 */
#ifndef GPUSORT_NETWORK_CUH
#define GPUSORT_NETWORK_CUH

#include "network/kernels.cuh"

namespace gpusort
{

/* What of a device decides which kernels it can run. */
struct NetworkDevice {
    int shared_bytes; /* that one block may have */
    bool clusters;
};

/* The longest class (see gpusort_length_class) that networks sort on any device. */
constexpr uint32_t NETWORK_LONGEST_CLASS = 16;

struct NetworkLauncher {
    /* Whether the device can sort segments of the class. */
    bool (*can)(uint32_t length_class, const NetworkDevice &device);

    /* Sorts the task's segments, all of the bin of lengths or shorter. */
    cudaError_t (*launch)(uint32_t bin, const NetworkTask &task, cudaStream_t stream);

    /* Whether segments of the bin have a kernel of their own, not that of the class's longer ones. */
    bool (*is_apart)(uint32_t bin);

    /* The longest class that launch_short sorts. */
    uint32_t short_class;

    /* Sorts those of the task's segments, taken in order, that are of short_class or shorter. */
    cudaError_t (*launch_short)(const NetworkTask &task, int multiprocessors, cudaStream_t stream);

    /* The same for the classes up to together_class, worth it where lengths vary; nullptr if there is no such kernel.
     */
    uint32_t together_class;
    cudaError_t (*launch_together)(const NetworkTask &task, int multiprocessors, cudaStream_t stream);
};

extern const NetworkLauncher launch_keys16;
extern const NetworkLauncher launch_keys32;
extern const NetworkLauncher launch_keys64;
extern const NetworkLauncher launch_pairs16;
extern const NetworkLauncher launch_pairs32;
extern const NetworkLauncher launch_pairs64;

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_CUH */
