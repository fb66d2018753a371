// Relax: edges from effects. A captured stream orders all its nodes; here only
// what memory needs stays ordered.
//
// Looks at the graph as planned: removed nodes gone, images in the arena, where
// each has bytes of its own. Keeps what planner/needed_order.h finds, and each
// edge only if no other path implies it. Then packs the images: two share bytes
// only where what is left of the order keeps them apart anyway.
//
// Edges    What stands between two nodes anyway stays as it was. A new edge
//          between kernels is programmatic where its target waits by itself
//          and a programmatic edge led into it before; else full. A wait is as
//          good as a full edge: who waits ends after all that it waits for.
//          Programmatic edges into a node that does not wait order no memory;
//          they stay where one of their nodes is pinned.
// Cost     near-linear: that of the needed order, of the width, and of a
//          happens-before over the result (planner/order.h).
// Limits   a graph with loose nodes keeps its edges.
#ifndef REPRISE_PLANNER_RELAX_H_
#define REPRISE_PLANNER_RELAX_H_

#include <cstdint>

#include "absl/status/status.h"
#include "graph/graph.h"
#include "planner/plan.h"

namespace reprise {

// Sets the plan's dropped and added edges, its arena and the offsets of its
// images anew. No more than `width` nodes may run at once (planner/width.h); 0:
// no limit. With `overlap` off the images lie one after the other.
// REQUIRES: no two images of the plan share bytes of the arena.
absl::Status Relax(const Graph& graph, std::uint32_t width, bool overlap,
                   Plan& plan);

}  // namespace reprise

#endif  // REPRISE_PLANNER_RELAX_H_
