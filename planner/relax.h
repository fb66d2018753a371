// Relax: edges from effects. A captured stream orders all its nodes; here only
// what memory needs stays ordered.
//
// Looks at the graph as planned: removed quantizers gone, images in the arena,
// whose bytes are memory like any other. Keeps what planner/needed_order.h
// finds, and each edge only if no other path implies it. What stands between
// two nodes anyway stays as it was, programmatic too; what is new is full.
// Programmatic edges into a node that does not wait order no memory; they stay
// where one of their nodes is pinned.
//
// Cost     near-linear: that of the needed order, of the width, and of a
//          happens-before over the result (planner/order.h).
// Limits   a graph with loose nodes stays as it is.
#ifndef REPRISE_PLANNER_RELAX_H_
#define REPRISE_PLANNER_RELAX_H_

#include <cstdint>

#include "absl/status/status.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise {

// Sets the plan's dropped and added edges anew. No more than `width` nodes may
// run at once (planner/width.h); 0: no limit.
absl::Status RelaxEdges(const Graph& graph, std::uint32_t width, Plan& plan);

}  // namespace reprise

#endif  // REPRISE_PLANNER_RELAX_H_
