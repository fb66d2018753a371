// A graph made ready to run on the host, and run again: every node checked and
// resolved once, then replayed without a look at the graph.
//
//   absl::StatusOr<HostExecutable> original =
//       HostExecutable::Create(graph, memory);
//   original->Launch();
//
// Nodes    kernels run their host reference, copies and fills run as they are,
//          host nodes run what the caller registered for them (or nothing),
//          event and empty nodes do nothing. All else is refused by Create.
// Order    one order that the edges allow (replay/schedule.h), one node at a
//          time.
// Arena    images belong to the executable: each has an arena of its own, also
//          when two were made from one graph.
// Threads  one caller at a time for each executable. Two executables may run at
//          once when neither writes what the other touches.
#ifndef REPRISE_REPLAY_HOST_EXECUTABLE_H_
#define REPRISE_REPLAY_HOST_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/graph.h"
#include "planner/rewrite.h"
#include "replay/host_memory.h"
#include "replay/host_step.h"
#include "replay/verdict.h"

namespace reprise {

using HostCalls = absl::flat_hash_map<NodeId, HostCall>;

struct HostOptions {
  // Where a rewritten graph has its arena; 0 bytes: it has none.
  Allocation arena = {};
  HostCalls host_calls = {};
  std::uint32_t order_seed = 0;  // as ScheduleOf takes it
  // Floats that a rewritten graph stores no more. Their place is poisoned as
  // soon as their producer has run, so that whoever reads it is found.
  std::vector<DroppedStore> dropped = {};
};

class HostExecutable {
 public:
  // The errors of MakeHostStep and ScheduleOf.
  // REQUIRES: the graph is annotated; `memory` outlives the executable, stays
  // where it is and gets no further stretch.
  static absl::StatusOr<HostExecutable> Create(const Graph& graph,
                                               HostMemory& memory,
                                               HostOptions options = {});

  void Launch();

  // Sets every byte of the arena, so that nothing can live on an old image, and
  // from now on those of dropped floats.
  void Poison(std::uint8_t pattern);

  // What all launches so far really ran.
  const RunCounts& counts() const { return counts_; }

 private:
  HostExecutable() = default;

  // Adds the steps that poison what this producer drops.
  absl::Status PoisonBehind(NodeId producer,
                            absl::Span<const DroppedStore> dropped);

  HostMemory* memory_ = nullptr;
  // On the heap: steps point into it, and an executable can be moved.
  std::unique_ptr<HostArena> arena_;
  std::vector<HostStep> steps_;
  std::uint8_t poison_ = 0xFF;
  RunCounts counts_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_HOST_EXECUTABLE_H_
