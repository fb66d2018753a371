#include "planner/edges.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace reprise {
namespace {

constexpr std::uint32_t kNew = 0xffffffff;

// An edge into the node being settled: a captured one, or a new one.
struct Arrival {
  Edge edge;
  std::uint32_t captured = kNew;  // index into Graph::edges()
};

Edge FullEdge(NodeId from, NodeId to) {
  Edge edge;
  edge.from = from;
  edge.to = to;
  return edge;
}

// The edges around a node that leaves, as one.
Edge Join(const Edge& before, const Edge& after) {
  Edge joined = FullEdge(before.from, after.to);
  if (before.type == EdgeType::kProgrammatic &&
      after.type == EdgeType::kProgrammatic) {
    joined.type = EdgeType::kProgrammatic;
    joined.from_port = before.from_port;
    joined.to_port = after.to_port;
  }
  return joined;
}

class Rewirer {
 public:
  Rewirer(const Graph& graph, const Order& order, Plan& plan)
      : graph_(graph),
        order_(order),
        plan_(plan),
        writer_of_(graph.num_nodes()),
        ready_of_(graph.num_nodes(), nullptr) {}

  void Run() {
    for (const RemovedNode& removed : RemovedNodes(plan_)) {
      writer_of_[removed.node.value] = removed.writer;
    }
    for (const PlannedImage& image : plan_.images) {
      if (image.moved) ready_of_[image.writer.value] = &image.ready;
    }
    for (NodeId node : order_.nodes()) Settle(node);
    std::sort(plan_.dropped_edges.begin(), plan_.dropped_edges.end());
  }

 private:
  bool Removed(NodeId node) const { return writer_of_[node.value].valid(); }
  bool Moved(NodeId node) const { return ready_of_[node.value] != nullptr; }

  // Predecessors are settled before.
  void Settle(NodeId node) {
    const auto incoming = order_.topology().incoming(node);
    const bool leaves = Removed(node) || Moved(node);
    const bool touched =
        leaves ||
        std::any_of(incoming.begin(), incoming.end(), [&](std::uint32_t e) {
          const NodeId from = graph_.edges()[e].from;
          return Removed(from) || Moved(from);
        });
    if (!touched) return;
    std::vector<Arrival> arrivals = Arrivals(node);
    if (leaves) {
      plan_.dropped_edges.insert(plan_.dropped_edges.end(), incoming.begin(),
                                 incoming.end());
      for (NodeId ready : ReadyOf(node)) AddEdge(FullEdge(ready, node));
      bridges_[node] = std::move(arrivals);
      return;
    }
    for (std::uint32_t e : incoming) {
      if (Removed(graph_.edges()[e].from)) plan_.dropped_edges.push_back(e);
    }
    AddNew(node, arrivals);
  }

  absl::Span<const NodeId> ReadyOf(NodeId node) const {
    if (!Moved(node)) return {};
    return *ready_of_[node.value];
  }

  // What leads into the node once the nodes that leave are bridged; one edge a
  // source.
  std::vector<Arrival> Arrivals(NodeId node) {
    std::vector<Arrival> arrivals;
    for (std::uint32_t e : order_.topology().incoming(node)) {
      const Edge& edge = graph_.edges()[e];
      if (!Removed(edge.from)) Collect({edge, e}, arrivals);
      if (!Removed(edge.from) && !Moved(edge.from)) continue;
      for (const Arrival& before : bridges_[edge.from]) {
        Collect({Join(before.edge, edge), kNew}, arrivals);
      }
      if (!Removed(edge.from)) continue;
      const NodeId writer = writer_of_[edge.from.value];
      if (!order_.Before(writer, node))
        Collect({FullEdge(writer, node), kNew}, arrivals);
    }
    return arrivals;
  }

  // Of two edges from one source the captured one stays, but never in place of
  // a stronger one.
  static void Collect(const Arrival& arrival, std::vector<Arrival>& arrivals) {
    for (Arrival& known : arrivals) {
      if (known.edge.from != arrival.edge.from) continue;
      const bool stronger = known.edge.type == EdgeType::kProgrammatic &&
                            arrival.edge.type == EdgeType::kFull;
      const bool as_strong = known.edge.type == arrival.edge.type;
      if (stronger || (as_strong && known.captured == kNew)) {
        known = arrival;
      }
      return;
    }
    arrivals.push_back(arrival);
  }

  void AddNew(NodeId node, const std::vector<Arrival>& arrivals) {
    for (const Arrival& arrival : arrivals) {
      if (arrival.captured != kNew || Implied(node, arrival, arrivals)) {
        continue;
      }
      DropWeaker(arrival.edge);
      AddEdge(arrival.edge);
    }
  }

  // True when another edge into the node already waits for this one's source.
  bool Implied(NodeId node, const Arrival& arrival,
               const std::vector<Arrival>& arrivals) const {
    return std::any_of(
        arrivals.begin(), arrivals.end(), [&](const Arrival& other) {
          const bool trusted =
              other.edge.type == EdgeType::kFull || graph_.node(node).waits;
          return trusted && Reaches(arrival.edge.from, other.edge.from);
        });
  }

  bool Reaches(NodeId from, NodeId to) const {
    if (!Moved(to)) return order_.Before(from, to);
    const auto ready = ReadyOf(to);
    return std::any_of(ready.begin(), ready.end(), [&](NodeId r) {
      return r == from || order_.Before(from, r);
    });
  }

  // A captured programmatic edge that a new full one takes the place of.
  void DropWeaker(const Edge& added) {
    for (std::uint32_t e : order_.topology().incoming(added.to)) {
      if (graph_.edges()[e].from == added.from) {
        plan_.dropped_edges.push_back(e);
      }
    }
  }

  void AddEdge(const Edge& edge) { plan_.added_edges.push_back(edge); }

  const Graph& graph_;
  const Order& order_;
  Plan& plan_;
  // By node: of a removed one who wrote what it would, of a moved quantizer
  // the nodes that it waits for.
  std::vector<NodeId> writer_of_;
  std::vector<const std::vector<NodeId>*> ready_of_;
  absl::flat_hash_map<NodeId, std::vector<Arrival>> bridges_;
};

}  // namespace

void RewireEdges(const Graph& graph, const Order& order, Plan& plan) {
  Rewirer(graph, order, plan).Run();
}

}  // namespace reprise
