#include "replay/graph_emitter.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "capture/graph_listing.h"
#include "driver/cuda_status.h"
#include "replay/kernel_node.h"

namespace reprise {
namespace {

class Emitter {
 public:
  // `handles` are those of the captured nodes in `graph`.
  Emitter(const Driver& driver, CUgraph graph, const Graph& captured,
          const Plan& plan, const Program& program,
          std::vector<CUgraphNode>& handles)
      : driver_(driver),
        graph_(graph),
        before_(captured),
        plan_(plan),
        program_(program),
        handles_(handles) {}

  absl::Status Run() {
    absl::Status status = PatchLaunches();
    if (status.ok()) status = RemoveEdges();
    if (status.ok()) status = DestroyNodes();
    if (status.ok()) status = AddEdges();
    return status;
  }

 private:
  NodeId Now(NodeId captured) const {
    return program_.rewritten.now[captured.value];
  }

  absl::Status PatchLaunches() {
    for (std::uint32_t n = 0; n < before_.num_nodes(); ++n) {
      const NodeId id{n};
      const NodeId now = Now(id);
      if (!now.valid() || before_.node(id).launch == Node::kNoIndex) continue;
      const KernelLaunch& launch = program_.graph().launch(now);
      if (launch == before_.launch(id)) continue;
      const CUresult set =
          SetLaunch(driver_, handles_[n], program_.code[now.value], launch);
      if (set != CUDA_SUCCESS) return Failed("patch", id, set);
    }
    return absl::OkStatus();
  }

  absl::Status RemoveEdges() {
    for (std::uint32_t e : plan_.dropped_edges) {
      const Edge& edge = before_.edges()[e];
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
    for (std::uint32_t n = 0; n < before_.num_nodes(); ++n) {
      if (Now(NodeId{n}).valid()) continue;
      const CUresult result = driver_.GraphDestroyNode(handles_[n]);
      if (result != CUDA_SUCCESS) return Failed("destroy", NodeId{n}, result);
      handles_[n] = nullptr;
    }
    return absl::OkStatus();
  }

  absl::Status AddEdges() {
    for (const Edge& edge : plan_.added_edges) {
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
                      absl::StrCat(verb, " ", Named(before_, id)));
  }
  absl::Status Failed(absl::string_view verb, const Edge& edge,
                      CUresult result) const {
    return CudaStatus(
        driver_, result,
        absl::StrCat(verb, " the edge ", Named(before_, edge.from), " -> ",
                     Named(before_, edge.to)));
  }

  const Driver& driver_;
  const CUgraph graph_;
  const Graph& before_;
  const Plan& plan_;
  const Program& program_;
  std::vector<CUgraphNode>& handles_;  // by captured node; null when it went
};

// By captured node.
absl::StatusOr<std::vector<CUgraphNode>> FindInClone(
    const Driver& driver, CUgraph clone, const ImportedGraph& captured) {
  std::vector<CUgraphNode> handles(captured.handles.size());
  for (std::uint32_t n = 0; n < handles.size(); ++n) {
    const CUresult result =
        driver.GraphNodeFindInClone(&handles[n], captured.handles[n], clone);
    if (result != CUDA_SUCCESS) {
      return CudaStatus(driver, result,
                        absl::StrCat("find ", Named(captured.graph, NodeId{n}),
                                     " in the clone"));
    }
  }
  return handles;
}

}  // namespace

absl::StatusOr<GraphHandle> EmitClone(const Driver& driver, CUgraph graph,
                                      const ImportedGraph& captured,
                                      const Plan& plan, Program& program) {
  CUgraph cloned = nullptr;
  const CUresult result = driver.GraphClone(&cloned, graph);
  if (result != CUDA_SUCCESS) {
    return CudaStatus(driver, result, "clone the graph");
  }
  GraphHandle clone(driver, cloned);
  absl::StatusOr<std::vector<CUgraphNode>> handles =
      FindInClone(driver, cloned, captured);
  if (!handles.ok()) return handles.status();
  const absl::Status status =
      Emitter(driver, cloned, captured.graph, plan, program, *handles).Run();
  if (!status.ok()) return status;
  program.handles.clear();
  for (const NodeId origin : program.rewritten.origin) {
    program.handles.push_back((*handles)[origin.value]);
  }
  return clone;
}

}  // namespace reprise
