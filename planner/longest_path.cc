#include "planner/longest_path.h"

#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/topology.h"

namespace reprise {

std::uint32_t LongestPath(const Graph& graph) {
  const absl::StatusOr<Topology> topology = Topology::Of(graph);
  if (!topology.ok()) return 0;
  std::vector<std::uint32_t> depth(graph.num_nodes(), 1);  // to each node
  std::uint32_t longest = 0;
  for (NodeId node : topology->order()) {
    for (std::uint32_t e : topology->incoming(node)) {
      const std::uint32_t before = depth[graph.edges()[e].from.value];
      depth[node.value] = std::max(depth[node.value], before + 1);
    }
    longest = std::max(longest, depth[node.value]);
  }
  return longest;
}

}  // namespace reprise
