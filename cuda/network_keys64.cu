/*
 * network_keys64.cu
 *	  Networks of 64-bit keys.
 */
#include "network_launch.cuh"

#ifndef ROW64
#define ROW64 16
#define MAXT64 1024
#define RES64 1024
#endif

namespace gpusort
{

using Shapes = NetworkShapes<Keys64, ROW64, MAXT64, RES64>;

const NetworkLauncher launch_keys64 = {Shapes::can, Shapes::launch};

}  // namespace gpusort
