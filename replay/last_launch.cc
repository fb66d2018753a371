#include "replay/last_launch.h"

#include "capture/stream_capture.h"
#include "driver/cuda_status.h"

namespace reprise {

void LastLaunch::Set(CUstream stream) {
  stream_ = stream;
  event_ = EventHandle();
  // Another thread means another stream by that name.
  if (stream == CU_STREAM_PER_THREAD) Leave(stream).IgnoreError();
}

absl::Status LastLaunch::Leave(CUstream stream) {
  if (stream_ != stream) return absl::OkStatus();
  const RelaxedCapture relaxed(*driver_);
  CUevent event = nullptr;
  CUresult result = driver_->EventCreate(&event, CU_EVENT_DISABLE_TIMING);
  if (result == CUDA_SUCCESS) {
    EventHandle created(*driver_, event);
    result = driver_->EventRecord(event, stream);
    if (result == CUDA_SUCCESS) {
      event_ = std::move(created);
      stream_.reset();
    }
  }
  return CudaStatus(*driver_, result, "mark the last launch");
}

bool LastLaunch::Ended() const {
  const RelaxedCapture relaxed(*driver_);
  if (event_) return driver_->EventQuery(event_.get()) == CUDA_SUCCESS;
  return !stream_ || driver_->StreamQuery(*stream_) == CUDA_SUCCESS;
}

absl::Status LastLaunch::Wait() {
  if (!stream_ && !event_) return absl::OkStatus();
  const RelaxedCapture relaxed(*driver_);
  CUresult result = CUDA_SUCCESS;
  if (event_) {
    result = driver_->EventSynchronize(event_.get());
  } else {
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    result = driver_->StreamIsCapturing(*stream_, &capture);
    if (capture != CU_STREAM_CAPTURE_STATUS_NONE) {
      return absl::FailedPreconditionError(
          "wait for the last launch: its stream is being captured");
    }
    if (result == CUDA_SUCCESS) result = driver_->StreamSynchronize(*stream_);
  }
  if (result == CUDA_SUCCESS) {
    stream_.reset();
    event_ = EventHandle();
  }
  return CudaStatus(*driver_, result, "wait for the last launch");
}

}  // namespace reprise
