// Owners of a stream and of an event.
#ifndef REPRISE_EXAMPLES_DECODER_DEVICE_HANDLES_H_
#define REPRISE_EXAMPLES_DECODER_DEVICE_HANDLES_H_

#include <cuda_runtime_api.h>

#include <memory>

#include "absl/status/statusor.h"
#include "driver/cuda_status.h"

namespace reprise::decoder {

// What a destroy returns is of no use to anyone: an error of the device shows
// at the next call.
struct DestroyHandle {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using OwnedStream = std::unique_ptr<CUstream_st, DestroyHandle>;
using OwnedEvent = std::unique_ptr<CUevent_st, DestroyHandle>;

// One that does not wait for the default stream, and so can be captured.
inline absl::StatusOr<OwnedStream> MakeStream() {
  cudaStream_t stream = nullptr;
  const cudaError_t result =
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (result != cudaSuccess) return CudaStatus(result, "create a stream");
  return OwnedStream(stream);
}

// `flags` are CUDA's: an event that only orders has no time.
inline absl::StatusOr<OwnedEvent> MakeEvent(
    unsigned int flags = cudaEventDisableTiming) {
  cudaEvent_t event = nullptr;
  const cudaError_t result = cudaEventCreateWithFlags(&event, flags);
  if (result != cudaSuccess) return CudaStatus(result, "create an event");
  return OwnedEvent(event);
}

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_DEVICE_HANDLES_H_
