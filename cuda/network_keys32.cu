/*
 * network_keys32.cu
 *	  Networks of 32-bit keys.
 */
#include "network_launch.cuh"

namespace gpusort
{

using Shapes = NetworkShapes<Keys32, 32, 1024, 1024>;

const NetworkLauncher launch_keys32 = {Shapes::can, Shapes::launch};

}  // namespace gpusort
