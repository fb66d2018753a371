// Happens-before by walking every edge; slow, and simple enough to trust.
#ifndef REPRISE_TESTS_PLANNER_REACHABILITY_H_
#define REPRISE_TESTS_PLANNER_REACHABILITY_H_

#include <vector>

#include "graph/graph.h"

namespace reprise::testing {

// An edge that orders memory: full, or into a node that waits by itself.
bool OrdersMemory(const Graph& graph, const Edge& edge);

class Reachability {
 public:
  explicit Reachability(const Graph& graph);

  bool Before(NodeId a, NodeId b) const { return reached_[a.value][b.value]; }

 private:
  std::vector<std::vector<bool>> reached_;  // from, to
};

// True when the two nodes touch a common byte and one of them writes it.
// Opaque nodes conflict with all.
bool Conflict(const Graph& graph, NodeId a, NodeId b);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_PLANNER_REACHABILITY_H_
