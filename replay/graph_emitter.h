// Makes the driver's graph what a plan says: the last step from data to the
// device.
//
// Order    launches patched in node order, dropped edges removed, nodes
//          destroyed, edges added: a function of the plan alone, down to the
//          order of calls, because an update of an executable pairs the nodes
//          of two graphs by it. At every step the graph has no cycle.
// Keeps    handles and attributes of all nodes that stay; a producer that emits
//          is the same node with another function.
// Errors   the call, the node or edge and CUDA's error.
// Cost     about 1.2 us for each node of a clone, each patched launch, and each
//          edge that changes.
// Threads  as the driver: nobody else may use the graph meanwhile.
#ifndef REPRISE_REPLAY_GRAPH_EMITTER_H_
#define REPRISE_REPLAY_GRAPH_EMITTER_H_

#include <cuda.h>

#include "absl/status/statusor.h"
#include "capture/import_graph.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "planner/plan.h"
#include "replay/program.h"

namespace reprise {

// Into a clone of `graph`, which stays as it was; `program` gets the handles.
// REQUIRES: `captured` was imported from `graph`, and `program` made of it by
// that plan.
absl::StatusOr<GraphHandle> EmitClone(const Driver& driver, CUgraph graph,
                                      const ImportedGraph& captured,
                                      const Plan& plan, Program& program);

}  // namespace reprise

#endif  // REPRISE_REPLAY_GRAPH_EMITTER_H_
