// A recorder with three streams and two events, for programs of a few lines.
#ifndef REPRISE_TESTS_CAPTURE_RECORDER_RIG_H_
#define REPRISE_TESTS_CAPTURE_RECORDER_RIG_H_

#include <utility>

#include "absl/status/statusor.h"
#include "capture/recorder.h"

namespace reprise::testing {

inline KernelLaunch Kernel() {
  KernelLaunch launch;
  launch.symbol = "k";
  return launch;
}

// Its own calls drop their status, as a program may: Finish returns the first
// error.
struct Rig {
  Recorder recorder;
  StreamId a = recorder.origin();
  StreamId b = recorder.NewStream();
  StreamId c = recorder.NewStream();
  EventId e = recorder.NewEvent();
  EventId f = recorder.NewEvent();

  void Run(StreamId stream) { (void)recorder.Launch(stream, Kernel()); }
  void Record(EventId event, StreamId stream) {
    (void)recorder.RecordEvent(event, stream);
  }
  void Wait(StreamId stream, EventId event) {
    (void)recorder.WaitEvent(stream, event);
  }
  absl::StatusOr<Graph> Finish() { return std::move(recorder).Finish(); }
};

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_CAPTURE_RECORDER_RIG_H_
