// The shape of a graph: neighbours of a node, and an order in which to visit
// all of them. Built once, linear in nodes and edges.
#ifndef REPRISE_GRAPH_TOPOLOGY_H_
#define REPRISE_GRAPH_TOPOLOGY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/graph.h"

namespace reprise {

class Topology {
 public:
  // FailedPrecondition, naming a node of it, when the edges make a cycle.
  // The graph's edges are kept by index: it must not change afterwards.
  static absl::StatusOr<Topology> Of(const Graph& graph);

  // Indices into Graph::edges(), in the order in which the edges were added.
  absl::Span<const std::uint32_t> incoming(NodeId id) const {
    return in_.Of(id);
  }
  absl::Span<const std::uint32_t> outgoing(NodeId id) const {
    return out_.Of(id);
  }

  // Every node after all its predecessors; of the nodes that may come next,
  // the lowest id. The capture order itself wherever that is a valid order.
  absl::Span<const NodeId> order() const { return order_; }

  // Where the node stands in order().
  std::uint32_t position(NodeId id) const { return position_[id.value]; }

 private:
  // Edge indices by node, packed.
  struct Lists {
    std::vector<std::uint32_t> first;  // num_nodes + 1
    std::vector<std::uint32_t> edges;
    absl::Span<const std::uint32_t> Of(NodeId id) const {
      return absl::MakeConstSpan(edges).subspan(
          first[id.value], first[id.value + 1] - first[id.value]);
    }
  };

  static Lists Group(const Graph& graph, NodeId Edge::*end);
  absl::Status Sort(const Graph& graph);
  void Append(NodeId node);

  Lists in_;
  Lists out_;
  std::vector<NodeId> order_;
  std::vector<std::uint32_t> position_;
};

}  // namespace reprise

#endif  // REPRISE_GRAPH_TOPOLOGY_H_
