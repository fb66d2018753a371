#include "driver/cuda_status.h"

#include <cuda_runtime_api.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

absl::StatusCode CodeOf(CUresult result) {
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return absl::StatusCode::kResourceExhausted;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_STUB_LIBRARY:
      return absl::StatusCode::kUnavailable;
    case CUDA_ERROR_NOT_SUPPORTED:
      return absl::StatusCode::kUnimplemented;
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
    case CUDA_ERROR_CAPTURED_EVENT:
    case CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE:
    case CUDA_ERROR_ILLEGAL_STATE:
      return absl::StatusCode::kFailedPrecondition;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_INVALID_CONTEXT:
      return absl::StatusCode::kInvalidArgument;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status CudaStatus(const Driver& driver, CUresult result,
                        absl::string_view what) {
  if (result == CUDA_SUCCESS) return absl::OkStatus();
  const char* name = nullptr;
  if (driver.GetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
    name = "an error that the driver has no name for";
  }
  return absl::Status(CodeOf(result), absl::StrCat(what, ": ", name));
}

absl::Status CudaStatus(cudaError_t result, absl::string_view what) {
  if (result == cudaSuccess) return absl::OkStatus();
  if (result == cudaErrorInsufficientDriver) {
    return absl::UnavailableError(
        absl::StrCat(what, ": no CUDA driver, or one that is too old"));
  }
  // The two number their common errors alike.
  return absl::Status(CodeOf(static_cast<CUresult>(result)),
                      absl::StrCat(what, ": ", cudaGetErrorName(result)));
}

}  // namespace reprise
