#include "planner/relax.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "planner/needed_order.h"
#include "planner/order.h"
#include "planner/rewrite.h"
#include "planner/storage.h"
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
void Reduce(const Order& order, Predecessors& before) {
  const Topology& topology = order.topology();
  for (std::vector<NodeId>& nodes : before) {
    absl::c_sort(nodes, [&](NodeId a, NodeId b) {
      return topology.position(a) > topology.position(b);
    });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<NodeId> last;
    for (NodeId node : nodes) {
      const bool implied = absl::c_any_of(
          last, [&](NodeId later) { return order.Before(node, later); });
      if (!implied) last.push_back(node);
    }
    nodes = std::move(last);
  }
}

// A cooperative kernel needs all its blocks at once; one that starts early
// would hold the places of others.
bool MayOverlapOthers(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.kind == NodeKind::kKernel &&
         (node.launch == Node::kNoIndex || !graph.launch(id).cooperative);
}

// The edge that is there already and orders as much, or a new one.
Edge EdgeBetween(const Graph& graph, const Topology& topology, NodeId from,
                 NodeId to) {
  // Where a kernel may start when all blocks of the one before have let it.
  constexpr std::uint8_t kProgrammaticPort = 1;
  Edge added = FullEdge(from, to);
  for (std::uint32_t e : topology.incoming(to)) {
    const Edge& edge = graph.edges()[e];
    if (!OrdersMemory(graph, edge)) continue;
    if (edge.from == from) return edge;
    if (edge.type == EdgeType::kProgrammatic &&
        edge.from_port == kProgrammaticPort && MayOverlapOthers(graph, from) &&
        MayOverlapOthers(graph, to)) {
      added = edge;
      added.from = from;
    }
  }
  return added;
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

// `order` is of the rewritten graph, and so are the images when they are
// packed.
void PackAlong(const Order& order, const Rewritten& planned, bool overlap,
               Plan& plan) {
  std::vector<PlannedImage> images = plan.images;
  for (PlannedImage& image : images) {
    image.writer = planned.now[image.writer.value];
    for (ImageReader& reader : image.readers) {
      reader.node = planned.now[reader.node.value];
    }
    image.moved = false;  // it stands where its edges say
  }
  plan.arena = PackImages(order, overlap, absl::MakeSpan(images));
  for (std::size_t i = 0; i < images.size(); ++i) {
    plan.images[i].offset = images[i].offset;
  }
}

}  // namespace

absl::Status Relax(const Graph& graph, std::uint32_t width, bool overlap,
                   Plan& plan) {
  const Rewritten planned = Rewrite(graph, plan, FreeAddress(graph));
  const absl::StatusOr<Order> strict = Order::Of(planned.graph);
  if (!strict.ok()) return strict.status();
  if (HasLoose(*strict)) {
    PackAlong(*strict, planned, overlap, plan);
    return absl::OkStatus();
  }

  NeededOrder needed = FindNeededOrder(planned.graph, *strict);
  if (width > 0) LimitWidth(strict->nodes(), width, needed.before);
  const absl::StatusOr<Order> relaxed = Order::Of(GraphOf(needed.before));
  if (!relaxed.ok()) return relaxed.status();
  PackAlong(*relaxed, planned, overlap, plan);
  Reduce(*relaxed, needed.before);

  std::vector<Edge> edges =
      EdgesOf(planned.graph, strict->topology(), needed.before, needed.pinned);
  for (Edge& edge : edges) {
    edge.from = planned.origin[edge.from.value];
    edge.to = planned.origin[edge.to.value];
  }
  SetEdges(graph, std::move(edges), plan);
  plan.relaxed = true;
  return absl::OkStatus();
}

}  // namespace reprise
