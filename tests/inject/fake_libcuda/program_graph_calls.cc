// A program's calls on graphs, by every name that the driver exports for them.
// Each is a row of the log.
#include <cuda.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/inject/fake_libcuda/fake_driver.h"

// The header gives the short names to newer calls.
#undef cuGraphInstantiate
#undef cuGraphExecUpdate
#undef cuGraphExecKernelNodeSetParams

namespace reprise::testing {
namespace {

template <typename... Parts>
CUresult Logged(CUresult result, const char* call, const Parts&... parts) {
  LogRow(absl::StrCat(call, parts...,
                      result == CUDA_SUCCESS ? "" : " is refused"));
  return result;
}

CUresult Instantiate(const char* call, CUgraphExec* exec, CUgraph graph,
                     CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  const auto lock = Lock();
  CUDA_GRAPH_INSTANTIATE_PARAMS own = {};
  const CUresult result = Table().GraphInstantiateWithParams(
      exec, graph, params == nullptr ? &own : params);
  return Logged(result, call, " ", NameOf(graph), " -> ", NameOf(*exec));
}

CUresult Update(const char* call, CUgraphExec exec, CUgraph graph,
                CUgraphExecUpdateResultInfo* info) {
  const auto lock = Lock();
  return Logged(Table().GraphExecUpdate(exec, graph, info), call, " ",
                NameOf(exec), " ", NameOf(graph));
}

CUresult SetParams(const char* call, CUgraphExec exec, CUgraphNode node,
                   const CUDA_KERNEL_NODE_PARAMS* params) {
  const auto lock = Lock();
  return Logged(Table().GraphExecKernelNodeSetParams(exec, node, params), call,
                " ", NameOf(exec), " node ", From<ScriptedNode>(node)->index);
}

// Into a capture: a node of the graph that is captured.
CUresult Launch(const char* call, CUgraphExec exec, CUstream stream) {
  const auto lock = Lock();
  if (IsCapturing(stream)) {
    AppendToCapture(stream, CU_GRAPH_NODE_TYPE_GRAPH);
    return Logged(CUDA_SUCCESS, call, " ", NameOf(exec), " into a capture");
  }
  const CUresult result = Table().GraphLaunch(exec, Known(stream));
  if (result == CUDA_SUCCESS) RunExec(exec);
  return Logged(result, call, " ", NameOf(exec));
}

CUresult Upload(const char* call, CUgraphExec exec, CUstream stream) {
  const auto lock = Lock();
  return Logged(Table().GraphUpload(exec, Known(stream)), call, " ",
                NameOf(exec));
}

CUgraphNode AddNode(CUgraph graph, const CUgraphNode* before, std::size_t count,
                    CUgraphNodeType type) {
  ScriptedGraph& changed = *From<ScriptedGraph>(graph);
  ScriptedNode& node = AppendNode(changed, type);
  for (std::size_t i = 0; i < count; ++i) {
    changed.edges.push_back(
        {From<ScriptedNode>(before[i])->index, node.index, {}});
  }
  return ToHandle(node);
}

}  // namespace

extern "C" {

CUresult cuGraphCreate(CUgraph* graph, unsigned int) {
  const auto lock = Lock();
  *graph = Fake().scripted.NewGraph();
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  const auto lock = Lock();
  return Table().GraphDestroy(graph);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph,
                                  const CUgraphNode* before, std::size_t count,
                                  CUgraph) {
  const auto lock = Lock();
  *node = AddNode(graph, before, count, CU_GRAPH_NODE_TYPE_GRAPH);
  return CUDA_SUCCESS;
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle,
                                        CUgraph, CUcontext, unsigned int,
                                        unsigned int) {
  *handle = 1;
  return CUDA_SUCCESS;
}

// Of conditional nodes only.
CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph,
                           const CUgraphNode* before, const CUgraphEdgeData*,
                           std::size_t count, CUgraphNodeParams* params) {
  if (params->type != CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  const auto lock = Lock();
  static CUgraph body;
  body = Fake().scripted.NewGraph();
  params->conditional.phGraph_out = &body;
  *node = AddNode(graph, before, count, CU_GRAPH_NODE_TYPE_CONDITIONAL);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode*,
                            char*, std::size_t) {
  return Instantiate(__func__, exec, graph, nullptr);
}
CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode*,
                               char*, std::size_t) {
  return Instantiate(__func__, exec, graph, nullptr);
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph,
                                     unsigned long long) {
  return Instantiate(__func__, exec, graph, nullptr);
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return Instantiate(__func__, exec, graph, params);
}
CUresult cuGraphInstantiateWithParams_ptsz(
    CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return Instantiate(__func__, exec, graph, params);
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode*,
                           CUgraphExecUpdateResult* result) {
  CUgraphExecUpdateResultInfo info = {};
  const CUresult updated = Update(__func__, exec, graph, &info);
  *result = info.result;
  return updated;
}
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                              CUgraphExecUpdateResultInfo* info) {
  return Update(__func__, exec, graph, info);
}

CUresult cuGraphExecKernelNodeSetParams(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_KERNEL_NODE_PARAMS_v1* params) {
  CUDA_KERNEL_NODE_PARAMS wide = {};
  wide.func = params->func;
  wide.gridDimX = params->gridDimX;
  wide.gridDimY = params->gridDimY;
  wide.gridDimZ = params->gridDimZ;
  wide.blockDimX = params->blockDimX;
  wide.blockDimY = params->blockDimY;
  wide.blockDimZ = params->blockDimZ;
  wide.sharedMemBytes = params->sharedMemBytes;
  wide.kernelParams = params->kernelParams;
  wide.extra = params->extra;
  return SetParams(__func__, exec, node, &wide);
}
CUresult cuGraphExecKernelNodeSetParams_v2(
    CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  return SetParams(__func__, exec, node, params);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node,
                               unsigned int enabled) {
  const auto lock = Lock();
  const std::uint32_t index = From<ScriptedNode>(node)->index;
  if (enabled != 0) {
    Fake().disabled.erase({exec, index});
  } else {
    Fake().disabled.insert({exec, index});
  }
  return Logged(CUDA_SUCCESS, __func__, " ", NameOf(exec), " node ", index);
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return Launch(__func__, exec, stream);
}
CUresult cuGraphLaunch_ptsz(CUgraphExec exec, CUstream stream) {
  return Launch(__func__, exec, stream);
}
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return Upload(__func__, exec, stream);
}
CUresult cuGraphUpload_ptsz(CUgraphExec exec, CUstream stream) {
  return Upload(__func__, exec, stream);
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  const auto lock = Lock();
  return Logged(Table().GraphExecDestroy(exec), __func__, " ", NameOf(exec));
}

}  // extern "C"

namespace {

enum class DefaultStream { kAny, kLegacy, kPerThread };

struct Version {
  absl::string_view name;
  int since;
  DefaultStream default_stream;
  void* address;
};

template <typename Function>
Version Row(absl::string_view name, int since, Function* function,
            DefaultStream default_stream = DefaultStream::kAny) {
  return {name, since, default_stream, reinterpret_cast<void*>(function)};
}

}  // namespace

void* FindProgramCall(absl::string_view name, int version, bool per_thread) {
  using enum DefaultStream;
  // Of one name, in rising order.
  static const Version kVersions[] = {
      Row("cuGraphInstantiate", 10000, cuGraphInstantiate),
      Row("cuGraphInstantiate", 11000, cuGraphInstantiate_v2),
      Row("cuGraphInstantiate", 12000, cuGraphInstantiateWithFlags),
      Row("cuGraphInstantiateWithFlags", 11040, cuGraphInstantiateWithFlags),
      Row("cuGraphInstantiateWithParams", 12000, cuGraphInstantiateWithParams,
          kLegacy),
      Row("cuGraphInstantiateWithParams", 12000,
          cuGraphInstantiateWithParams_ptsz, kPerThread),
      Row("cuGraphExecUpdate", 10020, cuGraphExecUpdate),
      Row("cuGraphExecUpdate", 12000, cuGraphExecUpdate_v2),
      Row("cuGraphExecKernelNodeSetParams", 10010,
          cuGraphExecKernelNodeSetParams),
      Row("cuGraphExecKernelNodeSetParams", 12000,
          cuGraphExecKernelNodeSetParams_v2),
      Row("cuGraphLaunch", 10000, cuGraphLaunch, kLegacy),
      Row("cuGraphLaunch", 10000, cuGraphLaunch_ptsz, kPerThread),
      Row("cuGraphUpload", 11010, cuGraphUpload, kLegacy),
      Row("cuGraphUpload", 11010, cuGraphUpload_ptsz, kPerThread),
      Row("cuGraphExecDestroy", 10000, cuGraphExecDestroy),
  };
  const DefaultStream wanted = per_thread ? kPerThread : kLegacy;
  void* newest = nullptr;
  for (const Version& known : kVersions) {
    if (known.name == name && known.since <= version &&
        (known.default_stream == kAny || known.default_stream == wanted)) {
      newest = known.address;
    }
  }
  return newest;
}

}  // namespace reprise::testing
