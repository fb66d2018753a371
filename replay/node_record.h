// One execution of a node on the device, as a profiler saw it.
#ifndef REPRISE_REPLAY_NODE_RECORD_H_
#define REPRISE_REPLAY_NODE_RECORD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "graph/graph.h"

namespace reprise {

struct NodeRecord {
  NodeKind kind = NodeKind::kKernel;  // kKernel, kCopy or kFill
  std::string symbol;                 // of a kernel, as the driver names it
  Dim3 grid;                          // of a kernel
  std::uint32_t stream = 0;           // as the profiler numbers them
  std::uint64_t start_ns = 0;         // on the profiler's clock
  std::uint64_t end_ns = 0;
  // The node of the executable, the same at every replay; 0 for work that no
  // graph launched. The profiler's own number, which says nothing of the
  // captured node.
  std::uint64_t graph_node = 0;

  friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

// By record: the node that it ran. `records` are of one executable, over any
// number of replays; those that no graph launched have no node.
//
// An executable keeps the order of its graph's nodes, and so do the profiler's
// numbers. That is checked, not trusted: unless as many nodes ran as the graph
// has kernels, copies and fills, each of the same kind, symbol and grid, no
// record gets a node.
std::vector<NodeId> NodesOf(const Graph& graph,
                            absl::Span<const NodeRecord> records);

}  // namespace reprise

#endif  // REPRISE_REPLAY_NODE_RECORD_H_
