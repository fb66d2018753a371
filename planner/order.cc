#include "planner/order.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace reprise {

// Places the nodes one by one, each after its predecessors.
class Order::Builder {
 public:
  Builder(const Graph& graph, std::size_t max_clock_entries, Order& order)
      : graph_(graph), max_entries_(max_clock_entries), order_(order) {}

  void Run() {
    order_.places_.resize(graph_.num_nodes());
    order_.clocks_.push_back({});  // of a node with nothing before it
    for (NodeId node : order_.nodes()) Put(node);
  }

 private:
  void Put(NodeId node) {
    CollectPredecessors(node);
    const NodeId last = OnlyLatestPredecessor();
    if (last.valid() && IsTail(last) && MayFollow(last, node)) {
      Append(node, order_.chain(last), order_.places_[last.value].clock);
      return;
    }
    MergeClocks();
    if (order_.counts_.size() + merged_.size() > max_entries_) return;
    const StreamId stream = graph_.node(node).stream;
    const std::uint32_t chain = FindChain(stream);
    if (stream.valid()) chain_of_stream_[stream] = chain;
    Append(node, chain, StoreMerged());
  }

  void CollectPredecessors(NodeId node) {
    predecessors_.clear();
    const bool waits = graph_.node(node).waits;
    for (std::uint32_t e : order_.topology_.incoming(node)) {
      const Edge& edge = graph_.edges()[e];
      if (edge.type == EdgeType::kProgrammatic && !waits) continue;
      if (order_.chain(edge.from) == kLoose) continue;
      predecessors_.push_back(edge.from);
    }
  }

  // The predecessor that all others are before, if there is one.
  NodeId OnlyLatestPredecessor() const {
    if (predecessors_.empty()) return {};
    NodeId last = predecessors_.front();
    for (NodeId p : predecessors_) {
      if (order_.Before(last, p)) last = p;
    }
    for (NodeId p : predecessors_) {
      if (p != last && !order_.Before(p, last)) return {};
    }
    return last;
  }

  // A fork's first node leaves the chain to the stream that it comes from.
  bool MayFollow(NodeId last, NodeId node) const {
    return graph_.node(last).stream == graph_.node(node).stream;
  }

  bool IsTail(NodeId node) const {
    return order_.index(node) + 1 == lengths_[order_.chain(node)];
  }

  void MergeClocks() {
    merged_.clear();
    for (NodeId p : predecessors_) {
      const Place& at = order_.places_[p.value];
      const Clock& clock = order_.clocks_[at.clock];
      const std::size_t width =
          std::max<std::size_t>(clock.width, at.chain + std::size_t{1});
      if (merged_.size() < width) merged_.resize(width, 0);
      for (std::uint32_t c = 0; c < clock.width; ++c) {
        merged_[c] = std::max(merged_[c], order_.counts_[clock.first + c]);
      }
      merged_[at.chain] = std::max(merged_[at.chain], at.index + 1);
    }
  }

  // A chain that is wholly before the node can go on with it. The stream's own
  // comes first: streams that took each other's would need ever more chains.
  std::uint32_t FindChain(StreamId stream) {
    const auto own = chain_of_stream_.find(stream);
    if (own != chain_of_stream_.end() && own->second < merged_.size() &&
        merged_[own->second] == lengths_[own->second]) {
      return own->second;
    }
    for (std::uint32_t c = 0; c < merged_.size(); ++c) {
      if (merged_[c] == lengths_[c]) return c;
    }
    lengths_.push_back(0);
    return static_cast<std::uint32_t>(lengths_.size() - 1);
  }

  std::uint32_t StoreMerged() {
    if (merged_.empty()) return 0;
    order_.clocks_.push_back(
        {order_.counts_.size(), static_cast<std::uint32_t>(merged_.size())});
    order_.counts_.insert(order_.counts_.end(), merged_.begin(), merged_.end());
    return static_cast<std::uint32_t>(order_.clocks_.size() - 1);
  }

  void Append(NodeId node, std::uint32_t chain, std::uint32_t clock) {
    order_.places_[node.value] = {chain, lengths_[chain]++, clock};
  }

  const Graph& graph_;
  const std::size_t max_entries_;
  Order& order_;
  std::vector<std::uint32_t> lengths_;  // nodes in each chain so far
  absl::flat_hash_map<StreamId, std::uint32_t> chain_of_stream_;
  std::vector<NodeId> predecessors_;   // of the node being placed
  std::vector<std::uint32_t> merged_;  // its clock
};

absl::StatusOr<Order> Order::Of(const Graph& graph,
                                std::size_t max_clock_entries) {
  absl::StatusOr<Topology> topology = Topology::Of(graph);
  if (!topology.ok()) return topology.status();
  Order order(*std::move(topology));
  Builder(graph, max_clock_entries, order).Run();
  return order;
}

std::uint32_t Order::NumBefore(std::uint32_t chain, NodeId node) const {
  const Place& at = places_[node.value];
  if (at.chain == chain) return at.index;
  if (at.chain == kLoose) return 0;
  const Clock& clock = clocks_[at.clock];
  return chain < clock.width ? counts_[clock.first + chain] : 0;
}

}  // namespace reprise
