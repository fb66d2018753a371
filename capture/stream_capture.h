// Records what code does on a stream as a CUDA graph, and ends the capture on
// every path.
//
//   absl::StatusOr<GraphHandle> graph = CaptureStream(driver, stream, [&] {
//     return Decode(stream);  // launches, copies, fills; runs none of them
//   });
#ifndef REPRISE_CAPTURE_STREAM_CAPTURE_H_
#define REPRISE_CAPTURE_STREAM_CAPTURE_H_

#include <cuda.h>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"

namespace reprise {

// Runs `record` while `stream` captures. Other streams take part that wait for
// an event of this one, and must be joined to it in the end.
// Capturing is thread-local: other threads do what they like, and in `record`
// this one may not do what a capture forbids, such as to synchronize or to
// allocate (RelaxedCapture lifts the latter).
// An exception of `record` goes on to the caller once the capture is ended.
// Errors, each naming the stream
//   InvalidArgument     it is the legacy default stream
//   FailedPrecondition  it is capturing already, the capture was broken or a
//                       stream not joined (the message says what to do), or
//                       nothing was captured
// what `record` returns, unchanged; what CudaStatus makes of a failed call.
// REQUIRES: the table outlives the graph.
absl::StatusOr<GraphHandle> CaptureStream(
    const Driver& driver, CUstream stream,
    absl::FunctionRef<absl::Status()> record);

// While it lives, its thread may allocate although somebody captures. The
// capture does not see what the thread allocates. Where the mode cannot be
// changed, it stays, and the allocation says so.
// REQUIRES: it goes on the thread that made it, in the reverse order of making;
// the table outlives it.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const Driver& driver);
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  const Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // to go back to
  bool relaxed_ = false;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_STREAM_CAPTURE_H_
