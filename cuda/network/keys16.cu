/*
 * keys16.cu
 *	  Networks of 16-bit keys.
 */
#include "network/launch.cuh"

namespace gpusort
{

using Shapes = NetworkShapes<Keys16Of<4>, Keys16Of<3>, 32, 1024, 1024, 99, 32, 1024>;

const NetworkLauncher launch_keys16 = {Shapes::can, Shapes::launch};

}  // namespace gpusort
