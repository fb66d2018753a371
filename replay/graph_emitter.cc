#include "replay/graph_emitter.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"
#include "replay/kernel_node.h"

namespace reprise {
namespace {

CUgraphEdgeData DataOf(const Edge& edge) {
  CUgraphEdgeData data{};
  data.from_port = edge.from_port;
  data.to_port = edge.to_port;
  data.type = edge.type == EdgeType::kProgrammatic
                  ? CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
                  : CU_GRAPH_DEPENDENCY_TYPE_DEFAULT;
  return data;
}

class Emitter {
 public:
  Emitter(const Driver& driver, CUgraph graph, const PlannedRewrite& planned,
          std::vector<CUgraphNode>& handles)
      : driver_(driver), graph_(graph), planned_(planned), handles_(handles) {}

  absl::Status Run() {
    absl::Status status = PatchLaunches();
    if (status.ok()) status = RemoveEdges();
    if (status.ok()) status = DestroyNodes();
    if (status.ok()) status = AddEdges();
    return status;
  }

 private:
  const Graph& before() const { return planned_.captured.graph; }
  const Graph& after() const { return planned_.rewritten.graph; }
  NodeId Now(NodeId captured) const {
    return planned_.rewritten.now[captured.value];
  }

  absl::Status PatchLaunches() {
    for (std::uint32_t n = 0; n < before().num_nodes(); ++n) {
      const NodeId id{n};
      if (!Now(id).valid() || before().node(id).launch == Node::kNoIndex) {
        continue;
      }
      absl::Status status =
          Patch(id, before().launch(id), after().launch(Now(id)));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Patch(NodeId id, const KernelLaunch& old,
                     const KernelLaunch& launch) {
    if (launch == old) return absl::OkStatus();
    const CUgraphNode handle = handles_[id.value];
    KernelCode code;
    if (launch.symbol == old.symbol) {
      const CUresult read = GetCode(driver_, handle, &code);
      if (read != CUDA_SUCCESS) return Failed("read the kernel of", id, read);
    } else {
      absl::StatusOr<CUfunction> function =
          planned_.functions(launch.symbol, launch.shared_bytes);
      if (!function.ok()) return function.status();
      code.function = *function;
    }
    const CUresult set = SetLaunch(driver_, handle, code, launch);
    return set == CUDA_SUCCESS ? absl::OkStatus() : Failed("patch", id, set);
  }

  absl::Status RemoveEdges() {
    for (std::uint32_t e : planned_.plan.dropped_edges) {
      const Edge& edge = before().edges()[e];
      // Edges of a node that goes, go with it.
      if (!Now(edge.from).valid() || !Now(edge.to).valid()) continue;
      const CUgraphEdgeData data = DataOf(edge);
      const CUresult result = driver_.GraphRemoveDependencies(
          graph_, From(edge), To(edge), &data, 1);
      if (result != CUDA_SUCCESS) return Failed("remove", edge, result);
    }
    return absl::OkStatus();
  }

  absl::Status DestroyNodes() {
    for (std::uint32_t n = 0; n < before().num_nodes(); ++n) {
      if (Now(NodeId{n}).valid()) continue;
      const CUresult result = driver_.GraphDestroyNode(handles_[n]);
      if (result != CUDA_SUCCESS) return Failed("destroy", NodeId{n}, result);
      handles_[n] = nullptr;
    }
    return absl::OkStatus();
  }

  absl::Status AddEdges() {
    for (const Edge& edge : planned_.plan.added_edges) {
      const CUgraphEdgeData data = DataOf(edge);
      const CUresult result =
          driver_.GraphAddDependencies(graph_, From(edge), To(edge), &data, 1);
      if (result != CUDA_SUCCESS) return Failed("add", edge, result);
    }
    return absl::OkStatus();
  }

  const CUgraphNode* From(const Edge& edge) const {
    return &handles_[edge.from.value];
  }
  const CUgraphNode* To(const Edge& edge) const {
    return &handles_[edge.to.value];
  }

  absl::Status Failed(absl::string_view verb, NodeId id,
                      CUresult result) const {
    return CudaStatus(driver_, result,
                      absl::StrCat(verb, " ", Named(before(), id)));
  }
  absl::Status Failed(absl::string_view verb, const Edge& edge,
                      CUresult result) const {
    return CudaStatus(
        driver_, result,
        absl::StrCat(verb, " the edge ", Named(before(), edge.from), " -> ",
                     Named(before(), edge.to)));
  }

  const Driver& driver_;
  const CUgraph graph_;
  const PlannedRewrite& planned_;
  std::vector<CUgraphNode>& handles_;  // by captured node
};

absl::StatusOr<EmittedGraph> Clone(const Driver& driver, CUgraph graph,
                                   const ImportedGraph& captured) {
  CUgraph handle = nullptr;
  CUresult result = driver.GraphClone(&handle, graph);
  if (result != CUDA_SUCCESS) {
    return CudaStatus(driver, result, "clone the graph");
  }
  EmittedGraph clone{GraphHandle(driver, handle), {}};
  clone.handles.resize(captured.handles.size());
  for (std::uint32_t n = 0; n < captured.handles.size(); ++n) {
    result = driver.GraphNodeFindInClone(&clone.handles[n], captured.handles[n],
                                         handle);
    if (result != CUDA_SUCCESS) {
      return CudaStatus(driver, result,
                        absl::StrCat("find ", Named(captured.graph, NodeId{n}),
                                     " in the clone"));
    }
  }
  return clone;
}

}  // namespace

absl::StatusOr<EmittedGraph> EmitClone(const Driver& driver, CUgraph graph,
                                       const PlannedRewrite& planned) {
  absl::StatusOr<EmittedGraph> clone = Clone(driver, graph, planned.captured);
  if (!clone.ok()) return clone.status();
  const absl::Status status =
      Emitter(driver, clone->graph.get(), planned, clone->handles).Run();
  if (!status.ok()) return status;
  return clone;
}

absl::StatusOr<std::vector<CUgraphNode>> EmitInPlace(
    const Driver& driver, CUgraph graph, const PlannedRewrite& planned) {
  std::vector<CUgraphNode> handles = planned.captured.handles;
  const absl::Status status = Emitter(driver, graph, planned, handles).Run();
  if (!status.ok()) return status;
  return handles;
}

}  // namespace reprise
