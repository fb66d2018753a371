// Owners of the CUDA runtime's handles.
#ifndef REPRISE_BENCHMARKS_DEVICE_HANDLES_H_
#define REPRISE_BENCHMARKS_DEVICE_HANDLES_H_

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "benchmarks/device/failure.h"

namespace reprise {

// What a destructor gets back is of no use: an error of the device shows at the
// next call that is checked.
template <typename Handle, cudaError_t (*kDestroy)(Handle)>
struct Destroy {
  void operator()(Handle handle) const { kDestroy(handle); }
};
template <typename Handle, cudaError_t (*kDestroy)(Handle)>
using Owned =
    std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle, kDestroy>>;

using Stream = Owned<cudaStream_t, &cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, &cudaEventDestroy>;
using CapturedGraph = Owned<cudaGraph_t, &cudaGraphDestroy>;
using GraphExec = Owned<cudaGraphExec_t, &cudaGraphExecDestroy>;

inline Stream MakeStream() {
  cudaStream_t stream = nullptr;
  CheckCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
            "create a stream");
  return Stream(stream);
}

inline Event MakeEvent() {
  cudaEvent_t event = nullptr;
  CheckCuda(cudaEventCreate(&event), "create an event");
  return Event(event);
}

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_DEVICE_HANDLES_H_
