// Happens-before of a graph: which node has finished before which starts.
//
// Method   The nodes are split into chains, each a sequence in which every node
//          is before the next. A node's clock says, for each chain, how many
//          of its nodes are before it; those are always the first ones.
//          Nodes that follow one predecessor in its chain share its clock, so
//          only forks and joins cost memory.
// Cost     time and memory O(nodes + edges + forks-and-joins x chains);
//          Before is O(1). When clocks would take more than kMaxClockEntries,
//          further nodes become loose: nothing is known about them and Before
//          answers false. That loses chances, never correctness.
// Edges    A programmatic edge into a node that does not wait by itself orders
//          nothing: the node may read before its predecessor has finished.
#ifndef REPRISE_PLANNER_ORDER_H_
#define REPRISE_PLANNER_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/graph.h"
#include "graph/topology.h"

namespace reprise {

class Order {
 public:
  static constexpr std::uint32_t kLoose = 0xffffffff;
  static constexpr std::size_t kMaxClockEntries = std::size_t{1} << 26;

  // FailedPrecondition when the edges make a cycle.
  static absl::StatusOr<Order> Of(
      const Graph& graph, std::size_t max_clock_entries = kMaxClockEntries);

  // True when `a` has finished before `b` reads or writes anything. False for
  // a == b.
  bool Before(NodeId a, NodeId b) const {
    const Place& at = places_[a.value];
    return at.chain != kLoose && NumBefore(at.chain, b) > at.index;
  }

  // The first NumBefore nodes of `chain` are before `node`, no other is.
  std::uint32_t NumBefore(std::uint32_t chain, NodeId node) const;

  // kLoose when nothing is known about the node.
  std::uint32_t chain(NodeId node) const { return places_[node.value].chain; }
  // Where the node stands in its chain.
  std::uint32_t index(NodeId node) const { return places_[node.value].index; }

  const Topology& topology() const { return topology_; }
  absl::Span<const NodeId> nodes() const { return topology_.order(); }

 private:
  struct Place {
    std::uint32_t chain = kLoose;
    std::uint32_t index = 0;
    std::uint32_t clock = 0;  // index into clocks_
  };

  // Counts of chains 0..width-1; further chains have none before.
  struct Clock {
    std::size_t first = 0;  // index into counts_
    std::uint32_t width = 0;
  };

  class Builder;

  explicit Order(Topology topology) : topology_(std::move(topology)) {}

  Topology topology_;
  std::vector<Place> places_;
  std::vector<Clock> clocks_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_ORDER_H_
