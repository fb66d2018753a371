// Who reads the images of a plan. The plan itself names only those that have to
// be patched.
#ifndef REPRISE_PLANNER_IMAGE_READERS_H_
#define REPRISE_PLANNER_IMAGE_READERS_H_

#include <vector>

#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise {

// By image of the plan: its readers in capture order, patched or not. Costs
// about as much as planning when an image stays in place.
// REQUIRES: the plan was made for this graph.
std::vector<std::vector<NodeId>> ReadersOfImages(const Graph& graph,
                                                 const Plan& plan);

}  // namespace reprise

#endif  // REPRISE_PLANNER_IMAGE_READERS_H_
