#include "replay/device_arena.h"

#include <cuda.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"

namespace reprise {

absl::StatusOr<DeviceArena> DeviceArena::Create(const Driver& driver,
                                                std::uint64_t bytes) {
  if (bytes == 0) return DeviceArena();
  const RelaxedCapture relaxed(driver);
  CUdeviceptr address = 0;
  const CUresult result = driver.MemAlloc(&address, bytes);
  if (result != CUDA_SUCCESS) {
    return CudaStatus(driver, result,
                      absl::StrCat("allocate an arena of ", bytes, " bytes"));
  }
  return DeviceArena(driver, {address, bytes});
}

DeviceArena::DeviceArena(DeviceArena&& other) noexcept
    : driver_(other.driver_),
      allocation_(std::exchange(other.allocation_, {})) {}

DeviceArena& DeviceArena::operator=(DeviceArena&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(allocation_, other.allocation_);
  return *this;
}

DeviceArena::~DeviceArena() {
  if (allocation_.bytes == 0) return;
  const RelaxedCapture relaxed(*driver_);
  driver_->MemFree(allocation_.address);
}

}  // namespace reprise
