#include "planner/chain_lists.h"

#include <algorithm>

namespace reprise {

void ChainLists::Add(NodeId node, bool covers) {
  if (!entries_.empty() && entries_.back().node == node) {
    entries_.back().covers |= covers;
  } else {
    entries_.push_back({node, 0, covers});
  }
}

void ChainLists::Seal(const Order& order) {
  const auto chain = [&](const Entry& e) { return order.chain(e.node); };
  const auto by_chain = [&](const Entry& a, const Entry& b) {
    return chain(a) < chain(b);
  };
  if (!std::is_sorted(entries_.begin(), entries_.end(), by_chain)) {
    std::stable_sort(entries_.begin(), entries_.end(), by_chain);
  }
  // kLoose is the largest chain number.
  while (!entries_.empty() && chain(entries_.back()) == Order::kLoose) {
    loose_.push_back(entries_.back());
    entries_.pop_back();
  }
  lists_.clear();
  for (Entry& entry : entries_) entry.index = order.index(entry.node);
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    if (e == 0 || chain(entries_[e]) != chain(entries_[e - 1])) {
      lists_.push_back({chain(entries_[e]), e});
    }
  }
  lists_.push_back({Order::kLoose, entries_.size()});
}

std::size_t ChainLists::NumBefore(std::size_t i, NodeId node,
                                  const Order& order) const {
  const absl::Span<const Entry> entries = list(i);
  const std::uint32_t bound = order.NumBefore(lists_[i].chain, node);
  return static_cast<std::size_t>(
      std::partition_point(
          entries.begin(), entries.end(),
          [&](const Entry& e) { return order.index(e.node) < bound; }) -
      entries.begin());
}

std::size_t ChainLists::FirstAfter(std::size_t i, NodeId node,
                                   std::size_t num_before,
                                   const Order& order) const {
  const absl::Span<const Entry> entries = list(i);
  const auto unordered = [&](const Entry& e) {
    return !order.Before(node, e.node);
  };
  // Almost always the next entry is after the node already.
  const auto next = entries.begin() + num_before;
  if (next == entries.end() || !unordered(*next)) return num_before;
  return static_cast<std::size_t>(
      std::partition_point(next, entries.end(), unordered) - entries.begin());
}

}  // namespace reprise
