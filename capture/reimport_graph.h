// A graph that was imported before, read again after its loop was captured
// anew: what is the same is compared and not kept twice.
#ifndef REPRISE_CAPTURE_REIMPORT_GRAPH_H_
#define REPRISE_CAPTURE_REIMPORT_GRAPH_H_

#include <cuda.h>

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "capture/import_graph.h"
#include "driver/driver.h"

namespace reprise {

// Brings `known` to `graph` where the two differ in nothing but launches of
// their kernels, and returns the nodes whose launch or code it changed, in
// order. What these nodes mean and touch is left as it was: it has to be
// annotated anew.
//
// Nothing where the graphs differ in more, or may (capture/node_change.h), and
// where an allocation is not what it was. `known` then is of no use any more,
// as after an error.
//
// Nothing is taken on trust: each function and each known allocation is asked
// for once, for a module may have been unloaded and memory freed since, and
// another have got its handle or address. What is left out is to look up
// pointers that did not change.
//
// REQUIRES and errors are those of GraphImporter::Import.
// Cost     aims at 0.4 us a node, without a heap allocation for one.
absl::StatusOr<std::optional<std::vector<NodeId>>> Reimport(
    const Driver& driver, CUgraph graph, ImportedGraph& known);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_REIMPORT_GRAPH_H_
