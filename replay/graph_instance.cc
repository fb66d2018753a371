#include "replay/graph_instance.h"

#include "absl/strings/str_cat.h"
#include "driver/cuda_status.h"
#include "replay/changed_launches.h"
#include "replay/graph_exec.h"
#include "replay/kernel_node.h"

namespace reprise {

absl::StatusOr<GraphInstance> GraphInstance::Create(const Driver& driver,
                                                    GraphHandle graph,
                                                    Program program,
                                                    std::uint64_t flags) {
  absl::StatusOr<GraphExecHandle> exec =
      Instantiate(driver, graph.get(), flags, &program);
  if (!exec.ok()) return exec.status();
  return GraphInstance(driver, std::move(graph), std::move(program),
                       *std::move(exec));
}

absl::Status GraphInstance::Set(NodeId node, NodeLaunch& launch) {
  const CUresult result =
      SetLaunch(*driver_, exec_.get(), program_.handles[node.value],
                launch.code, launch.launch);
  if (result != CUDA_SUCCESS) {
    return CudaStatus(*driver_, result,
                      absl::StrCat("set ", Named(program_.graph(), node)));
  }
  std::swap(program_.rewritten.graph.mutable_launch(node), launch.launch);
  std::swap(program_.code[node.value], launch.code);
  return absl::OkStatus();
}

std::optional<UpdateResult> GraphInstance::Patch(Program&& program) {
  const auto changed = ChangedLaunches(program_, program);
  if (!changed) return std::nullopt;
  for (const NodeId node : *changed) {
    const CUresult result =
        SetLaunch(*driver_, exec_.get(), program_.handles[node.value],
                  program.code[node.value], program.graph().launch(node));
    if (result != CUDA_SUCCESS) return std::nullopt;
  }
  Adopt(std::move(program));
  return changed->empty() ? UpdateResult::kUnchanged : UpdateResult::kPatched;
}

absl::Status GraphInstance::Update(CUgraph graph, Program&& program) {
  const absl::Status updated =
      UpdateExec(*driver_, exec_.get(), graph, &program);
  if (updated.ok()) Adopt(std::move(program));
  return updated;
}

void GraphInstance::Adopt(Program&& program) {
  program.handles = std::move(program_.handles);
  program_ = std::move(program);
}

}  // namespace reprise
