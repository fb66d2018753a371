#include "planner/epochs.h"

#include <cstddef>

#include "absl/algorithm/container.h"

namespace reprise {

Epochs::Epochs(const Graph& graph, const Order& order, const ViewIndex& views)
    : graph_(graph),
      order_(order),
      views_(views),
      dropped_(graph.num_nodes(), false),
      writers_(views.size()),
      opaque_(1) {
  for (NodeId node : order.nodes()) {
    if (!graph.node(node).effects_complete) {
      opaque_.Add(0, node, /*covers=*/false);
      continue;
    }
    for (const Access& access : graph.accesses(node)) {
      if (!access.writes()) continue;
      views.ForEachOverlap(access.view, [&](ViewId view) {
        writers_.Add(view, node,
                     access.exact && Contains(access.view, views.view(view)));
      });
    }
  }
  writers_.Seal(order);
  opaque_.Seal(order);
}

void Epochs::Drop(NodeId node) {
  dropped_[node.value] = true;
  for (const Access& access : graph_.accesses(node)) {
    if (!access.writes()) continue;
    views_.ForEachOverlap(
        access.view, [&](ViewId view) { writers_.Drop(view, node, order_); });
  }
}

Contents Epochs::At(ViewId view, NodeId reader) const {
  Contents contents;
  Lasts lasts;
  Look(writers_[view], reader, contents, lasts);
  Look(opaque(), reader, contents, lasts);
  if (lasts.empty()) return contents;

  ChainEntry latest = lasts.front();
  for (const ChainEntry& last : lasts) {
    if (order_.Before(latest.node, last.node)) latest = last;
  }
  contents.latest = latest.node;
  const bool alone =
      latest.covers && absl::c_all_of(lasts, [&](const ChainEntry& last) {
        return last.node == latest.node ||
               order_.Before(last.node, latest.node);
      });
  if (alone) contents.writer = latest.node;
  return contents;
}

std::vector<NodeId> Epochs::LatestWriters(ViewId view, NodeId reader) const {
  Contents contents;
  Lasts lasts;
  Look(writers_[view], reader, contents, lasts);
  Look(opaque(), reader, contents, lasts);
  std::vector<NodeId> latest;
  for (const ChainEntry& a : lasts) {
    const bool overtaken = absl::c_any_of(lasts, [&](const ChainEntry& b) {
      return order_.Before(a.node, b.node);
    });
    if (!overtaken) latest.push_back(a.node);
  }
  absl::c_sort(latest);
  return latest;
}

NodeId Epochs::WrittenSince(ViewId view, const Contents& earlier,
                            const Contents& later) const {
  std::size_t at = 0;
  for (const ChainLists& lists : {writers(view), opaque()}) {
    for (std::size_t i = 0; i < lists.num_lists(); ++i, ++at) {
      if (later.epoch[at] > earlier.epoch[at]) {
        return lists.list(i)[later.epoch[at] - 1].node;
      }
    }
  }
  return {};
}

void Epochs::Look(const ChainLists& lists, NodeId reader, Contents& contents,
                  Lasts& lasts) const {
  for (const ChainEntry& entry : lists.loose()) {
    if (entry.node != reader) contents.unordered = entry.node;
  }
  for (std::size_t i = 0; i < lists.num_lists(); ++i) {
    const std::size_t before = lists.NumBefore(i, reader, order_);
    const std::size_t after = lists.FirstAfter(i, reader, before, order_);
    for (std::size_t e = before; e < after; ++e) {
      const NodeId node = lists.list(i)[e].node;
      if (node == reader) continue;
      contents.unordered = node;
      break;
    }
    const std::size_t counting = lists.NumCounting(i, before);
    contents.epoch.push_back(static_cast<std::uint32_t>(counting));
    if (counting > 0) lasts.push_back(lists.list(i)[counting - 1]);
  }
}

}  // namespace reprise
