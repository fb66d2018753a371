#include "planner/needed_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "planner/chain_lists.h"
#include "planner/view_index.h"

namespace reprise {
namespace {

using ViewId = ViewIndex::ViewId;

// No access says which host memory that is.
bool TouchesHost(const Graph& graph, NodeId id) {
  if (graph.node(id).transfer == Node::kNoIndex) return false;
  const Copy& copy = graph.copy(id);
  return copy.source_kind == MemoryKind::kHost ||
         copy.target_kind == MemoryKind::kHost;
}

ViewIndex IndexAllViews(const Graph& graph) {
  ViewIndex views;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    for (const Access& access : graph.accesses(NodeId{n})) {
      views.Add(access.view);
    }
  }
  views.Seal();
  return views;
}

class Finder {
 public:
  Finder(const Graph& graph, const Order& order)
      : graph_(graph),
        order_(order),
        views_(IndexAllViews(graph)),
        writes_(views_.size()),
        reads_(views_.size()) {
    needed_.before.resize(graph.num_nodes());
    needed_.pinned.resize(graph.num_nodes(), false);
    ListChains();
    ListAccesses();
  }

  NeededOrder Run() {
    for (NodeId node : order_.nodes()) {
      if (MayTouchAnything(graph_, node)) PinAround(node);
      ForEachConflict(node, [&](const ChainLists& lists, std::size_t i) {
        PinRaces(node, lists, i);
      });
    }
    ListPinned();
    for (NodeId node : order_.nodes()) {
      NeedLastPinned(node);
      if (needed_.pinned[node.value]) {
        NeedAll(node);
      } else {
        FollowMemory(node);
      }
    }
    return std::move(needed_);
  }

 private:
  // A node that is to be pinned is counted up where it stands in its chain, and
  // down right behind it; so is a range of nodes.
  struct Chain {
    std::vector<NodeId> nodes;
    std::vector<std::int32_t> pins;     // one more than nodes
    std::vector<std::uint32_t> pinned;  // indices, ascending
  };

  void Pin(std::uint32_t chain, std::size_t first, std::size_t last) {
    ++chains_[chain].pins[first];
    --chains_[chain].pins[last];
  }
  void Pin(NodeId node) {
    Pin(order_.chain(node), order_.index(node), order_.index(node) + 1);
  }
  void Need(NodeId before, NodeId node) {
    needed_.before[node.value].push_back(before);
  }

  void ListChains() {
    for (NodeId node : order_.nodes()) {
      const std::uint32_t chain = order_.chain(node);
      if (chain >= chains_.size()) chains_.resize(chain + std::size_t{1});
      chains_[chain].nodes.push_back(node);
    }
    for (Chain& chain : chains_) chain.pins.resize(chain.nodes.size() + 1, 0);
  }

  void ListAccesses() {
    for (NodeId node : order_.nodes()) {
      if (MayTouchAnything(graph_, node)) continue;
      for (const Access& access : graph_.accesses(node)) {
        ChainTable& table = access.writes() ? writes_ : reads_;
        views_.ForEachOverlap(access.view, [&](ViewId view) {
          table.Add(
              view, node,
              access.writes() && Contains(access.view, views_.view(view)));
        });
      }
    }
    writes_.Seal(order_);
    reads_.Seal(order_);
  }

  // Calls `visit` for every list of nodes that touch what the node writes or
  // write what it reads.
  template <typename Visit>
  void ForEachConflict(NodeId node, Visit visit) const {
    if (MayTouchAnything(graph_, node)) return;
    for (const Access& access : graph_.accesses(node)) {
      const ViewId view = views_.Find(access.view);
      const ChainLists writes = writes_[view];
      for (std::size_t i = 0; i < writes.num_lists(); ++i) visit(writes, i);
      if (!access.writes()) continue;
      const ChainLists reads = reads_[view];
      for (std::size_t i = 0; i < reads.num_lists(); ++i) visit(reads, i);
    }
  }

  void PinRaces(NodeId node, const ChainLists& lists, std::size_t i) {
    const std::size_t first = lists.NumBefore(i, node, order_);
    const std::size_t last = lists.FirstAfter(i, node, first, order_);
    for (const ChainEntry& e : lists.list(i).subspan(first, last - first)) {
      if (e.node == node) continue;
      Pin(e.node);
      Pin(node);
    }
  }

  // The node and all that are in no order with it.
  void PinAround(NodeId node) {
    for (std::uint32_t c = 0; c < chains_.size(); ++c) {
      const std::vector<NodeId>& nodes = chains_[c].nodes;
      const auto first = nodes.begin() + order_.NumBefore(c, node);
      const auto last = std::partition_point(
          first, nodes.end(),
          [&](NodeId other) { return !order_.Before(node, other); });
      Pin(c, static_cast<std::size_t>(first - nodes.begin()),
          static_cast<std::size_t>(last - nodes.begin()));
    }
  }

  void ListPinned() {
    for (Chain& chain : chains_) {
      std::int32_t pins = 0;
      for (std::uint32_t i = 0; i < chain.nodes.size(); ++i) {
        pins += chain.pins[i];
        if (pins == 0) continue;
        chain.pinned.push_back(i);
        needed_.pinned[chain.nodes[i].value] = true;
      }
    }
  }

  // Of each chain the last pinned node before this one; all that come earlier
  // in the chain are before that.
  void NeedLastPinned(NodeId node) {
    first_.assign(chains_.size(), 0);
    for (std::uint32_t c = 0; c < chains_.size(); ++c) {
      const std::vector<std::uint32_t>& pinned = chains_[c].pinned;
      const auto after = std::lower_bound(pinned.begin(), pinned.end(),
                                          order_.NumBefore(c, node));
      if (after == pinned.begin()) continue;
      first_[c] = *(after - 1) + 1;
      Need(chains_[c].nodes[*(after - 1)], node);
    }
  }

  // All nodes before this one, but for those that are before the last pinned
  // node of its own chain too.
  void NeedAll(NodeId node) {
    const std::uint32_t own = order_.chain(node);
    const NodeId last =
        first_[own] == 0 ? NodeId() : chains_[own].nodes[first_[own] - 1];
    for (std::uint32_t c = 0; c < chains_.size(); ++c) {
      std::uint32_t i = first_[c];
      if (last.valid()) i = std::max(i, order_.NumBefore(c, last));
      for (; i < order_.NumBefore(c, node); ++i)
        Need(chains_[c].nodes[i], node);
    }
  }

  // The writers of what the node reads or writes, and the readers of what it
  // writes; of each chain back to the last writer of all of it, or of some
  // unknown part: whatever touched it earlier is before that writer.
  void FollowMemory(NodeId node) {
    for (const Access& access : graph_.accesses(node)) {
      const ViewId view = views_.Find(access.view);
      covered_ = first_;
      FollowLists(writes_[view], node);
      if (access.writes()) FollowLists(reads_[view], node);
    }
  }

  void FollowLists(const ChainLists& lists, NodeId node) {
    for (std::size_t i = 0; i < lists.num_lists(); ++i) {
      const absl::Span<const ChainEntry> entries = lists.list(i);
      for (std::size_t e = lists.NumBefore(i, node, order_); e-- > 0;) {
        const ChainEntry& entry = entries[e];
        if (entry.index < covered_[entry.chain]) break;
        Need(entry.node, node);
        if (entry.covers) covered_[entry.chain] = entry.index;
      }
    }
  }

  const Graph& graph_;
  const Order& order_;
  const ViewIndex views_;
  ChainTable writes_;  // by view
  ChainTable reads_;   // by view
  std::vector<Chain> chains_;
  // Of the node at hand, by chain: the index from which on nodes matter, as
  // the pinned ones leave it, and as the writers of one view leave it.
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> covered_;
  NeededOrder needed_;
};

}  // namespace

bool MayTouchAnything(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  switch (node.kind) {
    case NodeKind::kCopy:
      return !node.effects_complete || TouchesHost(graph, id);
    case NodeKind::kKernel:
    case NodeKind::kFill:
    case NodeKind::kEmpty:
      return !node.effects_complete;
    default:
      return true;
  }
}

NeededOrder FindNeededOrder(const Graph& graph, const Order& order) {
  return Finder(graph, order).Run();
}

}  // namespace reprise
