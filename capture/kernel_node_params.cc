#include "capture/kernel_node_params.h"

#include <cstdint>

namespace reprise {

CUDA_KERNEL_NODE_PARAMS KernelNodeParams::Of(CUfunction function,
                                             const KernelLaunch& launch) {
  pointers_.clear();
  pointers_.reserve(launch.parameters.size());
  for (const Parameter& parameter : launch.parameters) {
    // The driver's type has no const, but it only reads.
    pointers_.push_back(
        const_cast<std::uint8_t*>(launch.bytes.data() + parameter.offset));
  }
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = function;
  params.gridDimX = launch.grid.x;
  params.gridDimY = launch.grid.y;
  params.gridDimZ = launch.grid.z;
  params.blockDimX = launch.block.x;
  params.blockDimY = launch.block.y;
  params.blockDimZ = launch.block.z;
  params.sharedMemBytes = launch.shared_bytes;
  params.kernelParams = pointers_.data();
  return params;
}

}  // namespace reprise
