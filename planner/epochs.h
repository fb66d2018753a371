// What views hold when they are read: the writes that can reach a read.
#ifndef REPRISE_PLANNER_EPOCHS_H_
#define REPRISE_PLANNER_EPOCHS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "graph/graph.h"
#include "planner/chain_lists.h"
#include "planner/order.h"
#include "planner/view_index.h"

namespace reprise {

// The contents of a view as one node finds it.
struct Contents {
  // How many of the view's writers of each chain are before the reader, up to
  // the last that was not dropped. Two readers of one view with the same
  // numbers find the same bytes: every other writer is after both, or only
  // writes again what is there.
  absl::InlinedVector<std::uint32_t, 8> epoch;

  // A writer in no order with the reader, which makes the epoch meaningless;
  // invalid when there is none.
  NodeId unordered;

  // The one node that left every byte there; invalid when the bytes come from
  // several nodes or from outside the graph.
  NodeId writer;

  // The last node that may have written some of it; invalid when nobody did.
  NodeId latest;
};

// Answers for the views of an index; graph, order and index must outlive this.
//
// Opaque nodes count as writers of every view. Cost of building: one pass over
// all accesses; of a question: O(chains that write the view x log writes).
class Epochs {
 public:
  using ViewId = ViewIndex::ViewId;

  Epochs(const Graph& graph, const Order& order, const ViewIndex& views);

  Contents At(ViewId view, NodeId reader) const;

  // From now on the node writes nothing new: it would only leave again, in all
  // that it writes, what is there. REQUIRES: nodes are dropped in the order of
  // Order::nodes().
  void Drop(NodeId node);
  bool Dropped(NodeId node) const { return dropped_[node.value]; }

  // The latest writers of the view before `reader`: every other one is before
  // some of these.
  std::vector<NodeId> LatestWriters(ViewId view, NodeId reader) const;

  // A node that wrote some of the view after `earlier` and before `later`,
  // both taken of that view; invalid when there is none.
  NodeId WrittenSince(ViewId view, const Contents& earlier,
                      const Contents& later) const;

  // Nodes that write some of the view, dropped ones too, but no opaque ones.
  ChainLists writers(ViewId view) const { return writers_[view]; }
  // Nodes that may touch anything.
  ChainLists opaque() const { return opaque_[0]; }

  const Order& order() const { return order_; }

 private:
  using Lasts = absl::InlinedVector<ChainEntry, 8>;

  // Adds what these lists say; `lasts` gets each list's last writer before.
  void Look(const ChainLists& lists, NodeId reader, Contents& contents,
            Lasts& lasts) const;

  const Graph& graph_;
  const Order& order_;
  const ViewIndex& views_;
  std::vector<bool> dropped_;  // by node
  ChainTable writers_;         // by view
  ChainTable opaque_;          // of the one thing that is everything
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_EPOCHS_H_
