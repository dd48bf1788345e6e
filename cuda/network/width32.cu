/*
 * width32.cu
 *	  Networks of 32-bit keys, alone and with positions.
 */
#include "network/launch.cuh"

namespace gpusort
{

using Keys = NetworkShapes<Keys32Of<4>, Keys32Of<3>, 32, 1024, 1024, 99, 32, 1024>;
using Pairs = NetworkShapes<Pairs32, Pairs32, 16, 1024, 512, 6, 32, 512>;

const NetworkLauncher launch_keys32 = {Keys::can, Keys::launch};
const NetworkLauncher launch_pairs32 = {Pairs::can, Pairs::launch};

}  // namespace gpusort
