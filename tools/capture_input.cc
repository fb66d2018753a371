#include "tools/capture_input.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "capture/annotate.h"
#include "capture/capture_file.h"

namespace reprise {

absl::StatusOr<Graph> LoadCapture(const std::string& path,
                                  absl::Span<const Pack> packs) {
  absl::StatusOr<Graph> graph = ReadCapture(path);
  if (graph.ok()) Annotate(packs, *graph);
  return graph;
}

absl::StatusOr<NodeId> FindNode(const Graph& graph, std::uint32_t node) {
  if (node < graph.num_nodes()) return NodeId{node};
  return absl::InvalidArgumentError(
      absl::StrCat("no node ", node, " among ", graph.num_nodes()));
}

}  // namespace reprise
