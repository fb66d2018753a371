// Sharing: which quantizers of an activation can go, and where the image that
// serves the rest then lives.
#ifndef REPRISE_PLANNER_SHARING_H_
#define REPRISE_PLANNER_SHARING_H_

#include <vector>

#include "graph/graph.h"
#include "planner/activations.h"
#include "planner/epochs.h"

namespace reprise {

// Quantizers that write the same bytes to the same place, with nothing else
// written there in between: after the first, each would write what is there
// already, and may go without anybody being patched.
struct SamePlace {
  std::vector<NodeId> quantizers;  // the first one is kept
};

// The quantizers of an activation by place, in the order of the first of each.
std::vector<SamePlace> SplitByPlace(const Graph& graph,
                                    const Activation& activation,
                                    const ViewIndex& views,
                                    const Epochs& epochs);

}  // namespace reprise

#endif  // REPRISE_PLANNER_SHARING_H_
