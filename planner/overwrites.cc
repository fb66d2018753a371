#include "planner/overwrites.h"

#include <algorithm>
#include <cstddef>

#include "absl/algorithm/container.h"

namespace reprise {

Overwriters OverwritersAfter(const Epochs& epochs, Epochs::ViewId view,
                             NodeId node) {
  Overwriters found;
  const ChainLists writers = epochs.writers(view);
  for (std::size_t i = 0; i < writers.num_lists(); ++i) {
    const auto list = writers.list(i);
    const std::size_t before = writers.NumBefore(i, node, epochs.order());
    const std::size_t first =
        writers.FirstAfter(i, node, before, epochs.order());
    const std::size_t last = std::min(list.size(), first + kMaxOverwriteSteps);
    for (std::size_t e = first; e < last; ++e) {
      if (!list[e].covers || epochs.Dropped(list[e].node)) continue;
      found.push_back(list[e].node);
      break;
    }
  }
  return found;
}

bool OverwrittenBefore(const Epochs& epochs, Epochs::ViewId view, NodeId node) {
  const ChainLists writers = epochs.writers(view);
  for (std::size_t i = 0; i < writers.num_lists(); ++i) {
    const std::size_t last = std::min(
        kMaxOverwriteSteps, writers.NumBefore(i, node, epochs.order()));
    for (std::size_t e = 0; e < last; ++e) {
      if (writers.list(i)[e].covers) return true;
    }
  }
  return false;
}

bool IsAfterAny(const Order& order, const Overwriters& overwriters,
                NodeId node) {
  return absl::c_any_of(overwriters,
                        [&](NodeId kill) { return order.Before(kill, node); });
}

NodeId MaySee(const Order& order, const ChainLists& reads, NodeId writer,
              const Overwriters& overwriters) {
  if (!reads.loose().empty()) return reads.loose().front().node;
  for (std::size_t i = 0; i < reads.num_lists(); ++i) {
    const auto list = reads.list(i);
    const std::size_t next = reads.NumBefore(i, writer, order);
    // The rest of the chain is after this one.
    if (next < list.size() && !IsAfterAny(order, overwriters, list[next].node))
      return list[next].node;
  }
  return {};
}

}  // namespace reprise
