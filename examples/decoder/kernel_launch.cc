#include "examples/decoder/kernel_launch.h"

#include <cstdint>

namespace reprise::decoder {

KernelLaunch LaunchOf(const KernelCall& call) {
  const auto dim = [](const std::uint32_t(&d)[3]) {
    return Dim3{d[0], d[1], d[2]};
  };
  KernelLaunch launch;
  launch.symbol = call.symbol;
  launch.grid = dim(call.shape.grid);
  launch.block = dim(call.shape.block);
  launch.shared_bytes = call.shape.shared_bytes;
  launch.parameters = {{0, static_cast<std::uint32_t>(call.params.size())}};
  launch.bytes = call.params;
  return launch;
}

}  // namespace reprise::decoder
