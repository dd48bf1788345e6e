/*
 * pairs32.cu
 *	  Networks of 32-bit keys that carry positions.
 */
#include "network/launch.cuh"

namespace gpusort
{

using Shapes = NetworkShapes<Pairs32, Pairs32, 16, 1024, 512, 6, 32, 512>;

const NetworkLauncher launch_pairs32 = {Shapes::can, Shapes::launch};

}  // namespace gpusort
