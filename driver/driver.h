// The CUDA driver as a table of calls: all that Reprise asks of the driver goes
// through one, so that a test can replace any of them and force it to fail.
//
//   absl::StatusOr<const Driver*> driver = LoadDriver();
//   absl::Status cloned = CudaStatus(
//       **driver, (*driver)->GraphClone(&clone, graph), "clone the graph");
//
// A field is the driver's call of that name without its "cu", in the version
// named beside it: the header's own macros would pick another one by toolkit.
// Threads  a table is never written after it was loaded.
#ifndef REPRISE_DRIVER_DRIVER_H_
#define REPRISE_DRIVER_DRIVER_H_

#include <cuda.h>
#include <cudaTypedefs.h>

#include "absl/status/statusor.h"

// _(call without "cu", version of its type, version as a number)
#define REPRISE_DRIVER_CALLS(_)                     \
  _(GetErrorName, v6000, 6000)                      \
  _(CtxGetCurrent, v4000, 4000)                     \
  _(CtxPushCurrent, v4000, 4000)                    \
  _(CtxPopCurrent, v4000, 4000)                     \
  _(CtxGetDevice, v2000, 2000)                      \
  _(DevicePrimaryCtxGetState, v7000, 7000)          \
  _(MemAlloc, v3020, 3020)                          \
  _(MemFree, v3020, 3020)                           \
  _(MemGetAddressRange, v3020, 3020)                \
  _(PointerGetAttribute, v4000, 4000)               \
  _(MemcpyDtoDAsync, v3020, 3020)                   \
  _(MemcpyDtoHAsync, v3020, 3020)                   \
  _(MemcpyHtoDAsync, v3020, 3020)                   \
  _(MemsetD8Async, v3020, 3020)                     \
  _(StreamCreate, v2000, 2000)                      \
  _(StreamDestroy, v4000, 4000)                     \
  _(StreamBeginCapture, v10010, 10010)              \
  _(StreamEndCapture, v10000, 10000)                \
  _(StreamIsCapturing, v10000, 10000)               \
  _(StreamQuery, v2000, 2000)                       \
  _(StreamSynchronize, v2000, 2000)                 \
  _(StreamWaitEvent, v3020, 3020)                   \
  _(ThreadExchangeStreamCaptureMode, v10010, 10010) \
  _(EventCreate, v2000, 2000)                       \
  _(EventRecord, v2000, 2000)                       \
  _(EventQuery, v2000, 2000)                        \
  _(EventSynchronize, v2000, 2000)                  \
  _(EventDestroy, v4000, 4000)                      \
  _(FuncGetAttribute, v2020, 2020)                  \
  _(FuncSetAttribute, v9000, 9000)                  \
  _(FuncGetName, v12030, 12030)                     \
  _(FuncGetParamInfo, v12040, 12040)                \
  _(KernelGetAttribute, v12000, 12000)              \
  _(KernelSetAttribute, v12000, 12000)              \
  _(KernelGetFunction, v12000, 12000)               \
  _(LaunchKernel, v4000, 4000)                      \
  _(GraphGetNodes, v10000, 10000)                   \
  _(GraphGetEdges, v12030, 12030)                   \
  _(GraphNodeGetType, v10000, 10000)                \
  _(GraphNodeGetDependencies, v12030, 12030)        \
  _(GraphKernelNodeGetParams, v12000, 12000)        \
  _(GraphKernelNodeSetParams, v12000, 12000)        \
  _(GraphKernelNodeGetAttribute, v11000, 11000)     \
  _(GraphMemcpyNodeGetParams, v10000, 10000)        \
  _(GraphMemsetNodeGetParams, v10000, 10000)        \
  _(GraphAddKernelNode, v12000, 12000)              \
  _(GraphAddDependencies, v12030, 12030)            \
  _(GraphRemoveDependencies, v12030, 12030)         \
  _(GraphDestroyNode, v10000, 10000)                \
  _(GraphClone, v10000, 10000)                      \
  _(GraphNodeFindInClone, v10000, 10000)            \
  _(GraphNodeSetEnabled, v11060, 11060)             \
  _(GraphDestroy, v10000, 10000)                    \
  _(GraphInstantiateWithParams, v12000, 12000)      \
  _(GraphUpload, v11010, 11010)                     \
  _(GraphLaunch, v10000, 10000)                     \
  _(GraphExecUpdate, v12000, 12000)                 \
  _(GraphExecKernelNodeSetParams, v12000, 12000)    \
  _(GraphExecDestroy, v10000, 10000)

namespace reprise {

struct Driver {
#define REPRISE_DRIVER_FIELD(call, suffix, version) \
  PFN_cu##call##_##suffix call = nullptr;
  REPRISE_DRIVER_CALLS(REPRISE_DRIVER_FIELD)
#undef REPRISE_DRIVER_FIELD
};

// How the driver tells where its calls are: cuGetProcAddress.
using DriverLookup = PFN_cuGetProcAddress_v12000;

// The table that a look-up leads to.
// Errors   Unavailable where the driver is too old for a call, which it names.
absl::StatusOr<Driver> FindDriverCalls(DriverLookup find);

// The driver of this machine, loaded at the first call; the table lives as long
// as the process.
// Errors   Unavailable where there is no driver; those of FindDriverCalls.
absl::StatusOr<const Driver*> LoadDriver();

}  // namespace reprise

#endif  // REPRISE_DRIVER_DRIVER_H_
