// Width: how many nodes may run at once.
//
// Memory-bound kernels that run side by side fight for the same bandwidth and
// caches; beyond a few, one more gains nothing. The bound is one on order
// alone: it knows neither sizes nor times, and a programmatic edge lets its
// target start early as ever.
#ifndef REPRISE_PLANNER_WIDTH_H_
#define REPRISE_PLANNER_WIDTH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "graph/ids.h"

namespace reprise {

// Puts the nodes, as they stand in `order`, on at most `width` chains, and adds
// to `before` (by node: nodes that must be before it) each one's predecessor in
// its chain. A node follows the latest chain whose end is before it anyway,
// else starts a chain, else follows the chain that is least deep.
//
// Cost     O((nodes + entries of `before`) x width).
// REQUIRES: width > 0; every node comes in `order` after all its `before`.
void LimitWidth(absl::Span<const NodeId> order, std::uint32_t width,
                std::vector<std::vector<NodeId>>& before);

}  // namespace reprise

#endif  // REPRISE_PLANNER_WIDTH_H_
