// Activations: what quantizers read at one epoch, and those that make the same
// image of it. What placement and emission work on.
#ifndef REPRISE_PLANNER_ACTIVATIONS_H_
#define REPRISE_PLANNER_ACTIVATIONS_H_

#include <vector>

#include "graph/graph.h"
#include "planner/epochs.h"

namespace reprise {

struct Activation {
  View source;
  Contents contents;         // of the source
  std::vector<View> inputs;  // the source, and numbers that pick its rows
  // All write the same bytes, each to its own image view; in schedule order.
  std::vector<NodeId> quantizers;
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_ACTIVATIONS_H_
