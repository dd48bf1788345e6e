/*
 * pairs64.cu
 *	  Networks of 64-bit keys that carry positions.
 */
#include "network/launch.cuh"

namespace gpusort
{

using Shapes = NetworkShapes<Pairs64, Pairs64, 8, 1024, 1024, 99, 8, 1024>;

const NetworkLauncher launch_pairs64 = {Shapes::can, Shapes::launch};

}  // namespace gpusort
