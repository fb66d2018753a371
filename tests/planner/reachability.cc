#include "tests/planner/reachability.h"

#include <cstdint>

namespace reprise::testing {

bool OrdersMemory(const Graph& graph, const Edge& edge) {
  return edge.type == EdgeType::kFull || graph.node(edge.to).waits;
}

Reachability::Reachability(const Graph& graph)
    : reached_(graph.num_nodes(), std::vector<bool>(graph.num_nodes())) {
  for (std::uint32_t start = 0; start < graph.num_nodes(); ++start) {
    std::vector<NodeId> open = {NodeId{start}};
    while (!open.empty()) {
      const NodeId at = open.back();
      open.pop_back();
      for (const Edge& edge : graph.edges()) {
        if (edge.from != at || !OrdersMemory(graph, edge)) continue;
        if (reached_[start][edge.to.value]) continue;
        reached_[start][edge.to.value] = true;
        open.push_back(edge.to);
      }
    }
  }
}

bool Conflict(const Graph& graph, NodeId a, NodeId b) {
  if (!graph.node(a).effects_complete || !graph.node(b).effects_complete) {
    return true;
  }
  for (const Access& x : graph.accesses(a)) {
    for (const Access& y : graph.accesses(b)) {
      if ((x.writes() || y.writes()) && MayOverlap(x.view, y.view)) return true;
    }
  }
  return false;
}

}  // namespace reprise::testing
