/*
 * network.cuh
 *	  Launches of the network kernels, one file per kind of element, for network.cu.
 */
#ifndef GPUSORT_NETWORK_CUH
#define GPUSORT_NETWORK_CUH

#include "network/task.cuh"

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

    /* Sorts the task's segments, all of the class of lengths or shorter. */
    cudaError_t (*launch)(uint32_t length_class, const NetworkTask &task, cudaStream_t stream);
};

extern const NetworkLauncher launch_keys16;
extern const NetworkLauncher launch_keys32;
extern const NetworkLauncher launch_keys64;
extern const NetworkLauncher launch_pairs16;
extern const NetworkLauncher launch_pairs32;
extern const NetworkLauncher launch_pairs64;

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_CUH */
