/*
 * keys64.cu
 *	  Networks of 64-bit keys.
 */
#include "network/launch.cuh"

namespace gpusort
{

using Shapes = NetworkShapes<Keys64, Keys64, 16, 1024, 512, 14, 32, 512>;

const NetworkLauncher launch_keys64 = {Shapes::can, Shapes::launch};

}  // namespace gpusort
