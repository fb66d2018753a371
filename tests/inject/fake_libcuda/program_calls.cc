// What a program calls by exported names, graphs apart: contexts, modules,
// memory, streams, captures. A context is a number; a default stream is null
// and captures nothing.
#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/inject/fake_libcuda/fake_driver.h"
#include "tests/inject/fake_libcuda/host_kernels.h"

namespace reprise::testing {
namespace {

CUresult LaunchKernel(CUfunction function, Dim3 grid, Dim3 block,
                      CUstream stream, void** values, bool programmatic) {
  const auto& layout = From<ScriptedFunction>(function)->layout;
  ScriptedKernel kernel{.func = function, .grid = grid, .block = block};
  for (std::size_t i = 0; i < layout.size(); ++i) {
    kernel.bytes.resize(layout[i].offset + layout[i].size);
    std::memcpy(kernel.bytes.data() + layout[i].offset, values[i],
                layout[i].size);
  }
  if (!IsCapturing(stream)) {
    FindHostKernel(From<ScriptedFunction>(function)->name)->run(kernel);
    return CUDA_SUCCESS;
  }
  CUgraphEdgeData edge = {};
  if (programmatic) {
    edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  }
  AppendToCapture(stream, CU_GRAPH_NODE_TYPE_KERNEL, edge).kernel = kernel;
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }

CUresult cuGetErrorName(CUresult error, const char** name) {
  return Table().GetErrorName(error, name);
}

// Contexts.

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return cuCtxGetCurrent(context);
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams*, unsigned int,
                        CUdevice) {
  static std::uintptr_t last = 0x1;
  const auto lock = Lock();
  *context = reinterpret_cast<CUcontext>(++last);
  ScriptedDriver::state().contexts.back() = *context;
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext) { return CUDA_SUCCESS; }

CUresult cuCtxGetCurrent(CUcontext* context) {
  const auto lock = Lock();
  return Table().CtxGetCurrent(context);
}

CUresult cuCtxSetCurrent(CUcontext context) {
  const auto lock = Lock();
  ScriptedDriver::state().contexts.back() = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }

// Modules: every one has the victims' kernels.

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  *module = reinterpret_cast<CUmodule>(const_cast<void*>(image));
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  const auto lock = Lock();
  const HostKernel* kernel = FindHostKernel(name);
  if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
  CUfunction& known = Fake().functions[name];
  if (known == nullptr)
    known = Fake().scripted.NewFunction(name, kernel->layout);
  *function = known;
  return CUDA_SUCCESS;
}

// Memory.

CUresult cuMemAlloc_v2(CUdeviceptr* memory, std::size_t bytes) {
  const auto lock = Lock();
  return Table().MemAlloc(memory, bytes);
}

CUresult cuMemFree_v2(CUdeviceptr memory) {
  const auto lock = Lock();
  return Table().MemFree(memory);
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t bytes) {
  const auto lock = Lock();
  return Table().MemsetD8Async(to, value, bytes, nullptr);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  const auto lock = Lock();
  return Table().MemcpyHtoDAsync(to, from, bytes, nullptr);
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  const auto lock = Lock();
  return Table().MemcpyDtoHAsync(to, from, bytes, nullptr);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from,
                              std::size_t bytes, CUstream stream) {
  const auto lock = Lock();
  if (!IsCapturing(stream)) {
    return Table().MemcpyDtoDAsync(to, from, bytes, Known(stream));
  }
  CUDA_MEMCPY3D& copy = AppendToCapture(stream, CU_GRAPH_NODE_TYPE_MEMCPY).copy;
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.dstDevice = to;
  copy.WidthInBytes = bytes;
  copy.Height = copy.Depth = 1;
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes,
                         CUstream stream) {
  const auto lock = Lock();
  if (!IsCapturing(stream)) {
    return Table().MemsetD8Async(to, value, bytes, Known(stream));
  }
  CUDA_MEMSET_NODE_PARAMS& fill =
      AppendToCapture(stream, CU_GRAPH_NODE_TYPE_MEMSET).fill;
  fill.dst = to;
  fill.value = value;
  fill.elementSize = 1;
  fill.width = bytes;
  fill.height = 1;
  return CUDA_SUCCESS;
}

// In a capture the memory is there at once, and stays.
CUresult cuMemAllocAsync(CUdeviceptr* memory, std::size_t bytes,
                         CUstream stream) {
  const auto lock = Lock();
  if (IsCapturing(stream))
    AppendToCapture(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  return Table().MemAlloc(memory, bytes);
}

CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
  const auto lock = Lock();
  if (!IsCapturing(stream)) return Table().MemFree(memory);
  AppendToCapture(stream, CU_GRAPH_NODE_TYPE_MEM_FREE);
  return CUDA_SUCCESS;
}

// Streams, events and captures.

CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  const auto lock = Lock();
  *stream = Fake().scripted.NewStream();
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  const auto lock = Lock();
  Fake().frontiers[stream].clear();
  return Table().StreamBeginCapture(stream, mode);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode* before,
                                     const CUgraphEdgeData*, std::size_t count,
                                     CUstreamCaptureMode) {
  const auto lock = Lock();
  From<ScriptedStream>(stream)->captured = From<ScriptedGraph>(graph);
  Fake().frontiers[stream].assign(before, before + count);
  return CUDA_SUCCESS;
}

// Streams that joined the capture leave it.
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const auto lock = Lock();
  const ScriptedGraph* captured = From<ScriptedStream>(stream)->captured;
  for (ScriptedStream& other : ScriptedDriver::state().streams) {
    if (&other != From<ScriptedStream>(stream) && other.captured == captured) {
      other.captured = nullptr;
    }
  }
  return Table().StreamEndCapture(stream, graph);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream,
                                   CUstreamCaptureStatus* status, cuuint64_t*,
                                   CUgraph*, const CUgraphNode** nodes,
                                   const CUgraphEdgeData**,
                                   std::size_t* count) {
  const auto lock = Lock();
  const std::vector<CUgraphNode>& frontier = Fake().frontiers[stream];
  *nodes = frontier.data();
  *count = frontier.size();
  return Table().StreamIsCapturing(stream, status);
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  const auto lock = Lock();
  return Table().EventCreate(event, flags);
}

CUresult cuEventDestroy_v2(CUevent event) {
  const auto lock = Lock();
  return Table().EventDestroy(event);
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  const auto lock = Lock();
  if (!IsCapturing(stream)) return Table().EventRecord(event, Known(stream));
  Fake().captured_events[event] = {From<ScriptedStream>(stream)->captured,
                                   Fake().frontiers[stream]};
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int) {
  const auto lock = Lock();
  const auto found = Fake().captured_events.find(event);
  if (found == Fake().captured_events.end()) return CUDA_SUCCESS;
  std::vector<CUgraphNode>& frontier = Fake().frontiers[stream];
  if (!IsCapturing(stream)) {
    frontier.clear();
    From<ScriptedStream>(stream)->captured = found->second.graph;
  }
  for (const CUgraphNode node : found->second.nodes) {
    if (std::find(frontier.begin(), frontier.end(), node) == frontier.end()) {
      frontier.push_back(node);
    }
  }
  return CUDA_SUCCESS;
}

// Kernels.

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x,
                        unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int, CUstream stream,
                        void** values, void**) {
  const auto lock = Lock();
  return LaunchKernel(function, {grid_x, grid_y, grid_z},
                      {block_x, block_y, block_z}, stream, values, false);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                          void** values, void**) {
  const auto lock = Lock();
  const bool programmatic =
      config->numAttrs == 1 &&
      config->attrs[0].id ==
          CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  return LaunchKernel(function,
                      {config->gridDimX, config->gridDimY, config->gridDimZ},
                      {config->blockDimX, config->blockDimY, config->blockDimZ},
                      config->hStream, values, programmatic);
}

}  // extern "C"

}  // namespace reprise::testing
