// What the driver lists of a graph: its nodes and their kinds, its edges.
#ifndef REPRISE_CAPTURE_GRAPH_LISTING_H_
#define REPRISE_CAPTURE_GRAPH_LISTING_H_

#include <cuda.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "driver/driver.h"
#include "graph/graph.h"

namespace reprise {

// In the order of the capture. Errors of all three name the call.
absl::StatusOr<std::vector<CUgraphNode>> ListNodes(const Driver& driver,
                                                   CUgraph graph);

absl::StatusOr<NodeKind> ReadKind(const Driver& driver, CUgraphNode node);

struct EdgeList {
  std::vector<CUgraphNode> from;
  std::vector<CUgraphNode> to;
  std::vector<CUgraphEdgeData> data;

  std::size_t size() const { return data.size(); }
};

absl::StatusOr<EdgeList> ListEdges(const Driver& driver, CUgraph graph);

// How the driver writes an edge's type and ports.
CUgraphEdgeData DataOf(const Edge& edge);

// The error of a call on a node, told which: "node 12 (kernel): ...".
absl::Status AtNode(std::size_t node, absl::string_view kind,
                    const absl::Status& error);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_GRAPH_LISTING_H_
