/*
 * keys32.cu
 *	  Networks of 32-bit keys.
 */
#include "network/launch.cuh"

namespace gpusort
{

using Shapes = NetworkShapes<Keys32Of<4>, Keys32Of<3>, 32, 1024, 1024, 99, 32, 1024>;

const NetworkLauncher launch_keys32 = {Shapes::can, Shapes::launch};

}  // namespace gpusort
