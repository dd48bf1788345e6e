/*
 * width16.cu
 *	  Networks of 16-bit keys, alone and with positions.
 */
#include "network/launch.cuh"

namespace gpusort
{

using Keys = NetworkShapes<Keys16Of<4>, Keys16Of<3>, 32, 1024, 1024, 99, 32, 1024>;
using Pairs = NetworkShapes<Pairs16Of<4>, Pairs16Of<3>, 32, 1024, 1024, 99, 32, 1024>;

const NetworkLauncher launch_keys16 = {Keys::can, Keys::launch};
const NetworkLauncher launch_pairs16 = {Pairs::can, Pairs::launch};

}  // namespace gpusort
