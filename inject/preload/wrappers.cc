#include "inject/preload/wrappers.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "inject/preload/hooks.h"
#include "inject/preload/originals.h"
#include "inject/preload/symbol_lookup.h"

// In every wrapper: the driver does for the program what the program asked,
// with the program's own arguments, and what it answers is the answer. Only a
// launch may go to a rewritten executable instead.
namespace reprise::preload {
namespace {

// In a call for the per-thread default stream, 0 means that one.
CUstream PerThread(CUstream stream) {
  return stream == nullptr ? CU_STREAM_PER_THREAD : stream;
}

CUresult Instantiated(CUresult result, const CUgraphExec* exec, CUgraph graph,
                      std::uint64_t flags) {
  if (result == CUDA_SUCCESS && exec != nullptr) {
    if (const Hooks* hooks = OpenedHooks()) {
      hooks->instantiated(*exec, graph, flags);
    }
  }
  return result;
}

template <Call call>
CUresult InstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                               CUDA_GRAPH_INSTANTIATE_PARAMS* params,
                               CUstream upload_stream) {
  const std::uint64_t flags = params == nullptr ? 0 : params->flags;
  const CUresult result =
      Instantiated(CallOriginal<call>(exec, graph, params), exec, graph, flags);
  if (result == CUDA_SUCCESS &&
      (flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0) {
    if (const Hooks* hooks = KnownHooks()) {
      hooks->upload(*exec, upload_stream);
    }
  }
  return result;
}

CUresult Updated(CUresult result, CUgraphExec exec, CUgraph graph) {
  if (const Hooks* hooks = KnownHooks()) {
    hooks->updated(exec, graph, result);
  }
  return result;
}

template <Call call>
CUresult Launch(CUgraphExec exec, CUstream stream, CUstream meant) {
  if (const Hooks* hooks = KnownHooks()) {
    return hooks->launch(exec, meant, stream,
                         CallOriginal<call, CUgraphExec, CUstream>);
  }
  return CallOriginal<call>(exec, stream);
}

template <Call call>
CUresult Upload(CUgraphExec exec, CUstream stream, CUstream meant) {
  const CUresult result = CallOriginal<call>(exec, stream);
  if (result == CUDA_SUCCESS) {
    if (const Hooks* hooks = KnownHooks()) hooks->upload(exec, meant);
  }
  return result;
}

template <Call call>
CUresult DestroyStream(CUstream stream) {
  if (const Hooks* hooks = KnownHooks()) hooks->stream_ends(stream);
  return CallOriginal<call>(stream);
}

// (executable, node, what to set..)
template <Call call, typename... Args>
CUresult Change(CUgraphExec exec, Args... args) {
  const CUresult result = CallOriginal<call>(exec, args...);
  if (const Hooks* hooks = KnownHooks()) {
    hooks->changed(exec, ExportedName(call));
  }
  return result;
}

template <Call call>
CUresult EndContext(CUcontext context) {
  if (const Hooks* hooks = KnownHooks()) hooks->context_ends(context);
  return CallOriginal<call>(context);
}

template <Call call, typename Code>
CUresult Unload(Code code) {
  if (const Hooks* hooks = KnownHooks()) hooks->code_unloads();
  return CallOriginal<call>(code);
}

template <Call call>
CUresult ReleasePrimaryContext(CUdevice device) {
  const CUresult result = CallOriginal<call>(device);
  if (const Hooks* hooks = KnownHooks()) {
    hooks->primary_context_released(device);
  }
  return result;
}

}  // namespace

CUresult GraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* node,
                          char* log, std::size_t log_bytes) {
  return Instantiated(
      CallOriginal<Call::kGraphInstantiate>(exec, graph, node, log, log_bytes),
      exec, graph, 0);
}

CUresult GraphInstantiate_v2(CUgraphExec* exec, CUgraph graph,
                             CUgraphNode* node, char* log,
                             std::size_t log_bytes) {
  return Instantiated(CallOriginal<Call::kGraphInstantiate_v2>(
                          exec, graph, node, log, log_bytes),
                      exec, graph, 0);
}

CUresult GraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph,
                                   unsigned long long flags) {
  return Instantiated(
      CallOriginal<Call::kGraphInstantiateWithFlags>(exec, graph, flags), exec,
      graph, flags);
}

CUresult GraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                    CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return InstantiateWithParams<Call::kGraphInstantiateWithParams>(
      exec, graph, params, params == nullptr ? nullptr : params->hUploadStream);
}

CUresult GraphInstantiateWithParams_ptsz(
    CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return InstantiateWithParams<Call::kGraphInstantiateWithParams_ptsz>(
      exec, graph, params,
      PerThread(params == nullptr ? nullptr : params->hUploadStream));
}

CUresult GraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* node,
                         CUgraphExecUpdateResult* why) {
  return Updated(CallOriginal<Call::kGraphExecUpdate>(exec, graph, node, why),
                 exec, graph);
}

CUresult GraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                            CUgraphExecUpdateResultInfo* why) {
  return Updated(CallOriginal<Call::kGraphExecUpdate_v2>(exec, graph, why),
                 exec, graph);
}

CUresult GraphExecDestroy(CUgraphExec exec) {
  if (const Hooks* hooks = KnownHooks()) hooks->destroyed(exec);
  return CallOriginal<Call::kGraphExecDestroy>(exec);
}

CUresult GraphLaunch(CUgraphExec exec, CUstream stream) {
  return Launch<Call::kGraphLaunch>(exec, stream, stream);
}

CUresult GraphLaunch_ptsz(CUgraphExec exec, CUstream stream) {
  return Launch<Call::kGraphLaunch_ptsz>(exec, stream, PerThread(stream));
}

CUresult GraphUpload(CUgraphExec exec, CUstream stream) {
  return Upload<Call::kGraphUpload>(exec, stream, stream);
}

CUresult GraphUpload_ptsz(CUgraphExec exec, CUstream stream) {
  return Upload<Call::kGraphUpload_ptsz>(exec, stream, PerThread(stream));
}

CUresult GraphExecKernelNodeSetParams(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_KERNEL_NODE_PARAMS_v1* params) {
  const CUresult result =
      CallOriginal<Call::kGraphExecKernelNodeSetParams>(exec, node, params);
  const Hooks* hooks = KnownHooks();
  if (hooks == nullptr || params == nullptr) return result;
  // The fields of the first version, then a kernel and a context.
  CUDA_KERNEL_NODE_PARAMS_v2 whole = {};
  static_assert(offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kern) ==
                sizeof(CUDA_KERNEL_NODE_PARAMS_v1));
  std::memcpy(&whole, params, sizeof(*params));
  hooks->kernel_params_set(exec, node, &whole, result);
  return result;
}

CUresult GraphExecKernelNodeSetParams_v2(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_KERNEL_NODE_PARAMS_v2* params) {
  const CUresult result =
      CallOriginal<Call::kGraphExecKernelNodeSetParams_v2>(exec, node, params);
  const Hooks* hooks = KnownHooks();
  if (hooks == nullptr || params == nullptr) return result;
  hooks->kernel_params_set(exec, node, params, result);
  return result;
}

CUresult GraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_MEMCPY3D* copy,
                                      CUcontext context) {
  return Change<Call::kGraphExecMemcpyNodeSetParams>(exec, node, copy, context);
}

CUresult GraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_MEMSET_NODE_PARAMS* fill,
                                      CUcontext context) {
  return Change<Call::kGraphExecMemsetNodeSetParams>(exec, node, fill, context);
}

CUresult GraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                    const CUDA_HOST_NODE_PARAMS* call) {
  return Change<Call::kGraphExecHostNodeSetParams>(exec, node, call);
}

CUresult GraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                          CUgraph child) {
  return Change<Call::kGraphExecChildGraphNodeSetParams>(exec, node, child);
}

CUresult GraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                          CUevent event) {
  return Change<Call::kGraphExecEventRecordNodeSetEvent>(exec, node, event);
}

CUresult GraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                        CUevent event) {
  return Change<Call::kGraphExecEventWaitNodeSetEvent>(exec, node, event);
}

CUresult GraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* signal) {
  return Change<Call::kGraphExecExternalSemaphoresSignalNodeSetParams>(
      exec, node, signal);
}

CUresult GraphExecExternalSemaphoresWaitNodeSetParams(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS* wait) {
  return Change<Call::kGraphExecExternalSemaphoresWaitNodeSetParams>(exec, node,
                                                                     wait);
}

CUresult GraphExecBatchMemOpNodeSetParams(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_BATCH_MEM_OP_NODE_PARAMS* operations) {
  return Change<Call::kGraphExecBatchMemOpNodeSetParams>(exec, node,
                                                         operations);
}

CUresult GraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                CUgraphNodeParams* params) {
  return Change<Call::kGraphExecNodeSetParams>(exec, node, params);
}

CUresult GraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node,
                             unsigned int enabled) {
  return Change<Call::kGraphNodeSetEnabled>(exec, node, enabled);
}

CUresult StreamDestroy(CUstream stream) {
  return DestroyStream<Call::kStreamDestroy>(stream);
}

CUresult StreamDestroy_v2(CUstream stream) {
  return DestroyStream<Call::kStreamDestroy_v2>(stream);
}

CUresult CtxDestroy(CUcontext context) {
  return EndContext<Call::kCtxDestroy>(context);
}

CUresult CtxDestroy_v2(CUcontext context) {
  return EndContext<Call::kCtxDestroy_v2>(context);
}

CUresult DevicePrimaryCtxRelease(CUdevice device) {
  return ReleasePrimaryContext<Call::kDevicePrimaryCtxRelease>(device);
}

CUresult DevicePrimaryCtxRelease_v2(CUdevice device) {
  return ReleasePrimaryContext<Call::kDevicePrimaryCtxRelease_v2>(device);
}

CUresult DevicePrimaryCtxReset(CUdevice device) {
  return ReleasePrimaryContext<Call::kDevicePrimaryCtxReset>(device);
}

CUresult DevicePrimaryCtxReset_v2(CUdevice device) {
  return ReleasePrimaryContext<Call::kDevicePrimaryCtxReset_v2>(device);
}

CUresult ModuleUnload(CUmodule module) {
  return Unload<Call::kModuleUnload>(module);
}

CUresult LibraryUnload(CUlibrary library) {
  return Unload<Call::kLibraryUnload>(library);
}

CUresult GetProcAddress(const char* name, void** found, int version,
                        cuuint64_t flags) {
  const CUresult result =
      CallOriginal<Call::kGetProcAddress>(name, found, version, flags);
  if (result == CUDA_SUCCESS && found != nullptr) {
    *found = WrapFound(name, version, flags, *found);
  }
  return result;
}

CUresult GetProcAddress_v2(const char* name, void** found, int version,
                           cuuint64_t flags,
                           CUdriverProcAddressQueryResult* status) {
  const CUresult result = CallOriginal<Call::kGetProcAddress_v2>(
      name, found, version, flags, status);
  if (result == CUDA_SUCCESS && found != nullptr) {
    *found = WrapFound(name, version, flags, *found);
  }
  return result;
}

}  // namespace reprise::preload
