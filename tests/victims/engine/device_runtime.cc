#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/victims/engine/device.h"
#include "tests/victims/engine/kernel_addresses.h"

namespace victims {
namespace {

void Check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorName(result));
  std::_Exit(3);
}
#define CHECK(call) Check(call, #call)

cudaStreamCaptureMode ModeOf(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::kGlobal:
      return cudaStreamCaptureModeGlobal;
    case CaptureMode::kThreadLocal:
      return cudaStreamCaptureModeThreadLocal;
    case CaptureMode::kRelaxed:
      break;
  }
  return cudaStreamCaptureModeRelaxed;
}

}  // namespace

void Start() { CHECK(cudaSetDevice(0)); }

void* Allocate(std::size_t bytes) {
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMemset(memory, 0, bytes));
  CHECK(cudaDeviceSynchronize());
  return memory;
}

void Free(void* memory) { CHECK(cudaFree(memory)); }

void Write(void* to, const void* from, std::size_t bytes) {
  CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
}

void Read(void* to, const void* from, std::size_t bytes) {
  CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

void Copy(void* to, const void* from, std::size_t bytes, Stream stream) {
  CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
}

void Fill(void* to, unsigned char value, std::size_t bytes, Stream stream) {
  CHECK(cudaMemsetAsync(to, value, bytes, stream));
}

void* AllocateOn(Stream stream, std::size_t bytes) {
  void* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, bytes, stream));
  return memory;
}

void FreeOn(Stream stream, void* memory) {
  CHECK(cudaFreeAsync(memory, stream));
}

Stream NewStream() {
  Stream stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void Destroy(Stream stream) { CHECK(cudaStreamDestroy(stream)); }
void Synchronize(Stream stream) { CHECK(cudaStreamSynchronize(stream)); }
void SynchronizeAll() { CHECK(cudaDeviceSynchronize()); }

Event NewEvent() {
  Event event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

void Destroy(Event event) { CHECK(cudaEventDestroy(event)); }
void Record(Event event, Stream stream) {
  CHECK(cudaEventRecord(event, stream));
}
void Wait(Stream stream, Event event) {
  CHECK(cudaStreamWaitEvent(stream, event, 0));
}

void Launch(const KernelCall& call, Stream stream) {
  KernelCall copy = call;
  CHECK(cudaLaunchKernel(AddressOf(call.kernel), dim3(call.blocks),
                         dim3(call.threads), Pointers(copy).data(), 0, stream));
}

void LaunchProgrammatic(const KernelCall& call, Stream stream) {
  KernelCall copy = call;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(call.blocks);
  config.blockDim = dim3(call.threads);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelExC(&config, AddressOf(call.kernel),
                            Pointers(copy).data()));
}

void BeginCapture(Stream stream, CaptureMode mode) {
  CHECK(cudaStreamBeginCapture(stream, ModeOf(mode)));
}

void BeginCaptureInto(Graph graph, Stream stream) {
  CHECK(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeThreadLocal));
}

Graph EndCapture(Stream stream) {
  Graph graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

Graph TryEndCapture(Stream stream) {
  Graph graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();  // a refusal is no error of the program
  return graph;
}

Node LastNode(Stream stream) {
  cudaStreamCaptureStatus status;
  const Node* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes,
                                 &edges, &count));
  return nodes[0];
}

Graph NewGraph() {
  Graph graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  return graph;
}

void Destroy(Graph graph) { CHECK(cudaGraphDestroy(graph)); }

Node AddChild(Graph graph, const std::vector<Node>& before, Graph child) {
  Node node = nullptr;
  CHECK(cudaGraphAddChildGraphNode(&node, graph, before.data(), before.size(),
                                   child));
  return node;
}

Graph AddCondition(Graph graph, const std::vector<Node>& before) {
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1,
                                         cudaGraphCondAssignDefault));
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 1;
  Node node = nullptr;
  CHECK(cudaGraphAddNode(&node, graph, before.data(), nullptr, before.size(),
                         &params));
  return params.conditional.phGraph_out[0];
}

Exec Instantiate(Graph graph) {
  Exec exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

Exec InstantiateWithParams(Graph graph) {
  Exec exec = nullptr;
  cudaGraphInstantiateParams params = {};
  CHECK(cudaGraphInstantiateWithParams(&exec, graph, &params));
  return exec;
}

Exec InstantiateForDeviceLaunch(Graph graph) {
  Exec exec = nullptr;
  return cudaGraphInstantiate(
             &exec, graph, cudaGraphInstantiateFlagDeviceLaunch) == cudaSuccess
             ? exec
             : nullptr;
}

void Upload(Exec exec, Stream stream) { CHECK(cudaGraphUpload(exec, stream)); }
void Launch(Exec exec, Stream stream) { CHECK(cudaGraphLaunch(exec, stream)); }

bool TryLaunch(Exec exec, Stream stream) {
  const bool taken = cudaGraphLaunch(exec, stream) == cudaSuccess;
  cudaGetLastError();  // a refusal is no error of the program
  return taken;
}

bool Update(Exec exec, Graph graph) {
  cudaGraphExecUpdateResultInfo info;
  const bool taken = cudaGraphExecUpdate(exec, graph, &info) == cudaSuccess;
  cudaGetLastError();  // a refusal is no error of the program
  return taken;
}

void SetParams(Exec exec, Node node, const KernelCall& call) {
  KernelCall copy = call;
  auto pointers = Pointers(copy);
  cudaKernelNodeParams params = {};
  params.func = const_cast<void*>(AddressOf(call.kernel));
  params.gridDim = dim3(call.blocks);
  params.blockDim = dim3(call.threads);
  params.kernelParams = pointers.data();
  CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &params));
}

void SetEnabled(Exec exec, Node node, bool enabled) {
  CHECK(cudaGraphNodeSetEnabled(exec, node, enabled ? 1 : 0));
}

void Destroy(Exec exec) { CHECK(cudaGraphExecDestroy(exec)); }

}  // namespace victims
