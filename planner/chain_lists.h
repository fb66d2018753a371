// Nodes that touch something, sorted so that "which of them are before this
// node" is a prefix of each list: one list a chain of the order.
//
// A ChainTable holds the lists of many things, packed by thing; ChainLists are
// one thing's, valid as long as the table.
#ifndef REPRISE_PLANNER_CHAIN_LISTS_H_
#define REPRISE_PLANNER_CHAIN_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "planner/order.h"

namespace reprise {

struct ChainEntry {
  NodeId node;
  std::uint32_t chain = 0;  // of the order; kLoose: nothing is known
  std::uint32_t index = 0;  // in its chain
  // The node overwrites every byte in question, whatever was there before.
  bool covers = false;
  // Of the list's entries up to this one, how many there are up to the last
  // that counts: all, unless this one was dropped.
  std::uint32_t counting = 0;
};

class ChainLists {
 public:
  struct List {
    std::uint32_t chain = 0;
    std::uint32_t first = 0;  // in the table's entries
    std::uint32_t last = 0;
  };

  std::size_t num_lists() const { return lists_.size(); }
  absl::Span<const ChainEntry> list(std::size_t i) const {
    return entries_.subspan(lists_[i].first, lists_[i].last - lists_[i].first);
  }
  // Nodes about whose order nothing is known.
  absl::Span<const ChainEntry> loose() const {
    return entries_.subspan(loose_.first, loose_.last - loose_.first);
  }

  // How many entries of list i are before `node`; they come first.
  std::size_t NumBefore(std::size_t i, NodeId node, const Order& order) const;

  // Of the first `count` entries of list i, those up to the last one that was
  // not dropped.
  std::size_t NumCounting(std::size_t i, std::size_t count) const {
    return count == 0 ? 0 : list(i)[count - 1].counting;
  }

  // The place in list i of the first entry that `node` is before; those between
  // `num_before`, which is NumBefore, and it are in no order with `node`, or
  // `node` itself.
  std::size_t FirstAfter(std::size_t i, NodeId node, std::size_t num_before,
                         const Order& order) const;

 private:
  friend class ChainTable;

  absl::Span<const ChainEntry> entries_;  // of the whole table
  absl::Span<const List> lists_;
  List loose_;
};

class ChainTable {
 public:
  explicit ChainTable(std::uint32_t things) : things_(things) {}

  // REQUIRES: nodes are added in the order of Order::nodes(). Adding a node
  // twice to one thing is as adding it once, covering if either does.
  void Add(std::uint32_t thing, NodeId node, bool covers) {
    added_.push_back({thing, node, covers});
  }

  // Sorts. No Add afterwards.
  void Seal(const Order& order);

  // The node counts no more. REQUIRES: sealed; of each list, entries are
  // dropped in the list's order.
  void Drop(std::uint32_t thing, NodeId node, const Order& order);

  // REQUIRES: sealed.
  ChainLists operator[](std::uint32_t thing) const;

 private:
  struct Added {
    std::uint32_t thing;
    NodeId node;
    bool covers;
  };

  // Places of a thing's lists in lists_; its loose entries follow the others.
  struct Place {
    std::uint32_t first_list = 0;
    std::uint32_t last_list = 0;
    ChainLists::List loose;
  };

  std::vector<std::uint32_t> GroupByThing(const Order& order);
  Place SplitIntoLists(std::uint32_t first, std::uint32_t last);

  std::uint32_t things_;
  std::vector<Added> added_;
  std::vector<ChainEntry> entries_;  // by thing, then chain, then order
  std::vector<ChainLists::List> lists_;
  std::vector<Place> places_;  // by thing
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_CHAIN_LISTS_H_
