#include "capture/reimport_graph.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/types/span.h"
#include "capture/allocation_finder.h"
#include "capture/function_table.h"
#include "capture/graph_listing.h"
#include "capture/import_kernel.h"
#include "capture/import_transfer.h"
#include "capture/node_change.h"
#include "driver/cuda_status.h"

namespace reprise {
namespace {

class Reimporter {
 public:
  Reimporter(const Driver& driver, ImportedGraph& known)
      : driver_(driver),
        known_(known),
        functions_(driver),
        allocations_(driver, known.graph.allocations()) {}

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
    return same.ok() && *same ? Finish() : same;
  }

  absl::StatusOr<bool> Read(NodeId id, const CUDA_KERNEL_NODE_PARAMS& params) {
    const KernelLaunch& known = graph().launch(id);
    launch_.cooperative = known.cooperative;
    launch_.cluster = known.cluster;
    const absl::Status read =
        ReadLaunch(driver_, functions_, params, launch_, code_);
    if (!read.ok()) return AtNode(id.value, NameOf(NodeKind::kKernel), read);
    const absl::StatusOr<bool> follows = Take(id);
    return follows.ok() && *follows ? Finish() : follows;
  }

  std::vector<NodeId> changed() && { return std::move(changed_); }

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
      case NodeKind::kKernel: {
        const absl::Status read =
            ReadKernel(driver_, functions_, handle, launch_, code_);
        if (!read.ok()) return read;
        return Take(id);
      }
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

  // Compares what was read with what is known, and keeps what is new.
  absl::StatusOr<bool> Take(NodeId id) {
    KernelLaunch& known = graph().mutable_launch(id);
    KernelCode& known_code = known_.code[id.value];
    const Change change = ChangeOf(known, launch_);
    if (change == Change::kMore) return false;
    if (change == Change::kNone && code_ == known_code) return true;
    if (absl::Status s = VisitNewWords(known.bytes, launch_.bytes); !s.ok()) {
      return s;
    }
    std::swap(known, launch_);
    known_code = code_;
    changed_.push_back(id);
    return true;
  }

  absl::Status VisitNewWords(absl::Span<const std::uint8_t> before,
                             absl::Span<const std::uint8_t> after) {
    for (std::size_t at = 0; at + 8 <= after.size(); at += 8) {
      if (std::memcmp(before.data() + at, after.data() + at, 8) == 0) continue;
      const absl::Status visited =
          allocations_.VisitWords(after.subspan(at, 8));
      if (!visited.ok()) return visited;
    }
    return absl::OkStatus();
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

  absl::StatusOr<bool> Finish() {
    absl::StatusOr<bool> same = allocations_.KnownAreTheSame();
    if (same.ok() && *same) graph().set_allocations(allocations_.found());
    return same;
  }

  const Driver& driver_;
  ImportedGraph& known_;
  FunctionTable functions_;
  AllocationFinder allocations_;
  // What was read last; their memory is used again.
  KernelLaunch launch_;
  KernelCode code_;
  std::vector<NodeId> changed_;
};

template <typename... What>
absl::StatusOr<std::optional<std::vector<NodeId>>> Run(const Driver& driver,
                                                       ImportedGraph& known,
                                                       const What&... what) {
  Reimporter reimporter(driver, known);
  const absl::StatusOr<bool> follows = reimporter.Read(what...);
  if (!follows.ok()) return follows.status();
  if (!*follows) return std::nullopt;
  return std::move(reimporter).changed();
}

}  // namespace

absl::StatusOr<std::optional<std::vector<NodeId>>> Reimport(
    const Driver& driver, CUgraph graph, ImportedGraph& known) {
  return Run(driver, known, graph);
}

absl::StatusOr<std::optional<std::vector<NodeId>>> Reimport(
    const Driver& driver, NodeId node, const CUDA_KERNEL_NODE_PARAMS& params,
    ImportedGraph& known) {
  return Run(driver, known, node, params);
}

}  // namespace reprise
