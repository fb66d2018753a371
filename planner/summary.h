// What a plan comes to, in numbers: what reports show and scripts compare.
#ifndef REPRISE_PLANNER_SUMMARY_H_
#define REPRISE_PLANNER_SUMMARY_H_

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "planner/decline.h"
#include "planner/plan.h"

namespace reprise {

struct GraphCounts {
  std::uint32_t nodes = 0;
  std::uint32_t edges = 0;
  std::uint32_t longest_path = 0;  // nodes on it (planner/longest_path.h)
  std::uint32_t streams = 0;       // 1 where the capture names none
  std::uint32_t opaque = 0;
  std::uint32_t quantizers = 0;
  std::uint32_t kernels = 0;

  friend bool operator==(const GraphCounts&, const GraphCounts&) = default;
};

// Images for which one of several quantizers is kept.
struct SharedCounts {
  std::uint32_t groups = 0;
  // Readers of those images, patched or not.
  std::uint32_t readers = 0;
  std::uint32_t quantizers_removed = 0;

  friend bool operator==(const SharedCounts&, const SharedCounts&) = default;
};

// Images that the producer writes itself.
struct EmittedCounts {
  std::uint32_t rms_norm = 0;  // producers
  std::uint32_t glu = 0;
  std::uint32_t quantizers_removed = 0;

  friend bool operator==(const EmittedCounts&, const EmittedCounts&) = default;
};

// Floats that a producer does not store beside its image.
struct DroppedCounts {
  std::uint32_t stores = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const DroppedCounts&, const DroppedCounts&) = default;
};

// Kernels that would only repeat another: no quantizers.
struct PureCounts {
  std::uint32_t removed = 0;

  friend bool operator==(const PureCounts&, const PureCounts&) = default;
};

struct DeclineGroup {
  Decline first;
  std::uint32_t count = 0;  // declines of that reason

  friend bool operator==(const DeclineGroup&, const DeclineGroup&) = default;
};

struct Summary {
  GraphCounts before;
  GraphCounts after;
  bool relaxed = false;
  PureCounts pure;
  SharedCounts shared;
  EmittedCounts emitted;
  DroppedCounts dropped;
  Arena arena;
  std::vector<DeclineGroup> declines;  // most frequent reason first

  friend bool operator==(const Summary&, const Summary&) = default;
};

GraphCounts CountGraph(const Graph& graph);

// Costs about as much as planning (planner/image_readers.h).
// REQUIRES: the plan was made for this graph.
Summary Summarize(const Graph& graph, const Plan& plan);

}  // namespace reprise

#endif  // REPRISE_PLANNER_SUMMARY_H_
