#include "replay/schedule.h"

#include <cstddef>
#include <random>

#include "graph/topology.h"

namespace reprise {
namespace {

std::vector<NodeId> Shuffled(const Graph& graph, const Topology& topology,
                             std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::size_t> waiting(graph.num_nodes());
  std::vector<NodeId> ready;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    waiting[n] = topology.incoming(NodeId{n}).size();
    if (waiting[n] == 0) ready.push_back(NodeId{n});
  }
  std::vector<NodeId> order;
  order.reserve(graph.num_nodes());
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const NodeId node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (std::uint32_t e : topology.outgoing(node)) {
      const NodeId to = graph.edges()[e].to;
      if (--waiting[to.value] == 0) ready.push_back(to);
    }
  }
  return order;
}

}  // namespace

absl::StatusOr<std::vector<NodeId>> ScheduleOf(const Graph& graph,
                                               std::uint32_t seed) {
  absl::StatusOr<Topology> topology = Topology::Of(graph);
  if (!topology.ok()) return topology.status();
  if (seed != 0) return Shuffled(graph, *topology, seed);
  return std::vector<NodeId>(topology->order().begin(),
                             topology->order().end());
}

}  // namespace reprise
