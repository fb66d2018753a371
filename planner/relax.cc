#include "planner/relax.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "planner/needed_order.h"
#include "planner/order.h"
#include "planner/rewrite.h"
#include "planner/width.h"

namespace reprise {
namespace {

using Predecessors = std::vector<std::vector<NodeId>>;  // by node

Edge FullEdge(NodeId from, NodeId to) {
  Edge edge;
  edge.from = from;
  edge.to = to;
  return edge;
}

bool OrdersMemory(const Graph& graph, const Edge& edge) {
  return edge.type == EdgeType::kFull || graph.node(edge.to).waits;
}

bool HasLoose(const Order& order) {
  return absl::c_any_of(order.nodes(), [&](NodeId node) {
    return order.chain(node) == Order::kLoose;
  });
}

// Nodes and full edges alone.
Graph GraphOf(const Predecessors& before) {
  Graph graph;
  for (std::size_t n = 0; n < before.size(); ++n) graph.AddNode({});
  for (std::uint32_t n = 0; n < before.size(); ++n) {
    for (NodeId b : before[n]) graph.AddEdge(FullEdge(b, NodeId{n}));
  }
  return graph;
}

// Leaves of each node's predecessors those that are before no other.
absl::Status Reduce(Predecessors& before) {
  const absl::StatusOr<Order> order = Order::Of(GraphOf(before));
  if (!order.ok()) return order.status();
  const Topology& topology = order->topology();
  for (std::vector<NodeId>& nodes : before) {
    absl::c_sort(nodes, [&](NodeId a, NodeId b) {
      return topology.position(a) > topology.position(b);
    });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<NodeId> last;
    for (NodeId node : nodes) {
      const bool implied = absl::c_any_of(
          last, [&](NodeId later) { return order->Before(node, later); });
      if (!implied) last.push_back(node);
    }
    nodes = std::move(last);
  }
  return absl::OkStatus();
}

// The edge that is there already and orders as much, or a full one.
Edge EdgeBetween(const Graph& graph, const Topology& topology, NodeId from,
                 NodeId to) {
  for (std::uint32_t e : topology.incoming(to)) {
    const Edge& edge = graph.edges()[e];
    if (edge.from == from && OrdersMemory(graph, edge)) return edge;
  }
  return FullEdge(from, to);
}

std::vector<Edge> EdgesOf(const Graph& graph, const Topology& topology,
                          const Predecessors& before,
                          const std::vector<bool>& pinned) {
  std::vector<Edge> edges;
  for (std::uint32_t n = 0; n < before.size(); ++n) {
    const NodeId node{n};
    for (NodeId from : before[n]) {
      edges.push_back(EdgeBetween(graph, topology, from, node));
    }
    for (std::uint32_t e : topology.incoming(node)) {
      const Edge& edge = graph.edges()[e];
      if (OrdersMemory(graph, edge) ||
          absl::c_linear_search(before[n], edge.from))
        continue;
      if (pinned[edge.from.value] || pinned[n]) edges.push_back(edge);
    }
  }
  return edges;
}

bool ByEnds(const Edge& a, const Edge& b) {
  return std::tie(a.to, a.from) < std::tie(b.to, b.from);
}

// Makes these the edges of the rewritten graph; one between two nodes.
void SetEdges(const Graph& graph, std::vector<Edge> edges, Plan& plan) {
  absl::c_sort(edges, ByEnds);
  std::vector<bool> captured(edges.size(), false);
  plan.dropped_edges.clear();
  for (std::uint32_t e = 0; e < graph.edges().size(); ++e) {
    const Edge& edge = graph.edges()[e];
    const auto at = std::lower_bound(edges.begin(), edges.end(), edge, ByEnds);
    if (at != edges.end() && *at == edge) {
      captured[static_cast<std::size_t>(at - edges.begin())] = true;
    } else {
      plan.dropped_edges.push_back(e);
    }
  }
  plan.added_edges.clear();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (!captured[e]) plan.added_edges.push_back(edges[e]);
  }
}

}  // namespace

absl::Status RelaxEdges(const Graph& graph, std::uint32_t width, Plan& plan) {
  const Rewritten planned = Rewrite(graph, plan, FreeAddress(graph));
  const absl::StatusOr<Order> order = Order::Of(planned.graph);
  if (!order.ok()) return order.status();
  if (HasLoose(*order)) return absl::OkStatus();

  NeededOrder needed = FindNeededOrder(planned.graph, *order);
  if (width > 0) LimitWidth(order->nodes(), width, needed.before);
  const absl::Status reduced = Reduce(needed.before);
  if (!reduced.ok()) return reduced;

  std::vector<Edge> edges =
      EdgesOf(planned.graph, order->topology(), needed.before, needed.pinned);
  for (Edge& edge : edges) {
    edge.from = planned.origin[edge.from.value];
    edge.to = planned.origin[edge.to.value];
  }
  SetEdges(graph, std::move(edges), plan);
  return absl::OkStatus();
}

}  // namespace reprise
