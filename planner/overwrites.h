// Who overwrites a view, and who may see what a node left there before that:
// what is asked before bytes are left out.
#ifndef REPRISE_PLANNER_OVERWRITES_H_
#define REPRISE_PLANNER_OVERWRITES_H_

#include "absl/container/inlined_vector.h"
#include "graph/graph.h"
#include "planner/epochs.h"

namespace reprise {

// How far to look along a chain for a write that covers a view; farther ones
// are not found, which only loses a chance.
inline constexpr std::size_t kMaxOverwriteSteps = 16;

using Overwriters = absl::InlinedVector<NodeId, 4>;

// In each chain, the next node after `node` that overwrites all of the view.
Overwriters OverwritersAfter(const Epochs& epochs, Epochs::ViewId view,
                             NodeId node);

// Some node before `node` overwrites all of the view.
bool OverwrittenBefore(const Epochs& epochs, Epochs::ViewId view, NodeId node);

// `node` is after one of these.
bool IsAfterAny(const Order& order, const Overwriters& overwriters,
                NodeId node);

// A node of `reads` that is neither before `writer` nor after one of the
// overwriters; invalid when there is none.
NodeId MaySee(const Order& order, const ChainLists& reads, NodeId writer,
              const Overwriters& overwriters);

}  // namespace reprise

#endif  // REPRISE_PLANNER_OVERWRITES_H_
