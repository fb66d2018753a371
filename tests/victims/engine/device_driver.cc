#include <cuda.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "tests/victims/engine/device.h"
#include "victim_kernels.h"  // made by the build: the kernels as a fatbin

namespace victims {
namespace {

void Check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "an unknown error";
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "%s: %s\n", call, name);
  std::_Exit(3);
}
#define CHECK(call) Check(call, #call)

CUdeviceptr Address(const void* memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

CUcontext primary = nullptr;

// A further thread has none at first.
CUcontext Current() {
  CUcontext context = nullptr;
  CHECK(cuCtxGetCurrent(&context));
  if (context != nullptr) return context;
  CHECK(cuCtxSetCurrent(primary));
  return primary;
}

using Functions = std::map<Kernel, CUfunction>;

Functions LoadFunctions() {
  CUmodule module = nullptr;
  CHECK(cuModuleLoadData(&module, victim_kernels));
  Functions functions;
  const auto find = [&](Kernel kernel, const char* name) {
    CHECK(cuModuleGetFunction(&functions[kernel], module, name));
  };
  find(Kernel::kNorm, "victim_norm");
  find(Kernel::kQuantize, "victim_quantize");
  find(Kernel::kProject, "victim_project");
  find(Kernel::kGlu, "victim_glu");
  find(Kernel::kAdd, "victim_add");
  return functions;
}

CUfunction FunctionOf(Kernel kernel) {
  static std::mutex mutex;
  static std::map<CUcontext, Functions> loaded;
  const CUcontext context = Current();
  const std::lock_guard<std::mutex> lock(mutex);
  auto found = loaded.find(context);
  if (found == loaded.end()) {
    found = loaded.emplace(context, LoadFunctions()).first;
  }
  return found->second.at(kernel);
}

CUstreamCaptureMode ModeOf(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::kGlobal:
      return CU_STREAM_CAPTURE_MODE_GLOBAL;
    case CaptureMode::kThreadLocal:
      return CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    case CaptureMode::kRelaxed:
      break;
  }
  return CU_STREAM_CAPTURE_MODE_RELAXED;
}

}  // namespace

void Start() {
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
  FunctionOf(Kernel::kNorm);  // no module is loaded in a capture
}

void* Allocate(std::size_t bytes) {
  Current();
  CUdeviceptr memory = 0;
  CHECK(cuMemAlloc(&memory, bytes));
  CHECK(cuMemsetD8(memory, 0, bytes));
  CHECK(cuCtxSynchronize());
  return reinterpret_cast<void*>(memory);
}

void Free(void* memory) { CHECK(cuMemFree(Address(memory))); }

void Write(void* to, const void* from, std::size_t bytes) {
  CHECK(cuMemcpyHtoD(Address(to), from, bytes));
  CHECK(cuCtxSynchronize());
}

void Read(void* to, const void* from, std::size_t bytes) {
  CHECK(cuMemcpyDtoH(to, Address(from), bytes));
}

void Copy(void* to, const void* from, std::size_t bytes, Stream stream) {
  CHECK(cuMemcpyDtoDAsync(Address(to), Address(from), bytes, stream));
}

void Fill(void* to, unsigned char value, std::size_t bytes, Stream stream) {
  CHECK(cuMemsetD8Async(Address(to), value, bytes, stream));
}

void* AllocateOn(Stream stream, std::size_t bytes) {
  CUdeviceptr memory = 0;
  CHECK(cuMemAllocAsync(&memory, bytes, stream));
  return reinterpret_cast<void*>(memory);
}

void FreeOn(Stream stream, void* memory) {
  CHECK(cuMemFreeAsync(Address(memory), stream));
}

Stream NewStream() {
  Current();
  Stream stream = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

void Destroy(Stream stream) { CHECK(cuStreamDestroy(stream)); }
void Synchronize(Stream stream) { CHECK(cuStreamSynchronize(stream)); }
void SynchronizeAll() { CHECK(cuCtxSynchronize()); }

Event NewEvent() {
  Event event = nullptr;
  CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return event;
}

void Destroy(Event event) { CHECK(cuEventDestroy(event)); }
void Record(Event event, Stream stream) { CHECK(cuEventRecord(event, stream)); }
void Wait(Stream stream, Event event) {
  CHECK(cuStreamWaitEvent(stream, event, 0));
}

void Launch(const KernelCall& call, Stream stream) {
  KernelCall copy = call;
  CHECK(cuLaunchKernel(FunctionOf(call.kernel), call.blocks, 1, 1, call.threads,
                       1, 1, 0, stream, Pointers(copy).data(), nullptr));
}

void LaunchProgrammatic(const KernelCall& call, Stream stream) {
  KernelCall copy = call;
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config = {};
  config.gridDimX = call.blocks;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = call.threads;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cuLaunchKernelEx(&config, FunctionOf(call.kernel),
                         Pointers(copy).data(), nullptr));
}

void BeginCapture(Stream stream, CaptureMode mode) {
  CHECK(cuStreamBeginCapture(stream, ModeOf(mode)));
}

void BeginCaptureInto(Graph graph, Stream stream) {
  CHECK(cuStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

Graph EndCapture(Stream stream) {
  Graph graph = nullptr;
  CHECK(cuStreamEndCapture(stream, &graph));
  return graph;
}

Graph TryEndCapture(Stream stream) {
  Graph graph = nullptr;
  cuStreamEndCapture(stream, &graph);
  return graph;
}

Node LastNode(Stream stream) {
  CUstreamCaptureStatus status;
  const Node* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  CHECK(cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes,
                               &edges, &count));
  return nodes[0];
}

Graph NewGraph() {
  Graph graph = nullptr;
  CHECK(cuGraphCreate(&graph, 0));
  return graph;
}

void Destroy(Graph graph) { CHECK(cuGraphDestroy(graph)); }

Node AddChild(Graph graph, const std::vector<Node>& before, Graph child) {
  Node node = nullptr;
  CHECK(cuGraphAddChildGraphNode(&node, graph, before.data(), before.size(),
                                 child));
  return node;
}

Graph AddCondition(Graph graph, const std::vector<Node>& before) {
  CUgraphConditionalHandle handle;
  CHECK(cuGraphConditionalHandleCreate(&handle, graph, Current(), 1,
                                       CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams params = {};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_IF;
  params.conditional.size = 1;
  params.conditional.ctx = Current();
  Node node = nullptr;
  CHECK(cuGraphAddNode(&node, graph, before.data(), nullptr, before.size(),
                       &params));
  return params.conditional.phGraph_out[0];
}

Exec Instantiate(Graph graph) {
  Exec exec = nullptr;
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  return exec;
}

Exec InstantiateWithParams(Graph graph) {
  Exec exec = nullptr;
  CUDA_GRAPH_INSTANTIATE_PARAMS params = {};
  CHECK(cuGraphInstantiateWithParams(&exec, graph, &params));
  return exec;
}

Exec InstantiateForDeviceLaunch(Graph graph) {
  Exec exec = nullptr;
  return cuGraphInstantiate(&exec, graph,
                            CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) ==
                 CUDA_SUCCESS
             ? exec
             : nullptr;
}

void Upload(Exec exec, Stream stream) { CHECK(cuGraphUpload(exec, stream)); }
void Launch(Exec exec, Stream stream) { CHECK(cuGraphLaunch(exec, stream)); }

bool TryLaunch(Exec exec, Stream stream) {
  return cuGraphLaunch(exec, stream) == CUDA_SUCCESS;
}

bool Update(Exec exec, Graph graph) {
  CUgraphExecUpdateResultInfo info;
  return cuGraphExecUpdate(exec, graph, &info) == CUDA_SUCCESS;
}

void SetParams(Exec exec, Node node, const KernelCall& call) {
  KernelCall copy = call;
  auto pointers = Pointers(copy);
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = FunctionOf(call.kernel);
  params.gridDimX = call.blocks;
  params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = call.threads;
  params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = pointers.data();
  CHECK(cuGraphExecKernelNodeSetParams(exec, node, &params));
}

void SetEnabled(Exec exec, Node node, bool enabled) {
  CHECK(cuGraphNodeSetEnabled(exec, node, enabled ? 1 : 0));
}

void Destroy(Exec exec) { CHECK(cuGraphExecDestroy(exec)); }

}  // namespace victims
