// A CUDA graph as data: every node of a CUgraph with what the driver tells of
// it, and the handles that lead back from a node to the driver.
//
//   GraphImporter importer(driver);
//   absl::StatusOr<ImportedGraph> imported = importer.Import(graph);
//   Annotate(packs, imported->graph);
//
// Only reads: the CUgraph stays as it was. Node ids follow cuGraphGetNodes,
// which is the capture's own order. What a kernel touches is not known yet
// (capture/annotate.h), and all but kernels, copies, fills and empty nodes
// stays opaque: a child graph is not looked into.
//
// Edges        with their ports, in the driver's order. A programmatic edge is
//              EdgeType::kProgrammatic.
// Streams      inferred from the edges (capture/stream_chains.h).
// Allocations  each that a word of a launch's parameters or an end of a copy or
//              fill points into, in the order of addresses.
// Cost         aims at 3 us a node. A parameter layout costs 1 us and is asked
//              for once for each function, over all imports.
#ifndef REPRISE_CAPTURE_IMPORT_GRAPH_H_
#define REPRISE_CAPTURE_IMPORT_GRAPH_H_

#include <cuda.h>

#include <vector>

#include "absl/status/statusor.h"
#include "capture/function_table.h"
#include "capture/kernel_code.h"
#include "driver/driver.h"
#include "graph/graph.h"

namespace reprise {

struct ImportedGraph {
  Graph graph;
  std::vector<CUgraphNode> handles;  // by node
  std::vector<KernelCode> code;      // by node; of kernels
};

// Threads  one import at a time; nobody may change the CUgraph meanwhile.
class GraphImporter {
 public:
  // REQUIRES: the table outlives the importer. So do the functions of the
  // kernels that it imports: once a module was unloaded, use a new importer.
  explicit GraphImporter(const Driver& driver)
      : driver_(driver), functions_(driver) {}

  // REQUIRES: the context of the graph's kernels is current, and the memory
  // that they use is allocated.
  // Errors, each naming the node and the call ("node 12 (kernel):
  // cuGraphKernelNodeGetParams: CUDA_ERROR_INVALID_VALUE")
  //   FailedPrecondition  a launch whose parameters do not fit its function
  //   Unimplemented       an edge that is neither full nor programmatic, such
  //                       as that of a launch completion event
  // and what CudaStatus makes of a failed call.
  absl::StatusOr<ImportedGraph> Import(CUgraph graph);

 private:
  const Driver& driver_;
  FunctionTable functions_;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_IMPORT_GRAPH_H_
