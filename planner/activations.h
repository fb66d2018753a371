// Activations: a view of floats at one epoch, and the quantizers that make the
// same image of it. What sharing and emission work on.
#ifndef REPRISE_PLANNER_ACTIVATIONS_H_
#define REPRISE_PLANNER_ACTIVATIONS_H_

#include <vector>

#include "graph/graph.h"
#include "planner/decline.h"
#include "planner/epochs.h"
#include "planner/view_index.h"

namespace reprise {

struct Activation {
  View source;
  Contents contents;
  // All write the same bytes, each to its own image view; in schedule order.
  std::vector<NodeId> quantizers;
};

// The views that the passes will ask about: the sources and images of all
// quantizers and the images of all readers.
ViewIndex IndexViews(const Graph& graph);

// The activations in the order of their first quantizers. With `share` off,
// each quantizer makes one of its own. Quantizers whose source cannot be
// trusted are in none; `declines` says why.
std::vector<Activation> FindActivations(const Graph& graph,
                                        const ViewIndex& views,
                                        const Epochs& epochs, bool share,
                                        std::vector<Decline>& declines);

}  // namespace reprise

#endif  // REPRISE_PLANNER_ACTIVATIONS_H_
