#include <cuda_runtime_api.h>

#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"
#include "driver/driver.h"

namespace reprise {
namespace {

// The runtime finds the driver's library and the call of that version in it.
absl::Status FindCall(const char* name, unsigned int version, void** call) {
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t result = cudaGetDriverEntryPointByVersion(
      name, call, version, cudaEnableDefault, &found);
  if (result != cudaSuccess) return CudaStatus(result, "find the CUDA driver");
  if (found == cudaDriverEntryPointSuccess && *call != nullptr) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat("the CUDA driver has no ", name,
                                             " of version ", version,
                                             ": it is too old"));
}

absl::StatusOr<Driver> FindCalls() {
  Driver driver;
  absl::Status status;
#define REPRISE_FIND(call, suffix, version)                                    \
  if (status.ok()) {                                                           \
    status =                                                                   \
        FindCall("cu" #call, version, reinterpret_cast<void**>(&driver.call)); \
  }
  REPRISE_DRIVER_CALLS(REPRISE_FIND)
#undef REPRISE_FIND
  if (!status.ok()) return status;
  return driver;
}

}  // namespace

absl::StatusOr<const Driver*> LoadDriver() {
  static const absl::StatusOr<Driver>& driver =
      *new absl::StatusOr<Driver>(FindCalls());
  if (!driver.ok()) return driver.status();
  return &*driver;
}

}  // namespace reprise
