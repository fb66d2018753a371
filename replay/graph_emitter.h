// Makes the driver's graph what a plan says: the last step from data to the
// device.
//
// Order    launches patched in node order, dropped edges removed, nodes
//          destroyed, edges added: a function of the plan alone, down to the
//          order of calls, because an update of an executable pairs the nodes
//          of two graphs by it. At every step the graph has no cycle.
// Keeps    handles and attributes of all nodes that stay; a producer that emits
//          is the same node with another function.
// Errors   the call, the node or edge and CUDA's error; NotFound and the like
//          from the lookup of an emitting kernel.
// Cost     about 1.2 us for each node of a clone, each patched launch, and each
//          edge that changes.
// Threads  as the driver: nobody else may use the graph meanwhile.
#ifndef REPRISE_REPLAY_GRAPH_EMITTER_H_
#define REPRISE_REPLAY_GRAPH_EMITTER_H_

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "capture/import_graph.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "planner/plan.h"
#include "planner/rewrite.h"

namespace reprise {

// The function of a kernel that is in no captured node, allowed to take that
// much shared memory; replay/emitting_functions.h has Reprise's own.
using FunctionLookup = std::function<absl::StatusOr<CUfunction>(
    absl::string_view symbol, std::uint32_t shared_bytes)>;

// What there is to carry out.
struct PlannedRewrite {
  const ImportedGraph& captured;  // annotated
  const Plan& plan;
  const Rewritten& rewritten;  // by that plan
  const FunctionLookup& functions;
};

struct EmittedGraph {
  GraphHandle graph;
  // By captured node; null when it went.
  std::vector<CUgraphNode> handles;
};

// Into a clone of `graph`, which stays as it was.
// REQUIRES: `captured` was imported from `graph`.
absl::StatusOr<EmittedGraph> EmitClone(const Driver& driver, CUgraph graph,
                                       const PlannedRewrite& planned);

// Into `graph` itself. Returns the handles, as above. After an error the graph
// is half changed and of no use.
absl::StatusOr<std::vector<CUgraphNode>> EmitInPlace(
    const Driver& driver, CUgraph graph, const PlannedRewrite& planned);

}  // namespace reprise

#endif  // REPRISE_REPLAY_GRAPH_EMITTER_H_
