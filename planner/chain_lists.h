// Nodes that touch something, sorted so that "which of them are before this
// node" is a prefix of each list: one list a chain of the order.
#ifndef REPRISE_PLANNER_CHAIN_LISTS_H_
#define REPRISE_PLANNER_CHAIN_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "planner/order.h"

namespace reprise {

class ChainLists {
 public:
  struct Entry {
    NodeId node;
    std::uint32_t index = 0;  // in its chain; set by Seal
    // The node overwrites every byte in question, whatever was there before.
    bool covers = false;
  };

  // REQUIRES: nodes are added in the order of Order::nodes(). Adding the
  // latest node again merges the two.
  void Add(NodeId node, bool covers);

  // Sorts by chain. No Add afterwards.
  void Seal(const Order& order);

  bool empty() const { return entries_.empty(); }
  std::size_t num_lists() const { return lists_.size() - 1; }
  absl::Span<const Entry> list(std::size_t i) const {
    return absl::MakeConstSpan(entries_).subspan(
        lists_[i].first, lists_[i + 1].first - lists_[i].first);
  }
  // Nodes about whose order nothing is known.
  absl::Span<const Entry> loose() const { return loose_; }

  // How many entries of list i are before `node`; they come first.
  std::size_t NumBefore(std::size_t i, NodeId node, const Order& order) const;

  // The place in list i of the first entry that `node` is before; those between
  // `num_before`, which is NumBefore, and it are in no order with `node`, or
  // `node` itself.
  std::size_t FirstAfter(std::size_t i, NodeId node, std::size_t num_before,
                         const Order& order) const;

 private:
  struct List {
    std::uint32_t chain = 0;
    std::size_t first = 0;
  };

  std::vector<Entry> entries_;
  std::vector<Entry> loose_;
  std::vector<List> lists_ = {List{}};  // the last one marks the end
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_CHAIN_LISTS_H_
