// Dead stores: floats that a producer stores beside its image, and nobody
// reads.
//
// A store is dropped where the plan has the producer emit, its pack says how to
// leave the floats out, and in the graph that the plan leaves
//   nobody may read some of them before they are overwritten: no kernel, in
//     place or not, and no copy, in this replay or in the next;
//   no opaque node (a host call, an event, a child graph) comes before that;
//   and nobody outside may read them afterwards: one node overwrites them all
//     before the graph ends, or the graph's outputs are declared and elsewhere.
// Whatever is not proven keeps the store, with the reason.
//
// Who comes to overwrite them may be dropped too: a reader would still have
// found its bytes, which keeps that one.
//
// Cost     one more order and one pass over all accesses; of a store a few
//          questions for each chain that reads its bytes.
#ifndef REPRISE_PLANNER_DEAD_STORES_H_
#define REPRISE_PLANNER_DEAD_STORES_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise {

// Sets PlannedImage::drops_floats, and adds the declines. `outputs` are what
// the outside may read when the graph has run; nothing: unknown.
// REQUIRES: the plan is of this graph, complete and not relaxed.
absl::Status DropDeadStores(const Graph& graph,
                            const std::optional<std::vector<View>>& outputs,
                            Plan& plan);

}  // namespace reprise

#endif  // REPRISE_PLANNER_DEAD_STORES_H_
