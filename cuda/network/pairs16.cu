/*
 * pairs16.cu
 *	  Networks of 16-bit keys that carry positions.
 */
#include "network/launch.cuh"

namespace gpusort
{

using Shapes = NetworkShapes<Pairs16Of<4>, Pairs16Of<3>, 32, 1024, 1024, 99, 32, 1024>;

const NetworkLauncher launch_pairs16 = {Shapes::can, Shapes::launch};

}  // namespace gpusort
