// Sharing: which quantizers of an activation can go, and where the image that
// serves the rest then lives.
#ifndef REPRISE_PLANNER_SHARING_H_
#define REPRISE_PLANNER_SHARING_H_

#include <vector>

#include "graph/graph.h"
#include "planner/activations.h"
#include "planner/epochs.h"
#include "planner/image_uses.h"

namespace reprise {

// Quantizers that write the same bytes to the same place, with nothing else
// written there in between: after the first, each would write what is there
// already, and may go without anybody being patched.
struct SamePlace {
  std::vector<NodeId> quantizers;  // the first one is kept
  // All images of the run may move to the arena.
  bool movable = false;
};

// The runs of an activation, in the order of their first quantizers.
std::vector<SamePlace> SplitByPlace(const Graph& graph,
                                    const Activation& activation,
                                    const ViewIndex& views,
                                    const Epochs& epochs,
                                    const ImageUses& uses);

}  // namespace reprise

#endif  // REPRISE_PLANNER_SHARING_H_
