// Small programs for tests, recorded through the public interfaces.
#ifndef REPRISE_TESTS_REPLAY_RECORDED_H_
#define REPRISE_TESTS_REPLAY_RECORDED_H_

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "capture/annotate.h"
#include "capture/pack.h"
#include "capture/recorder.h"
#include "examples/decoder/kernel_calls.h"
#include "examples/decoder/kernel_launch.h"
#include "graph/graph.h"
#include "replay/host_memory.h"

namespace reprise::testing {

inline std::vector<std::uint8_t> BytesOf(const std::vector<float>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline void Launch(Recorder& recorder, StreamId stream,
                   const decoder::KernelCall& call) {
  recorder.Launch(stream, decoder::LaunchOf(call)).IgnoreError();
}

inline void Launch(Recorder& recorder, const decoder::KernelCall& call) {
  Launch(recorder, recorder.origin(), call);
}

// The annotated graph, with all of `memory` declared.
inline absl::StatusOr<Graph> Finish(Recorder& recorder,
                                    const HostMemory& memory) {
  for (const HostMemory::Stretch& stretch : memory.stretches()) {
    recorder.DeclareAllocation(stretch.allocation);
  }
  absl::StatusOr<Graph> graph = std::move(recorder).Finish();
  if (graph.ok()) Annotate(BuiltInPacks(), *graph);
  return graph;
}

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_RECORDED_H_
