#include "capture/stream_capture.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "driver/cuda_status.h"

namespace reprise {
namespace {

std::string Named(CUstream stream) {
  return absl::StrCat("stream 0x",
                      absl::Hex(reinterpret_cast<std::uintptr_t>(stream)));
}

// What went wrong in a capture, and what to do about it.
absl::string_view Explain(CUresult result) {
  switch (result) {
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
      return "a call was made that no capture allows, such as to synchronize "
             "or to query a stream; make it before or after";
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
      return "a call in it failed and broke it; the first error that the "
             "captured code got says why";
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
      return "it would have joined another capture; let no stream of one wait "
             "for an event of the other";
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
      return "it did not begin in this stream; end it where it began";
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
      return "a stream that was forked off is not joined; record an event at "
             "its end and let the captured stream wait for that";
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
      return "it would have depended on work from outside, such as an event "
             "that was recorded before it began; wait for that before, or "
             "with the flag for external events";
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
      return "the legacy default stream was used, which waits for the captured "
             "one; use streams that do not block";
    case CUDA_ERROR_CAPTURED_EVENT:
      return "an event recorded in it was queried or waited for on the host; "
             "such an event only orders streams of the capture";
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
      return "it was ended on another thread than it began; end it on its own";
    default:
      return "it could not be ended";
  }
}

// A stream's capture, which ends with it.
class Capture {
 public:
  Capture(const Driver& driver, CUstream stream)
      : driver_(driver), stream_(stream) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { End().IgnoreError(); }

  absl::Status Begin() {
    const CUresult result = driver_.StreamBeginCapture(
        stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    open_ = result == CUDA_SUCCESS;
    return CudaStatus(driver_, result,
                      absl::StrCat("capture ", Named(stream_)));
  }

  absl::StatusOr<GraphHandle> End() {
    if (!open_) return GraphHandle();
    open_ = false;
    CUgraph graph = nullptr;
    const CUresult result = driver_.StreamEndCapture(stream_, &graph);
    GraphHandle owner(driver_, graph);
    if (result == CUDA_SUCCESS) return owner;
    return CudaStatus(
        driver_, result,
        absl::StrCat("capture of ", Named(stream_), ": ", Explain(result)));
  }

 private:
  const Driver& driver_;
  const CUstream stream_;
  bool open_ = false;
};

absl::Status CheckFree(const Driver& driver, CUstream stream) {
  if (stream == nullptr || stream == CU_STREAM_LEGACY) {
    return absl::InvalidArgumentError(
        "the legacy default stream cannot be captured; use one of your own");
  }
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (const CUresult result = driver.StreamIsCapturing(stream, &status);
      result != CUDA_SUCCESS) {
    return CudaStatus(driver, result,
                      absl::StrCat("ask whether ", Named(stream), " captures"));
  }
  if (status == CU_STREAM_CAPTURE_STATUS_NONE) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(Named(stream), " is capturing already"));
}

absl::Status CheckNotEmpty(const Driver& driver, CUstream stream,
                           CUgraph graph) {
  std::size_t nodes = 0;
  if (const CUresult result = driver.GraphGetNodes(graph, nullptr, &nodes);
      result != CUDA_SUCCESS) {
    return CudaStatus(driver, result,
                      absl::StrCat("count the nodes of ", Named(stream)));
  }
  if (nodes > 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(Named(stream), " captured nothing"));
}

}  // namespace

absl::StatusOr<GraphHandle> CaptureStream(
    const Driver& driver, CUstream stream,
    absl::FunctionRef<absl::Status()> record) {
  if (absl::Status s = CheckFree(driver, stream); !s.ok()) return s;
  Capture capture(driver, stream);
  if (absl::Status s = capture.Begin(); !s.ok()) return s;
  const absl::Status recorded = record();
  absl::StatusOr<GraphHandle> graph = capture.End();
  if (!recorded.ok()) return recorded;
  if (!graph.ok()) return graph.status();
  if (absl::Status s = CheckNotEmpty(driver, stream, graph->get()); !s.ok()) {
    return s;
  }
  return graph;
}

RelaxedCapture::RelaxedCapture(const Driver& driver) : driver_(driver) {
  relaxed_ = driver_.ThreadExchangeStreamCaptureMode(&mode_) == CUDA_SUCCESS;
}

RelaxedCapture::~RelaxedCapture() {
  if (relaxed_) driver_.ThreadExchangeStreamCaptureMode(&mode_);
}

}  // namespace reprise
