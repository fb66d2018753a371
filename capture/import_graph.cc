#include "capture/import_graph.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "capture/allocation_finder.h"
#include "capture/graph_listing.h"
#include "capture/import_kernel.h"
#include "capture/import_transfer.h"
#include "capture/stream_chains.h"
#include "driver/cuda_status.h"

namespace reprise {
namespace {

// One import: node by node, then edge by edge.
class GraphReader {
 public:
  GraphReader(const Driver& driver, FunctionTable& functions, CUgraph source)
      : driver_(driver),
        functions_(functions),
        source_(source),
        allocations_(driver) {}

  absl::StatusOr<ImportedGraph> Read() && {
    absl::StatusOr<std::vector<CUgraphNode>> nodes =
        ListNodes(driver_, source_);
    if (!nodes.ok()) return nodes.status();
    imported_.handles = *std::move(nodes);
    imported_.code.resize(imported_.handles.size());
    ids_.reserve(imported_.handles.size());
    for (const CUgraphNode node : imported_.handles) {
      if (absl::Status s = AddNode(node); !s.ok()) return s;
    }
    if (absl::Status s = AddEdges(); !s.ok()) return s;
    AssignStreams(graph());
    graph().set_allocations(allocations_.found());
    return std::move(imported_);
  }

 private:
  Graph& graph() { return imported_.graph; }

  // OK, or the failed call with its name.
  absl::Status Check(CUresult result, absl::string_view call) const {
    if (result == CUDA_SUCCESS) return absl::OkStatus();
    return CudaStatus(driver_, result, call);
  }

  // The next node of the graph.
  absl::Status AddNode(CUgraphNode node) {
    const std::size_t id = graph().num_nodes();
    ids_.emplace(node, NodeId{static_cast<std::uint32_t>(id)});
    const absl::StatusOr<NodeKind> kind = ReadKind(driver_, node);
    if (!kind.ok()) {
      return absl::Status(
          kind.status().code(),
          absl::StrCat("node ", id, ": ", kind.status().message()));
    }
    const absl::Status added = AddNodeOf(*kind, node);
    return added.ok() ? added : AtNode(id, NameOf(*kind), added);
  }

  absl::Status AddNodeOf(NodeKind kind, CUgraphNode node) {
    switch (kind) {
      case NodeKind::kKernel:
        return AddKernel(node);
      case NodeKind::kCopy:
        return AddCopy(node);
      case NodeKind::kFill:
        return AddFill(node);
      default:
        break;
    }
    Node other;
    other.kind = kind;
    graph().AddNode(std::move(other));
    return absl::OkStatus();
  }

  absl::Status AddKernel(CUgraphNode node) {
    KernelLaunch launch;
    if (absl::Status s = ReadKernel(driver_, functions_, node, launch,
                                    imported_.code[graph().num_nodes()]);
        !s.ok()) {
      return s;
    }
    const absl::Status visited = allocations_.VisitWords(launch.bytes);
    graph().AddKernel(std::move(launch));
    return visited;
  }

  absl::Status AddCopy(CUgraphNode node) {
    CUDA_MEMCPY3D params = {};
    if (absl::Status s = Check(driver_.GraphMemcpyNodeGetParams(node, &params),
                               "cuGraphMemcpyNodeGetParams");
        !s.ok()) {
      return s;
    }
    const Copy copy = CopyOf(params);
    graph().AddCopy(copy);
    if (absl::Status s = allocations_.Visit(copy.source); !s.ok()) return s;
    return allocations_.Visit(copy.target);
  }

  absl::Status AddFill(CUgraphNode node) {
    CUDA_MEMSET_NODE_PARAMS params = {};
    if (absl::Status s = Check(driver_.GraphMemsetNodeGetParams(node, &params),
                               "cuGraphMemsetNodeGetParams");
        !s.ok()) {
      return s;
    }
    const Fill fill = FillOf(params);
    graph().AddFill(fill);
    return allocations_.Visit(fill.target);
  }

  absl::Status AddEdges() {
    const absl::StatusOr<EdgeList> edges = ListEdges(driver_, source_);
    if (!edges.ok()) return edges.status();
    for (std::size_t i = 0; i < edges->size(); ++i) {
      if (absl::Status s = AddEdge(ids_.at(edges->from[i]),
                                   ids_.at(edges->to[i]), edges->data[i]);
          !s.ok()) {
        return s;
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddEdge(NodeId from, NodeId to, const CUgraphEdgeData& data) {
    const bool programmatic =
        data.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    // An ordinary edge from another port than the end of its node orders less
    // than it seems to, and no wait in the target makes up for it.
    if (!programmatic && (data.type != CU_GRAPH_DEPENDENCY_TYPE_DEFAULT ||
                          data.from_port != 0)) {
      return absl::UnimplementedError(absl::StrCat(
          Named(graph(), from), " leads to ", Named(graph(), to),
          " by an edge of type ", data.type, " from port ", data.from_port));
    }
    graph().AddEdge(
        {.from = from,
         .to = to,
         .type = programmatic ? EdgeType::kProgrammatic : EdgeType::kFull,
         .from_port = data.from_port,
         .to_port = data.to_port});
    return absl::OkStatus();
  }

  const Driver& driver_;
  FunctionTable& functions_;
  const CUgraph source_;
  AllocationFinder allocations_;
  ImportedGraph imported_;
  absl::flat_hash_map<CUgraphNode, NodeId> ids_;
};

}  // namespace

absl::StatusOr<ImportedGraph> GraphImporter::Import(CUgraph graph) {
  return GraphReader(driver_, functions_, graph).Read();
}

}  // namespace reprise
