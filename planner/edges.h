// Edges: keeps every order between the nodes that stay, and gives every reader
// a path from whoever writes what it reads.
#ifndef REPRISE_PLANNER_EDGES_H_
#define REPRISE_PLANNER_EDGES_H_

#include "graph/graph.h"
#include "planner/order.h"
#include "planner/plan.h"

namespace reprise {

// Sets the plan's dropped and added edges from its images and repeats.
//
// A node that goes, or moves, is bridged: its predecessors lead to its
// successors, by a full edge unless both sides were programmatic. A moved
// quantizer waits only for the writers of its source and keeps its successors.
// What followed a removed node follows who wrote the same instead, where it did
// not anyway.
void RewireEdges(const Graph& graph, const Order& order, Plan& plan);

}  // namespace reprise

#endif  // REPRISE_PLANNER_EDGES_H_
