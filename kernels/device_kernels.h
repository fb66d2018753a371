// The device twins of host_kernels.h: the same symbols, parameter structs and
// launch shapes, on device memory.
//
// The layer owns no stream and synchronizes nothing. Any thread may call these;
// the launch goes to the calling thread's current device.
#ifndef REPRISE_KERNELS_DEVICE_KERNELS_H_
#define REPRISE_KERNELS_DEVICE_KERNELS_H_

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string_view>

#include "kernels/host_kernels.h"

namespace reprise {

// The __global__ function of that symbol as the runtime names it, or nullptr
// where there is none: an unknown symbol, or a weight format that this build
// leaves out.
const void* FindDeviceFunction(std::string_view symbol);

// Lets launches of the function take that much dynamic shared memory; nothing
// to do for what every kernel may take.
cudaError_t AllowSharedBytes(const void* function, std::uint32_t bytes);

// How a launch depends on the work before it in its stream: on its end, or on
// its trigger (programmatic.cuh; before sm_90 that is the end too).
enum class Dependency { kFull, kProgrammatic };

// Launches the kernel over `params`, its parameter struct. An empty shape
// launches nothing. Allows the shared memory that the shape asks for first.
// Errors   cudaErrorInvalidDeviceFunction if there is no device twin, and what
//          the launch returns.
cudaError_t LaunchOnStream(const HostKernel& kernel, const void* params,
                           Dependency dependency, cudaStream_t stream);

}  // namespace reprise

#endif  // REPRISE_KERNELS_DEVICE_KERNELS_H_
