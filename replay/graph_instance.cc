#include "replay/graph_instance.h"

#include "absl/algorithm/container.h"
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

absl::StatusOr<UpdateResult> GraphInstance::Update(CUgraph graph,
                                                   Program&& program) {
  const bool paired = program_ && SameShape(program_->graph, program.graph);
  UpdateResult result = UpdateResult::kUpdated;
  const auto changed =
      paired ? ChangedLaunches(*program_, program) : std::nullopt;
  if (changed && Patch(program, *changed)) {
    result =
        changed->empty() ? UpdateResult::kUnchanged : UpdateResult::kPatched;
  } else {
    const absl::Status updated =
        UpdateExec(*driver_, exec_.get(), graph, &program);
    if (!updated.ok()) return updated;
  }
  if (paired) {
    program.handles = std::move(program_->handles);
    program_ = std::move(program);
  } else {
    program_.reset();
  }
  return result;
}

bool GraphInstance::Patch(const Program& program,
                          const std::vector<NodeId>& nodes) {
  return absl::c_all_of(nodes, [&](NodeId node) {
    return SetLaunch(*driver_, exec_.get(), program_->handles[node.value],
                     program.code[node.value],
                     program.graph.launch(node)) == CUDA_SUCCESS;
  });
}

}  // namespace reprise
