// Holds a pack against what kernels really do: runs a graph node by node and
// looks after each which bytes of memory have changed.
//
//   absl::StatusOr<GraphLint> lint = GraphLint::Create(driver, graph, packs);
//   absl::StatusOr<std::vector<LintFinding>> findings = lint->Run(stream);
//
// Found     writes outside of what the node's signature declares; a node called
//           pure that leaves other bytes when it runs again on the same input.
// Not found what a node reads, and bytes that it writes as they were. Memory
//           that no pointer of the graph leads to is not looked at.
// After it  memory is as one replay of the graph leaves it.
// Memory    as much again as the allocations that the graph points into.
// Threads   one caller; nobody else may use the memory meanwhile.
#ifndef REPRISE_REPLAY_GRAPH_LINT_H_
#define REPRISE_REPLAY_GRAPH_LINT_H_

#include <cuda.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "capture/import_graph.h"
#include "capture/pack.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "replay/device_arena.h"

namespace reprise {

struct LintFinding {
  NodeId node;
  // One sentence that names the node and the first byte.
  std::string text;
};

class GraphLint {
 public:
  // Reads `graph`, which may go afterwards. Errors: those of the importer;
  // Unimplemented, naming the node, for one that cannot be run alone: all but
  // kernels, copies and fills; what CudaStatus makes of a failed call.
  // REQUIRES: the table outlives the object, the graph's context is current.
  static absl::StatusOr<GraphLint> Create(const Driver& driver, CUgraph graph,
                                          absl::Span<const Pack> packs);

  // In place of a launch on `stream`; waits for the end. Nodes of no pack may
  // touch anything and are only run. After an error, some have run.
  // ResourceExhausted without memory for the copy.
  absl::StatusOr<std::vector<LintFinding>> Run(CUstream stream);

 private:
  // A stretch that the graph points into, and where its copy lies.
  struct Watched {
    Allocation memory;
    std::uint64_t copy = 0;
  };

  GraphLint(const Driver& driver, ImportedGraph imported, GraphHandle clone,
            GraphExecHandle exec)
      : driver_(&driver),
        imported_(std::move(imported)),
        clone_(std::move(clone)),
        exec_(std::move(exec)) {}

  absl::Status Watch(CUstream stream);
  absl::Status RunAlone(NodeId node, CUstream stream) const;
  absl::Status SetEnabled(NodeId node, bool enabled) const;
  // Takes what the node may write over into the copies.
  absl::Status AcceptWrites(NodeId node, CUstream stream) const;
  absl::Status AcceptAll(CUstream stream) const;
  // Of memory that differs from its copy: the first byte, and how many. No
  // bytes where all is the same.
  absl::StatusOr<Allocation> FindChange(CUstream stream) const;
  absl::StatusOr<bool> Differs(const Watched& watched, CUstream stream) const;
  std::string Place(std::uint64_t address) const;

  const Driver* driver_;
  ImportedGraph imported_;
  GraphHandle clone_;
  std::vector<CUgraphNode> handles_;  // of the clone, by node
  GraphExecHandle exec_;
  std::vector<Watched> watched_;
  DeviceArena copies_;
  DeviceArena different_;  // one word
};

}  // namespace reprise

#endif  // REPRISE_REPLAY_GRAPH_LINT_H_
