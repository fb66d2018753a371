// What images cost before and after a plan, told from the plan alone: launches
// and bytes apart, for with many tokens they are two things.
//
// Launches  of quantizers. A producer runs anyway.
// Bytes     that quantizers read and write; that producers write of images; and
//           floats that the plan's emitting producers store beside these,
//           before too.
// Exact where a quantizer's rows are. Of rows that numbers in memory pick, as
// many floats count as the image has values.
#ifndef REPRISE_PLANNER_LEDGER_H_
#define REPRISE_PLANNER_LEDGER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise {

struct ImageCosts {
  std::uint64_t launches = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const ImageCosts&, const ImageCosts&) = default;
};

// Of all images of one layout and width.
struct LedgerLine {
  ImageLayout layout = ImageLayout::kQ8_1;
  std::int64_t columns = 0;  // 0: rows out of which nobody knows what tensor
  ImageCosts before;
  ImageCosts after;

  friend bool operator==(const LedgerLine&, const LedgerLine&) = default;
};

// In the order of layouts, then columns. Each replay.
// REQUIRES: the plan was made for this graph.
std::vector<LedgerLine> MakeLedger(const Graph& graph, const Plan& plan);

// By line: the quantizers of the graph that it counts before.
// REQUIRES: the lines are of this graph.
std::vector<std::vector<NodeId>> QuantizersOf(
    const Graph& graph, absl::Span<const LedgerLine> ledger);

}  // namespace reprise

#endif  // REPRISE_PLANNER_LEDGER_H_
