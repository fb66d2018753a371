// Captures and their nodes, as a command line names them.
#ifndef REPRISE_TOOLS_CAPTURE_INPUT_H_
#define REPRISE_TOOLS_CAPTURE_INPUT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "capture/pack.h"
#include "graph/graph.h"

namespace reprise {

// The graph of a capture file, annotated by the packs.
absl::StatusOr<Graph> LoadCapture(const std::string& path,
                                  absl::Span<const Pack> packs);

// InvalidArgument when the graph has no such node.
absl::StatusOr<NodeId> FindNode(const Graph& graph, std::uint32_t node);

}  // namespace reprise

#endif  // REPRISE_TOOLS_CAPTURE_INPUT_H_
