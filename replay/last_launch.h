// Waits until the launches of an executable have ended.
#ifndef REPRISE_REPLAY_LAST_LAUNCH_H_
#define REPRISE_REPLAY_LAST_LAUNCH_H_

#include <cuda.h>

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"
#include "driver/driver.h"

namespace reprise {

// Launches of one executable run one after the other, on whatever streams: who
// waits for the stream of the last waits for all. No event is recorded, so that
// a launch costs nothing more.
class LastLaunch {
 public:
  explicit LastLaunch(const Driver& driver) : driver_(&driver) {}
  LastLaunch(LastLaunch&& other) noexcept
      : driver_(other.driver_),
        stream_(std::exchange(other.stream_, std::nullopt)) {}
  LastLaunch& operator=(LastLaunch&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  // An error of the device shows at the next call.
  ~LastLaunch() { Wait().IgnoreError(); }

  void Set(CUstream stream) { stream_ = stream; }

  // REQUIRES: the stream lives and is not being captured.
  absl::Status Wait() {
    if (!stream_) return absl::OkStatus();
    const RelaxedCapture relaxed(*driver_);
    const CUresult result = driver_->StreamSynchronize(*stream_);
    if (result == CUDA_SUCCESS) stream_.reset();
    return CudaStatus(*driver_, result, "wait for the last launch");
  }

 private:
  const Driver* driver_;
  std::optional<CUstream> stream_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_LAST_LAUNCH_H_
