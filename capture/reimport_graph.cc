#include "capture/reimport_graph.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "capture/graph_listing.h"
#include "capture/import_transfer.h"
#include "capture/launch_reader.h"
#include "capture/node_change.h"
#include "driver/cuda_status.h"

namespace reprise {
namespace {

class Reimporter {
 public:
  Reimporter(const Driver& driver, ImportedGraph& known)
      : driver_(driver), known_(known), launches_(driver, known) {}

  // False where more than launches changed.
  absl::StatusOr<bool> Read(CUgraph source) {
    absl::StatusOr<std::vector<CUgraphNode>> nodes = ListNodes(driver_, source);
    if (!nodes.ok()) return nodes.status();
    if (nodes->size() != graph().num_nodes()) return false;
    known_.handles = *std::move(nodes);
    for (std::uint32_t n = 0; n < graph().num_nodes(); ++n) {
      const absl::StatusOr<bool> follows = ReadNode(NodeId{n});
      if (!follows.ok() || !*follows) return follows;
    }
    const absl::StatusOr<bool> same = EdgesAreTheSame(source);
    return same.ok() && *same ? launches_.Finish() : same;
  }

  std::vector<NodeId> changed() && { return launches_.TakeChanged(); }

 private:
  Graph& graph() { return known_.graph; }

  absl::StatusOr<bool> ReadNode(NodeId id) {
    const NodeKind kind = graph().node(id).kind;
    const absl::StatusOr<NodeKind> now =
        ReadKind(driver_, known_.handles[id.value]);
    if (!now.ok()) return AtNode(id.value, NameOf(kind), now.status());
    if (*now != kind) return false;
    const absl::StatusOr<bool> follows = ReadNodeOf(kind, id);
    if (follows.ok()) return follows;
    return AtNode(id.value, NameOf(kind), follows.status());
  }

  absl::StatusOr<bool> ReadNodeOf(NodeKind kind, NodeId id) {
    const CUgraphNode handle = known_.handles[id.value];
    switch (kind) {
      case NodeKind::kKernel:
        return launches_.Read(id, handle);
      case NodeKind::kCopy: {
        CUDA_MEMCPY3D params = {};
        const CUresult result =
            driver_.GraphMemcpyNodeGetParams(handle, &params);
        if (result != CUDA_SUCCESS) {
          return CudaStatus(driver_, result, "cuGraphMemcpyNodeGetParams");
        }
        return ChangeOf(graph().copy(id), CopyOf(params)) == Change::kNone;
      }
      case NodeKind::kFill: {
        CUDA_MEMSET_NODE_PARAMS params = {};
        const CUresult result =
            driver_.GraphMemsetNodeGetParams(handle, &params);
        if (result != CUDA_SUCCESS) {
          return CudaStatus(driver_, result, "cuGraphMemsetNodeGetParams");
        }
        return ChangeOf(graph().fill(id), FillOf(params)) == Change::kNone;
      }
      default:
        return ChangeOf(kind) == Change::kNone;
    }
  }

  absl::StatusOr<bool> EdgesAreTheSame(CUgraph source) {
    const absl::StatusOr<EdgeList> now = ListEdges(driver_, source);
    if (!now.ok()) return now.status();
    const absl::Span<const Edge> edges = graph().edges();
    if (now->size() != edges.size()) return false;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const CUgraphEdgeData data = DataOf(edges[i]);
      if (now->from[i] != known_.handles[edges[i].from.value] ||
          now->to[i] != known_.handles[edges[i].to.value] ||
          now->data[i].type != data.type ||
          now->data[i].from_port != data.from_port ||
          now->data[i].to_port != data.to_port) {
        return false;
      }
    }
    return true;
  }

  const Driver& driver_;
  ImportedGraph& known_;
  LaunchReader launches_;
};

}  // namespace

absl::StatusOr<std::optional<std::vector<NodeId>>> Reimport(
    const Driver& driver, CUgraph graph, ImportedGraph& known) {
  Reimporter reimporter(driver, known);
  const absl::StatusOr<bool> follows = reimporter.Read(graph);
  if (!follows.ok()) return follows.status();
  if (!*follows) return std::nullopt;
  return std::move(reimporter).changed();
}

}  // namespace reprise
