/*
 * network_pairs32.cu
 *	  Networks of 32-bit keys that carry positions.
 */
#include "network_launch.cuh"

#ifndef ROW64
#define ROW64 16
#define MAXT64 1024
#define RES64 1024
#endif

namespace gpusort
{

using Shapes = NetworkShapes<Pairs32, ROW64, MAXT64, RES64>;

const NetworkLauncher launch_pairs32 = {Shapes::can, Shapes::launch};

}  // namespace gpusort
