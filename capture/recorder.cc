#include "capture/recorder.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

absl::Status CheckParameters(const KernelLaunch& launch) {
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const Parameter& p = launch.parameters[i];
    if (std::uint64_t{p.offset} + p.size <= launch.bytes.size()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "kernel ", launch.symbol, ": parameter ", i, " ends beyond the ",
        launch.bytes.size(), " bytes of the buffer"));
  }
  return absl::OkStatus();
}

}  // namespace

Recorder::Recorder() : streams_(1) { streams_[0].takes_part = true; }

StreamId Recorder::NewStream() {
  streams_.emplace_back();
  return StreamId{static_cast<std::uint32_t>(streams_.size() - 1)};
}

EventId Recorder::NewEvent() {
  static std::atomic<std::uint32_t> next{0};
  const EventId event{next.fetch_add(1)};
  events_.emplace(event, Event{});
  return event;
}

void Recorder::DeclareAllocation(const Allocation& allocation) {
  graph_.AddAllocation(allocation);
}

absl::Status Recorder::Launch(StreamId stream, KernelLaunch launch) {
  if (absl::Status s = CheckTakesPart(stream); !s.ok()) return s;
  if (absl::Status s = CheckParameters(launch); !s.ok()) return Fail(s);
  return Append(graph_.AddKernel(std::move(launch), stream), stream);
}

absl::Status Recorder::CopyBytes(StreamId stream, std::uint64_t target,
                                 std::uint64_t source, std::uint64_t bytes) {
  if (absl::Status s = CheckTakesPart(stream); !s.ok()) return s;
  Copy copy;
  copy.source = source;
  copy.target = target;
  copy.width_bytes = bytes;
  return Append(graph_.AddCopy(copy, stream), stream);
}

absl::Status Recorder::FillBytes(StreamId stream, std::uint64_t target,
                                 std::uint8_t value, std::uint64_t bytes) {
  if (absl::Status s = CheckTakesPart(stream); !s.ok()) return s;
  Fill fill;
  fill.target = target;
  fill.width = bytes;
  fill.value = value;
  return Append(graph_.AddFill(fill, stream), stream);
}

absl::Status Recorder::HostCall(StreamId stream) {
  if (absl::Status s = CheckTakesPart(stream); !s.ok()) return s;
  return AppendNode(NodeKind::kHostCall, EventId{}, stream);
}

absl::Status Recorder::RecordEvent(EventId event, StreamId stream) {
  if (absl::Status s = CheckTakesPart(stream); !s.ok()) return s;
  if (absl::Status s = CheckOwn(event); !s.ok()) return s;
  events_[event] = {true, streams_[stream.value].frontier};
  return absl::OkStatus();
}

absl::Status Recorder::WaitEvent(StreamId stream, EventId event) {
  if (absl::Status s = CheckExists(stream); !s.ok()) return s;
  if (absl::Status s = CheckOwn(event); !s.ok()) return s;
  const Event& recorded = events_[event];
  if (!recorded.recorded) {
    return Fail(absl::FailedPreconditionError(
        absl::StrCat("stream ", stream.value, " waits for event ", event.value,
                     ", which was never recorded")));
  }
  Stream& waiting = streams_[stream.value];
  waiting.takes_part = true;
  Join(recorded.frontier, waiting.frontier);
  return absl::OkStatus();
}

absl::Status Recorder::RecordExternalEvent(EventId event, StreamId stream) {
  if (absl::Status s = CheckTakesPart(stream); !s.ok()) return s;
  return AppendNode(NodeKind::kEventRecord, event, stream);
}

absl::Status Recorder::WaitExternalEvent(StreamId stream, EventId event) {
  if (absl::Status s = CheckTakesPart(stream); !s.ok()) return s;
  return AppendNode(NodeKind::kEventWait, event, stream);
}

absl::StatusOr<Graph> Recorder::Finish() && {
  if (!error_.ok()) return error_;
  if (graph_.num_nodes() == 0) {
    return Fail(absl::FailedPreconditionError("nothing was recorded"));
  }
  if (absl::Status s = CheckJoined(); !s.ok()) return s;
  error_ = absl::FailedPreconditionError("the capture is finished");
  return std::move(graph_);
}

absl::Status Recorder::Fail(absl::Status error) {
  if (error_.ok()) error_ = std::move(error);
  return error_;
}

absl::Status Recorder::CheckExists(StreamId stream) {
  if (!error_.ok() || stream.value < streams_.size()) return error_;
  return Fail(absl::InvalidArgumentError(
      absl::StrCat("stream ", stream.value, " is not of this capture")));
}

absl::Status Recorder::CheckTakesPart(StreamId stream) {
  if (absl::Status s = CheckExists(stream); !s.ok()) return s;
  if (streams_[stream.value].takes_part) return absl::OkStatus();
  return Fail(absl::FailedPreconditionError(
      absl::StrCat("stream ", stream.value,
                   " takes no part in the capture: it waited for no event")));
}

absl::Status Recorder::CheckOwn(EventId event) {
  if (events_.contains(event)) return absl::OkStatus();
  return Fail(absl::InvalidArgumentError(
      absl::StrCat("event ", event.value, " is not of this capture")));
}

absl::Status Recorder::Append(NodeId node, StreamId stream) {
  Frontier& frontier = streams_[stream.value].frontier;
  for (const NodeId before : frontier) {
    graph_.AddEdge({.from = before, .to = node});
  }
  frontier = {node};
  return absl::OkStatus();
}

absl::Status Recorder::AppendNode(NodeKind kind, EventId event,
                                  StreamId stream) {
  Node node;
  node.kind = kind;
  node.event = event;
  node.stream = stream;
  return Append(graph_.AddNode(std::move(node)), stream);
}

void Recorder::Join(const Frontier& more, Frontier& frontier) const {
  for (const NodeId node : more) {
    const StreamId stream = graph_.node(node).stream;
    const auto same = std::find_if(
        frontier.begin(), frontier.end(),
        [&](NodeId old) { return graph_.node(old).stream == stream; });
    if (same == frontier.end()) {
      frontier.push_back(node);
    } else {
      *same = std::max(*same, node);
    }
  }
}

// Every stream's last nodes have to be among what the origin waits for in the
// end. Edges were added by rising target, so one pass from the back finds it.
absl::Status Recorder::CheckJoined() {
  std::vector<bool> joined(graph_.num_nodes(), false);
  for (const NodeId last : streams_[0].frontier) joined[last.value] = true;
  const absl::Span<const Edge> edges = graph_.edges();
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
    if (joined[edge->to.value]) joined[edge->from.value] = true;
  }
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    for (const NodeId last : streams_[s].frontier) {
      if (joined[last.value]) continue;
      return Fail(absl::FailedPreconditionError(
          absl::StrCat("stream ", s, " is not joined to the origin: node ",
                       last.value, " is not waited for")));
    }
  }
  return absl::OkStatus();
}

}  // namespace reprise
