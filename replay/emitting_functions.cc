#include "replay/emitting_functions.h"

#include <cuda_runtime_api.h>

#include <string_view>

#include "absl/strings/str_cat.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"
#include "kernels/device_kernels.h"

namespace reprise {

absl::StatusOr<CUfunction> EmittingFunctions::Find(absl::string_view symbol,
                                                   std::uint32_t shared_bytes) {
  const auto known = found_.find(symbol);
  if (known != found_.end() && shared_bytes <= known->second.shared_bytes) {
    return known->second.function;
  }
  absl::StatusOr<CUfunction> function = Load(symbol, shared_bytes);
  if (function.ok()) found_[symbol] = {*function, shared_bytes};
  return function;
}

absl::StatusOr<CUfunction> EmittingFunctions::Load(
    absl::string_view symbol, std::uint32_t shared_bytes) const {
  const void* device_function =
      FindDeviceFunction(std::string_view(symbol.data(), symbol.size()));
  if (device_function == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("this build has no kernel ", symbol));
  }
  // The first use of a kernel may load its module.
  const RelaxedCapture relaxed(*driver_);
  cudaFunction_t function = nullptr;
  cudaError_t result = cudaGetFuncBySymbol(&function, device_function);
  if (result == cudaSuccess) {
    result = AllowSharedBytes(device_function, shared_bytes);
  }
  if (result != cudaSuccess) {
    return CudaStatus(result, absl::StrCat("load the kernel ", symbol));
  }
  return function;
}

}  // namespace reprise
