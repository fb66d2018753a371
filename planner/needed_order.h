// What memory needs: of the order between the nodes of a graph, the part
// without which a node could find other bytes.
//
// Needed   a write before what reads or overwrites its bytes, a read before
//          what overwrites them, where the graph orders the two.
// Pinned   nodes that keep their order with all others: those that may touch
//          anything (opaque nodes, copies from or to host memory, and all but
//          kernels, copies, fills and empty nodes), and those that some other
//          node races with: the two may touch a byte that one of them writes,
//          and the graph does not order them. Who wins a race could else show
//          an order that is gone.
// Views    two views meet where MayOverlap says so.
// Cost     one pass over all accesses; of each access O(views that meet it +
//          chains that write its view x log writes + nodes it waits for).
#ifndef REPRISE_PLANNER_NEEDED_ORDER_H_
#define REPRISE_PLANNER_NEEDED_ORDER_H_

#include <vector>

#include "graph/graph.h"
#include "planner/order.h"

namespace reprise {

struct NeededOrder {
  // By node: nodes that must be before it. Every needed order is a path of
  // these; some may be implied by others.
  std::vector<std::vector<NodeId>> before;
  std::vector<bool> pinned;  // by node
};

// Opaque nodes, copies from or to host memory, and nodes of most other kinds.
bool MayTouchAnything(const Graph& graph, NodeId id);

// REQUIRES: `order` is of this graph and has no loose node.
NeededOrder FindNeededOrder(const Graph& graph, const Order& order);

}  // namespace reprise

#endif  // REPRISE_PLANNER_NEEDED_ORDER_H_
