// Compares what an original and a rewritten program leave in memory, byte for
// byte, wherever the bytes come from.
//
// Skipped  a byte that a quantizer left last in its own scratch, or a producer
//          with floats that the rewritten program drops. Whatever else the
//          original leaves, the rewritten program must leave too.
// Blame    of all different bytes the one whose last writer comes first in the
//          captured order, for later ones may follow from it; then the lowest
//          address. Bytes of no known writer come last.
// Threads  const methods may run at the same time.
#ifndef REPRISE_REPLAY_COMPARISON_H_
#define REPRISE_REPLAY_COMPARISON_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/graph.h"
#include "replay/last_writers.h"
#include "replay/verdict.h"

namespace reprise {

// An allocation's bytes after one replay of each program.
struct BytePair {
  Allocation allocation;
  absl::Span<const std::uint8_t> expected;  // the original's
  absl::Span<const std::uint8_t> actual;    // the rewritten program's
};

class Comparison {
 public:
  // Of the captured graph, which must outlive the comparison.
  // FailedPrecondition when its edges make a cycle. `dropped` are producers of
  // it whose floats the rewritten program does not store.
  static absl::StatusOr<Comparison> Of(const Graph& graph,
                                       std::vector<NodeId> dropped = {});

  // The difference to blame; its replay is left for the caller to set.
  // REQUIRES: the allocations are in order of their addresses.
  std::optional<Difference> Find(absl::Span<const BytePair> pairs) const;

  // Bytes of the allocation that Find skips.
  std::uint64_t SkippedBytes(const Allocation& allocation) const;

  // The stretches of it that Find compares, in order; none touches another.
  std::vector<Allocation> ComparedParts(const Allocation& allocation) const;

 private:
  using Run = LastWriters::Run;

  Comparison(const Graph& graph, LastWriters writers,
             std::vector<NodeId> dropped)
      : graph_(&graph),
        writers_(std::move(writers)),
        dropped_(std::move(dropped)) {}

  bool IsSkipped(const Run& run) const;
  void ForEachRun(const Allocation& allocation,
                  absl::FunctionRef<void(const Run&)> visit) const;
  Difference Describe(const BytePair& pair, const Run& run,
                      std::uint64_t offset) const;

  const Graph* graph_;
  LastWriters writers_;
  std::vector<NodeId> dropped_;
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_COMPARISON_H_
