// Records a program as explicit calls on logical streams and events, with the
// meaning that CUDA stream capture gives them; no GPU is needed.
//
//   Recorder recorder;
//   const EventId ready = recorder.NewEvent();
//   recorder.Launch(recorder.origin(), norm);
//   recorder.RecordEvent(ready, recorder.origin());
//   recorder.WaitEvent(branch, ready);          // forks
//   ...
//   absl::StatusOr<Graph> graph = std::move(recorder).Finish();
//
// Rules    A stream takes part from its first wait on an event of this
//          capture. Waiting adds the frontier that the event recorded last;
//          an event recorded and never waited for adds nothing; a stream
//          waiting for an event it recorded itself changes nothing.
// Errors   The first failing call is remembered and returned by Finish, so
//          callers may check only there: a launch on a stream that is not part
//          of the capture, a wait for an event never recorded or of another
//          capture, a stream not joined to the origin, nothing recorded, a
//          parameter outside its buffer. Each names the stream or event.
//          InvalidArgument where the call itself is wrong, FailedPrecondition
//          where it comes at the wrong time.
// Threads  One caller at a time.
#ifndef REPRISE_CAPTURE_RECORDER_H_
#define REPRISE_CAPTURE_RECORDER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"

namespace reprise {

class Recorder {
 public:
  Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  StreamId origin() const { return StreamId{0}; }
  StreamId NewStream();
  // Unique in the process, so that another capture's event is noticed.
  EventId NewEvent();

  // Memory that later calls point into.
  void DeclareAllocation(const Allocation& allocation);

  absl::Status Launch(StreamId stream, KernelLaunch launch);
  absl::Status CopyBytes(StreamId stream, std::uint64_t target,
                         std::uint64_t source, std::uint64_t bytes);
  // Every byte becomes `value`.
  absl::Status FillBytes(StreamId stream, std::uint64_t target,
                         std::uint8_t value, std::uint64_t bytes);
  // A call back into the program: opaque, it may touch anything.
  absl::Status HostCall(StreamId stream);

  absl::Status RecordEvent(EventId event, StreamId stream);
  absl::Status WaitEvent(StreamId stream, EventId event);
  // An event that the outside waits for or signals: a node of its own, which
  // nothing is rewritten across. Any event will do; the node names it.
  absl::Status RecordExternalEvent(EventId event, StreamId stream);
  absl::Status WaitExternalEvent(StreamId stream, EventId event);

  // The graph, not yet annotated. The recorder takes no further calls.
  absl::StatusOr<Graph> Finish() &&;

 private:
  // What the next node has to wait for: the latest node of each stream that it
  // depends on. Earlier nodes of the same stream are finished by then.
  using Frontier = std::vector<NodeId>;

  struct Stream {
    bool takes_part = false;
    Frontier frontier;
  };
  struct Event {
    bool recorded = false;
    Frontier frontier;
  };

  // Remembers and returns the first error.
  absl::Status Fail(absl::Status error);
  // The first error, or this call's if the stream or event cannot be used.
  absl::Status CheckExists(StreamId stream);
  absl::Status CheckTakesPart(StreamId stream);
  absl::Status CheckOwn(EventId event);

  // Puts the newest node behind everything that its stream waits for.
  absl::Status Append(NodeId node, StreamId stream);
  absl::Status AppendNode(NodeKind kind, EventId event, StreamId stream);
  // Adds what `more` waits for to what `frontier` waits for.
  void Join(const Frontier& more, Frontier& frontier) const;
  absl::Status CheckJoined();

  Graph graph_;
  std::vector<Stream> streams_;
  absl::flat_hash_map<EventId, Event> events_;
  absl::Status error_;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_RECORDER_H_
