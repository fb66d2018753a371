// Every kernel by its device symbol: what it takes, how wide it is launched,
// and its reference on host memory.
//
// `params` is the kernel's parameter struct (the single parameter of the device
// kernel, by value): `param_bytes` long and aligned to 8. A reference touches
// the memory that the struct points at and nothing else, so any threads may run
// references at once on memory that does not overlap.
#ifndef REPRISE_KERNELS_HOST_KERNELS_H_
#define REPRISE_KERNELS_HOST_KERNELS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "kernels/launch_shape.h"

namespace reprise {

struct HostKernel {
  std::string_view symbol;
  std::size_t param_bytes;
  void (*run)(const void* params);
  LaunchShape (*shape)(const void* params);
};

// Sorted by symbol.
std::span<const HostKernel> HostKernels();

// nullptr if there is no such kernel. O(log of the number of kernels).
const HostKernel* FindHostKernel(std::string_view symbol);

}  // namespace reprise

#endif  // REPRISE_KERNELS_HOST_KERNELS_H_
