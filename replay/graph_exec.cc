#include "replay/graph_exec.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"

namespace reprise {
namespace {

absl::string_view NameOf(CUgraphInstantiateResult result) {
  switch (result) {
    case CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE:
      return "invalid structure";
    case CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED:
      return "operation not supported";
    case CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED:
      return "several contexts";
    default:
      return "failed";
  }
}

absl::string_view NameOf(CUgraphExecUpdateResult result) {
  switch (result) {
    case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED:
      return "topology changed";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED:
      return "node type changed";
    case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED:
    case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE:
      return "function changed";
    case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED:
      return "parameters changed";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED:
      return "not supported";
    case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED:
      return "attributes changed";
    default:
      return "failed";
  }
}

// " at node 7 (rms_norm_f32)" where the program has the node.
std::string At(const Program* program, CUgraphNode handle) {
  if (program == nullptr || handle == nullptr) return "";
  const auto found = absl::c_find(program->handles, handle);
  if (found == program->handles.end()) return "";
  const auto index =
      static_cast<std::uint32_t>(found - program->handles.begin());
  return absl::StrCat(" at ", Named(program->graph(), NodeId{index}));
}

}  // namespace

absl::StatusOr<GraphExecHandle> Instantiate(const Driver& driver, CUgraph graph,
                                            std::uint64_t flags,
                                            const Program* program) {
  const RelaxedCapture relaxed(driver);
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  params.flags = flags;
  CUgraphExec exec = nullptr;
  const CUresult result =
      driver.GraphInstantiateWithParams(&exec, graph, &params);
  if (result == CUDA_SUCCESS) return GraphExecHandle(driver, exec);
  return CudaStatus(
      driver, result,
      absl::StrCat("instantiate the graph: ", NameOf(params.result_out),
                   At(program, params.hErrNode_out)));
}

absl::Status UpdateExec(const Driver& driver, CUgraphExec exec, CUgraph graph,
                        const Program* program) {
  const RelaxedCapture relaxed(driver);
  CUgraphExecUpdateResultInfo info{};
  const CUresult result = driver.GraphExecUpdate(exec, graph, &info);
  if (result == CUDA_SUCCESS) return absl::OkStatus();
  return CudaStatus(driver, result,
                    absl::StrCat("update the executable: ", NameOf(info.result),
                                 At(program, info.errorNode)));
}

}  // namespace reprise
