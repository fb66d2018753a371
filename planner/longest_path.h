// The longest way through a graph, which no number of streams makes shorter.
#ifndef REPRISE_PLANNER_LONGEST_PATH_H_
#define REPRISE_PLANNER_LONGEST_PATH_H_

#include <cstdint>

#include "graph/graph.h"

namespace reprise {

// Nodes on the longest path of edges, full or programmatic; 0 where the edges
// make a cycle.
std::uint32_t LongestPath(const Graph& graph);

}  // namespace reprise

#endif  // REPRISE_PLANNER_LONGEST_PATH_H_
