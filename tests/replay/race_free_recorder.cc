#include "tests/replay/race_free_recorder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "examples/decoder/kernel_launch.h"

namespace reprise::testing {
namespace {

bool Conflict(const std::vector<Range>& a, const std::vector<Range>& b) {
  for (const Range& x : a) {
    for (const Range& y : b) {
      if (!x.writes && !y.writes) continue;
      if (x.begin < y.end && y.begin < x.end) return true;
    }
  }
  return false;
}

}  // namespace

RaceFreeRecorder::RaceFreeRecorder(std::size_t streams)
    : streams_{recorder_.origin()},
      started_(streams, false),
      count_(streams, 0),
      known_(streams, std::vector<std::size_t>(streams, 0)) {
  started_[0] = true;
  while (streams_.size() < streams) streams_.push_back(recorder_.NewStream());
}

void RaceFreeRecorder::Launch(std::size_t stream,
                              const decoder::KernelCall& call,
                              std::vector<Range> touched) {
  Order(stream, std::move(touched));
  recorder_.Launch(streams_[stream], decoder::LaunchOf(call)).IgnoreError();
}

void RaceFreeRecorder::CopyBytes(std::size_t stream, std::uint64_t target,
                                 std::uint64_t source, std::uint64_t bytes) {
  Order(stream,
        {{source, source + bytes, false}, {target, target + bytes, true}});
  recorder_.CopyBytes(streams_[stream], target, source, bytes).IgnoreError();
}

void RaceFreeRecorder::FillBytes(std::size_t stream, std::uint64_t target,
                                 std::uint8_t value, std::uint64_t bytes) {
  Order(stream, {{target, target + bytes, true}});
  recorder_.FillBytes(streams_[stream], target, value, bytes).IgnoreError();
}

NodeId RaceFreeRecorder::HostCall(std::size_t stream) {
  Order(stream, {{0, std::numeric_limits<std::uint64_t>::max(), true}});
  recorder_.HostCall(streams_[stream]).IgnoreError();
  return NodeId{nodes_ - 1};
}

void RaceFreeRecorder::ExternalEvent(std::size_t stream) {
  Order(stream, {});
  recorder_.RecordExternalEvent(recorder_.NewEvent(), streams_[stream])
      .IgnoreError();
}

void RaceFreeRecorder::Fork(std::size_t stream) {
  Start(stream);
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (s == stream) continue;
    Wait(s, stream);
    started_[s] = true;
  }
}

Recorder& RaceFreeRecorder::Join() {
  for (std::size_t s = 1; s < streams_.size(); ++s) {
    if (started_[s]) Wait(0, s);
  }
  return recorder_;
}

void RaceFreeRecorder::Start(std::size_t stream) {
  if (started_[stream]) return;
  Wait(stream, 0);
  started_[stream] = true;
}

void RaceFreeRecorder::Order(std::size_t stream, std::vector<Range> touched) {
  Start(stream);
  for (const Issued& earlier : issued_) {
    if (earlier.index < known_[stream][earlier.stream]) continue;
    if (Conflict(earlier.touched, touched)) Wait(stream, earlier.stream);
  }
  issued_.push_back({stream, count_[stream]++, std::move(touched)});
  known_[stream][stream] = count_[stream];
  ++nodes_;
}

void RaceFreeRecorder::Wait(std::size_t stream, std::size_t other) {
  const EventId event = recorder_.NewEvent();
  recorder_.RecordEvent(event, streams_[other]).IgnoreError();
  recorder_.WaitEvent(streams_[stream], event).IgnoreError();
  for (std::size_t t = 0; t < streams_.size(); ++t) {
    known_[stream][t] = std::max(known_[stream][t], known_[other][t]);
  }
}

}  // namespace reprise::testing
