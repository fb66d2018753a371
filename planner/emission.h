// Emission: may the node that wrote an activation write its image too?
#ifndef REPRISE_PLANNER_EMISSION_H_
#define REPRISE_PLANNER_EMISSION_H_

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "graph/graph.h"
#include "planner/activations.h"
#include "planner/decline.h"
#include "planner/image_uses.h"
#include "planner/order.h"
#include "planner/planner.h"

namespace reprise {

// Why the producer of `activation` may not emit; nothing when it may, and is
// then activation.contents.writer. `claimed` are producers already spoken for.
std::optional<Decline> RefuseEmission(
    const Graph& graph, const Order& order, const Activation& activation,
    const ImageUses& uses, EventBranches event_branches,
    const absl::flat_hash_set<NodeId>& claimed);

}  // namespace reprise

#endif  // REPRISE_PLANNER_EMISSION_H_
