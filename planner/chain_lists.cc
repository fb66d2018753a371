#include "planner/chain_lists.h"

#include <algorithm>
#include <numeric>

namespace reprise {

std::size_t ChainLists::NumBefore(std::size_t i, NodeId node,
                                  const Order& order) const {
  const absl::Span<const ChainEntry> entries = list(i);
  const std::uint32_t bound = order.NumBefore(lists_[i].chain, node);
  return static_cast<std::size_t>(
      std::partition_point(
          entries.begin(), entries.end(),
          [&](const ChainEntry& e) { return e.index < bound; }) -
      entries.begin());
}

std::size_t ChainLists::FirstAfter(std::size_t i, NodeId node,
                                   std::size_t num_before,
                                   const Order& order) const {
  const absl::Span<const ChainEntry> entries = list(i);
  const auto unordered = [&](const ChainEntry& e) {
    return !order.Before(node, e.node);
  };
  // Almost always the next entry is after the node already.
  const auto next = entries.begin() + num_before;
  if (next == entries.end() || !unordered(*next)) return num_before;
  return static_cast<std::size_t>(
      std::partition_point(next, entries.end(), unordered) - entries.begin());
}

void ChainTable::Seal(const Order& order) {
  const std::vector<std::uint32_t> first = GroupByThing(order);
  places_.reserve(things_);
  const auto by_chain = [](const ChainEntry& a, const ChainEntry& b) {
    return a.chain < b.chain;
  };
  for (std::uint32_t thing = 0; thing < things_; ++thing) {
    const auto begin = entries_.begin() + first[thing];
    const auto end = entries_.begin() + first[thing + 1];
    if (!std::is_sorted(begin, end, by_chain)) {
      std::stable_sort(begin, end, by_chain);
    }
    places_.push_back(SplitIntoLists(first[thing], first[thing + 1]));
  }
}

// A counting sort, which keeps the order of the nodes. The answer says where
// each thing's entries start.
std::vector<std::uint32_t> ChainTable::GroupByThing(const Order& order) {
  std::vector<std::uint32_t> first(things_ + std::size_t{1}, 0);
  for (const Added& added : added_) ++first[added.thing + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  entries_.resize(added_.size());
  for (const Added& added : added_) {
    entries_[next[added.thing]++] = {added.node, order.chain(added.node),
                                     order.index(added.node), added.covers};
  }
  added_ = {};
  return first;
}

// A node that was added twice has two entries side by side; both then say the
// same, and a prefix that holds one holds the other.
ChainTable::Place ChainTable::SplitIntoLists(std::uint32_t first,
                                             std::uint32_t last) {
  Place place;
  place.first_list = static_cast<std::uint32_t>(lists_.size());
  place.loose = {Order::kLoose, last, last};
  for (std::uint32_t e = first; e < last;) {
    const std::uint32_t start = e;
    const std::uint32_t chain = entries_[start].chain;
    for (; e < last && entries_[e].chain == chain; ++e) {
      entries_[e].counting = e - start + 1;
      if (e > start && entries_[e].node == entries_[e - 1].node) {
        const bool covers = entries_[e].covers || entries_[e - 1].covers;
        entries_[e].covers = entries_[e - 1].covers = covers;
      }
    }
    if (chain == Order::kLoose) {
      place.loose = {chain, start, e};
    } else {
      lists_.push_back({chain, start, e});
    }
  }
  place.last_list = static_cast<std::uint32_t>(lists_.size());
  return place;
}

void ChainTable::Drop(std::uint32_t thing, NodeId node, const Order& order) {
  const ChainLists lists = (*this)[thing];
  for (std::size_t i = 0; i < lists.num_lists(); ++i) {
    const ChainLists::List& list = lists.lists_[i];
    if (list.chain != order.chain(node)) continue;
    const std::size_t before = lists.NumBefore(i, node, order);
    const std::size_t counting = lists.NumCounting(i, before);
    for (std::size_t e = list.first + before;
         e < list.last && entries_[e].node == node; ++e) {
      entries_[e].counting = static_cast<std::uint32_t>(counting);
    }
  }
}

ChainLists ChainTable::operator[](std::uint32_t thing) const {
  const Place& place = places_[thing];
  ChainLists lists;
  lists.entries_ = entries_;
  lists.lists_ = absl::MakeConstSpan(lists_).subspan(
      place.first_list, place.last_list - place.first_list);
  lists.loose_ = place.loose;
  return lists;
}

}  // namespace reprise
