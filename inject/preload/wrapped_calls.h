// The driver's calls that a preloaded library answers in the program's place:
// one row each, in every version that the driver exports.
//
// A call is reached in three ways: linked directly or found with dlsym, by its
// exported name; and through cuGetProcAddress, by a name without suffix, a
// version and a kind of default stream.
#ifndef REPRISE_INJECT_PRELOAD_WRAPPED_CALLS_H_
#define REPRISE_INJECT_PRELOAD_WRAPPED_CALLS_H_

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstddef>

// _(exported name without "cu", its type, name for cuGetProcAddress,
//   first version for it, whether of the per-thread default stream)
#define REPRISE_WRAPPED_CALLS(_)                                              \
  _(GraphInstantiate, InstantiateWithLog, GraphInstantiate, 10000, kAny)      \
  _(GraphInstantiate_v2, InstantiateWithLog, GraphInstantiate, 11000, kAny)   \
  _(GraphInstantiateWithFlags, PFN_cuGraphInstantiateWithFlags_v11040,        \
    GraphInstantiateWithFlags, 11040, kAny)                                   \
  _(GraphInstantiateWithParams, PFN_cuGraphInstantiateWithParams_v12000,      \
    GraphInstantiateWithParams, 12000, kLegacy)                               \
  _(GraphInstantiateWithParams_ptsz, PFN_cuGraphInstantiateWithParams_v12000, \
    GraphInstantiateWithParams, 12000, kPerThread)                            \
  _(GraphExecUpdate, PFN_cuGraphExecUpdate_v10020, GraphExecUpdate, 10020,    \
    kAny)                                                                     \
  _(GraphExecUpdate_v2, PFN_cuGraphExecUpdate_v12000, GraphExecUpdate, 12000, \
    kAny)                                                                     \
  _(GraphExecDestroy, PFN_cuGraphExecDestroy_v10000, GraphExecDestroy, 10000, \
    kAny)                                                                     \
  _(GraphLaunch, PFN_cuGraphLaunch_v10000, GraphLaunch, 10000, kLegacy)       \
  _(GraphLaunch_ptsz, PFN_cuGraphLaunch_v10000, GraphLaunch, 10000,           \
    kPerThread)                                                               \
  _(GraphUpload, PFN_cuGraphUpload_v11010, GraphUpload, 11010, kLegacy)       \
  _(GraphUpload_ptsz, PFN_cuGraphUpload_v11010, GraphUpload, 11010,           \
    kPerThread)                                                               \
  _(GraphExecKernelNodeSetParams, PFN_cuGraphExecKernelNodeSetParams_v10010,  \
    GraphExecKernelNodeSetParams, 10010, kAny)                                \
  _(GraphExecKernelNodeSetParams_v2,                                          \
    PFN_cuGraphExecKernelNodeSetParams_v12000, GraphExecKernelNodeSetParams,  \
    12000, kAny)                                                              \
  REPRISE_WRAPPED_CHANGES(_)                                                  \
  _(StreamDestroy, PFN_cuStreamDestroy_v4000, StreamDestroy, 2000, kAny)      \
  _(StreamDestroy_v2, PFN_cuStreamDestroy_v4000, StreamDestroy, 4000, kAny)   \
  _(CtxDestroy, PFN_cuCtxDestroy_v4000, CtxDestroy, 2000, kAny)               \
  _(CtxDestroy_v2, PFN_cuCtxDestroy_v4000, CtxDestroy, 4000, kAny)            \
  _(DevicePrimaryCtxRelease, PFN_cuDevicePrimaryCtxRelease_v11000,            \
    DevicePrimaryCtxRelease, 7000, kAny)                                      \
  _(DevicePrimaryCtxRelease_v2, PFN_cuDevicePrimaryCtxRelease_v11000,         \
    DevicePrimaryCtxRelease, 11000, kAny)                                     \
  _(DevicePrimaryCtxReset, PFN_cuDevicePrimaryCtxReset_v11000,                \
    DevicePrimaryCtxReset, 7000, kAny)                                        \
  _(DevicePrimaryCtxReset_v2, PFN_cuDevicePrimaryCtxReset_v11000,             \
    DevicePrimaryCtxReset, 11000, kAny)                                       \
  _(ModuleUnload, PFN_cuModuleUnload_v2000, ModuleUnload, 2000, kAny)         \
  _(LibraryUnload, PFN_cuLibraryUnload_v12000, LibraryUnload, 12000, kAny)    \
  _(GetProcAddress, PFN_cuGetProcAddress_v11030, GetProcAddress, 11030, kAny) \
  _(GetProcAddress_v2, PFN_cuGetProcAddress_v12000, GetProcAddress, 12000, kAny)

// Those that change an executable in ways that are not followed: after one the
// original runs. The first argument of each is the executable.
#define REPRISE_WRAPPED_CHANGES(_)                                           \
  _(GraphExecMemcpyNodeSetParams, PFN_cuGraphExecMemcpyNodeSetParams_v10020, \
    GraphExecMemcpyNodeSetParams, 10020, kAny)                               \
  _(GraphExecMemsetNodeSetParams, PFN_cuGraphExecMemsetNodeSetParams_v10020, \
    GraphExecMemsetNodeSetParams, 10020, kAny)                               \
  _(GraphExecHostNodeSetParams, PFN_cuGraphExecHostNodeSetParams_v10020,     \
    GraphExecHostNodeSetParams, 10020, kAny)                                 \
  _(GraphExecChildGraphNodeSetParams,                                        \
    PFN_cuGraphExecChildGraphNodeSetParams_v11010,                           \
    GraphExecChildGraphNodeSetParams, 11010, kAny)                           \
  _(GraphExecEventRecordNodeSetEvent,                                        \
    PFN_cuGraphExecEventRecordNodeSetEvent_v11010,                           \
    GraphExecEventRecordNodeSetEvent, 11010, kAny)                           \
  _(GraphExecEventWaitNodeSetEvent,                                          \
    PFN_cuGraphExecEventWaitNodeSetEvent_v11010,                             \
    GraphExecEventWaitNodeSetEvent, 11010, kAny)                             \
  _(GraphExecExternalSemaphoresSignalNodeSetParams,                          \
    PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams_v11020,             \
    GraphExecExternalSemaphoresSignalNodeSetParams, 11020, kAny)             \
  _(GraphExecExternalSemaphoresWaitNodeSetParams,                            \
    PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams_v11020,               \
    GraphExecExternalSemaphoresWaitNodeSetParams, 11020, kAny)               \
  _(GraphExecBatchMemOpNodeSetParams,                                        \
    PFN_cuGraphExecBatchMemOpNodeSetParams_v11070,                           \
    GraphExecBatchMemOpNodeSetParams, 11070, kAny)                           \
  _(GraphExecNodeSetParams, PFN_cuGraphExecNodeSetParams_v12020,             \
    GraphExecNodeSetParams, 12020, kAny)                                     \
  _(GraphNodeSetEnabled, PFN_cuGraphNodeSetEnabled_v11060,                   \
    GraphNodeSetEnabled, 11060, kAny)

namespace reprise::preload {

// Before CUDA 12 an error came with a node and a text.
using InstantiateWithLog = CUresult (*)(CUgraphExec*, CUgraph, CUgraphNode*,
                                        char*, std::size_t);

enum class Call {
#define REPRISE_CALL(name, type, found_by, since, default_stream) k##name,
  REPRISE_WRAPPED_CALLS(REPRISE_CALL)
#undef REPRISE_CALL
      kCount
};

// The type of a call, in the driver and in its place.
template <Call call>
struct CallTraits;
#define REPRISE_CALL(name, pfn, found_by, since, default_stream) \
  template <>                                                    \
  struct CallTraits<Call::k##name> {                             \
    using Type = pfn;                                            \
  };
REPRISE_WRAPPED_CALLS(REPRISE_CALL)
#undef REPRISE_CALL

}  // namespace reprise::preload

#endif  // REPRISE_INJECT_PRELOAD_WRAPPED_CALLS_H_
