// The calls of a ScriptedDriver's table, by group as driver/driver.h has them.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/driver/scripted_state.h"

namespace reprise::testing {
namespace {

using State = ScriptedDriver::State;

State& Here() { return ScriptedDriver::state(); }

#define ENTER()                                                           \
  if (CUresult failed = Here().Enter(__func__); failed != CUDA_SUCCESS) { \
    return failed;                                                        \
  }
#define REQUIRE(condition) \
  if (!(condition)) return CUDA_ERROR_INVALID_VALUE

// What changed is one row.
template <typename... Parts>
CUresult Done(const Parts&... parts) {
  Here().Row(absl::StrCat(parts...));
  return CUDA_SUCCESS;
}

bool IsAlive(CUgraph graph) {
  return graph != nullptr && From<ScriptedGraph>(graph)->alive;
}
bool IsAlive(CUgraphNode node) {
  return node != nullptr && From<ScriptedNode>(node)->alive &&
         From<ScriptedNode>(node)->graph->alive;
}
bool IsAlive(CUgraphExec exec) {
  return exec != nullptr && From<ScriptedExec>(exec)->alive;
}
bool IsKernel(CUgraphNode node) {
  return IsAlive(node) &&
         From<ScriptedNode>(node)->type == CU_GRAPH_NODE_TYPE_KERNEL;
}

bool Holds(const ScriptedGraph& graph, CUgraphNodeType type) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [type](const ScriptedNode& node) {
                       return node.alive && node.type == type;
                     });
}

// No part may be taken from such a graph, nor a clone made of it.
bool HoldsAllocations(const ScriptedGraph& graph) {
  return Holds(graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
         Holds(graph, CU_GRAPH_NODE_TYPE_MEM_FREE);
}

bool HoldsDeviceUpdatable(const ScriptedGraph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const ScriptedNode& node) {
                       return node.alive && node.kernel.device_updatable;
                     });
}

std::string GraphName(const ScriptedGraph& graph) {
  return absl::StrCat("g", graph.number);
}
std::string ExecName(const ScriptedExec& exec) {
  return absl::StrCat("e", exec.number);
}

// Errors and memory.

CUresult GetErrorName(CUresult error, const char** name) {
  switch (error) {
#define REPRISE_NAME(code) \
  case code:               \
    *name = #code;         \
    return CUDA_SUCCESS
    REPRISE_NAME(CUDA_ERROR_INVALID_VALUE);
    REPRISE_NAME(CUDA_ERROR_OUT_OF_MEMORY);
    REPRISE_NAME(CUDA_ERROR_NOT_SUPPORTED);
    REPRISE_NAME(CUDA_ERROR_NOT_FOUND);
    REPRISE_NAME(CUDA_ERROR_ILLEGAL_STATE);
    REPRISE_NAME(CUDA_ERROR_LOSSY_QUERY);
    REPRISE_NAME(CUDA_ERROR_LAUNCH_FAILED);
    REPRISE_NAME(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    REPRISE_NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    REPRISE_NAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    REPRISE_NAME(CUDA_ERROR_STREAM_CAPTURE_MERGE);
    REPRISE_NAME(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    REPRISE_NAME(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    REPRISE_NAME(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    REPRISE_NAME(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    REPRISE_NAME(CUDA_ERROR_CAPTURED_EVENT);
    REPRISE_NAME(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
#undef REPRISE_NAME
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult CtxGetCurrent(CUcontext* context) {
  ENTER();
  *context = Here().contexts.empty() ? nullptr : Here().contexts.back();
  return CUDA_SUCCESS;
}

CUresult CtxPushCurrent(CUcontext context) {
  ENTER();
  Here().contexts.push_back(context);
  return CUDA_SUCCESS;
}

CUresult CtxPopCurrent(CUcontext* context) {
  ENTER();
  if (Here().contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = Here().contexts.back();
  Here().contexts.pop_back();
  return CUDA_SUCCESS;
}

CUresult CtxGetDevice(CUdevice* device) {
  ENTER();
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult DevicePrimaryCtxGetState(CUdevice, unsigned int* flags, int* active) {
  ENTER();
  *flags = 0;
  *active = Here().contexts.empty() ? 0 : 1;
  return CUDA_SUCCESS;
}

CUresult MemAlloc(CUdeviceptr* address, std::size_t bytes) {
  ENTER();
  REQUIRE(bytes > 0);
  *address = Here().next_address;
  Here().next_address += (bytes | 0x1fffff) + 1;
  Here().memory[*address] = {std::vector<std::uint8_t>(bytes), false};
  return Done("MemAlloc ", bytes, " -> 0x", absl::Hex(*address));
}

CUresult MemFree(CUdeviceptr address) {
  const CUresult failed = Here().Enter(__func__);
  const auto found = Here().memory.find(address);
  REQUIRE(found != Here().memory.end());
  Here().memory.erase(found);
  if (failed != CUDA_SUCCESS) return failed;
  return Done("MemFree 0x", absl::Hex(address));
}

CUresult MemGetAddressRange(CUdeviceptr* base, std::size_t* size,
                            CUdeviceptr address) {
  ENTER();
  if (Here().Find(address, 1) == nullptr) return CUDA_ERROR_NOT_FOUND;
  const auto& [start, memory] = *--Here().memory.upper_bound(address);
  if (base != nullptr) *base = start;
  if (size != nullptr) *size = memory.bytes.size();
  return CUDA_SUCCESS;
}

CUresult PointerGetAttribute(void* value, CUpointer_attribute attribute,
                             CUdeviceptr address) {
  ENTER();
  REQUIRE(attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
  REQUIRE(Here().Find(address, 1) != nullptr);
  *static_cast<int*>(value) = 0;
  return CUDA_SUCCESS;
}

// A copy or fill is done at once, whatever the stream.
CUresult Transfer(absl::string_view call, void* to, const void* from,
                  std::size_t bytes, const std::string& row) {
  REQUIRE(to != nullptr && from != nullptr);
  std::memcpy(to, from, bytes);
  return Done(call, " ", row, " ", bytes);
}

CUresult MemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                         CUstream stream) {
  ENTER();
  return Transfer(__func__, Here().Find(to, bytes), Here().Find(from, bytes),
                  bytes,
                  absl::StrCat(TextOf(stream), " 0x", absl::Hex(from), " -> 0x",
                               absl::Hex(to)));
}

CUresult MemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes,
                         CUstream stream) {
  ENTER();
  return Transfer(__func__, to, Here().Find(from, bytes), bytes,
                  absl::StrCat(TextOf(stream), " 0x", absl::Hex(from)));
}

CUresult MemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes,
                         CUstream stream) {
  ENTER();
  return Transfer(__func__, Here().Find(to, bytes), from, bytes,
                  absl::StrCat(TextOf(stream), " -> 0x", absl::Hex(to)));
}

CUresult MemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes,
                       CUstream stream) {
  ENTER();
  std::uint8_t* target = Here().Find(to, bytes);
  REQUIRE(target != nullptr);
  std::memset(target, value, bytes);
  return Done("MemsetD8Async ", TextOf(stream), " 0x", absl::Hex(to), " ",
              bytes);
}

// Streams and events.

bool IsCapturing(CUstream stream) {
  return stream != nullptr && stream != CU_STREAM_LEGACY &&
         stream != CU_STREAM_PER_THREAD &&
         From<ScriptedStream>(stream)->captured != nullptr;
}

CUresult StreamCreate(CUstream* stream, unsigned int) {
  ENTER();
  *stream = reinterpret_cast<CUstream>(&Here().AddStream());
  return Done("StreamCreate ", TextOf(*stream));
}

CUresult StreamDestroy(CUstream stream) {
  const CUresult failed = Here().Enter(__func__);
  REQUIRE(stream != nullptr && From<ScriptedStream>(stream)->alive);
  From<ScriptedStream>(stream)->alive = false;
  if (failed != CUDA_SUCCESS) return failed;
  return Done("StreamDestroy ", TextOf(stream));
}

CUresult StreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  ENTER();
  if (stream == nullptr || stream == CU_STREAM_LEGACY) {
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  ScriptedStream& capturing = *From<ScriptedStream>(stream);
  if (capturing.captured != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  capturing.captured = &Here().AddGraph();
  capturing.broken = CUDA_SUCCESS;
  return Done("StreamBeginCapture ", TextOf(stream), " mode ",
              static_cast<int>(mode));
}

CUresult StreamEndCapture(CUstream stream, CUgraph* graph) {
  const CUresult failed = Here().Enter(__func__);
  *graph = nullptr;
  ScriptedStream& capturing = *From<ScriptedStream>(stream);
  if (capturing.captured == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  ScriptedGraph& captured = *std::exchange(capturing.captured, nullptr);
  const CUresult result = failed != CUDA_SUCCESS ? failed : capturing.broken;
  if (result != CUDA_SUCCESS) {
    captured.alive = false;
    Here().Row(absl::StrCat("StreamEndCapture ", TextOf(stream), " -> none"));
    return result;
  }
  *graph = ToHandle(captured);
  return Done("StreamEndCapture ", TextOf(stream), " -> ", GraphName(captured));
}

CUresult StreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  ENTER();
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (!IsCapturing(stream)) return CUDA_SUCCESS;
  const ScriptedStream& asked = *From<ScriptedStream>(stream);
  *status = asked.broken == CUDA_SUCCESS ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                         : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  return CUDA_SUCCESS;
}

CUresult StreamQuery(CUstream stream) {
  ENTER();
  REQUIRE(!IsCapturing(stream));
  return Here().busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult StreamSynchronize(CUstream stream) {
  ENTER();
  if (IsCapturing(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return Done("StreamSynchronize ", TextOf(stream));
}

std::string EventName(const ScriptedEvent& event) {
  return absl::StrCat("v", event.number);
}

bool IsAlive(CUevent event) {
  return event != nullptr && From<ScriptedEvent>(event)->alive;
}

CUresult EventCreate(CUevent* event, unsigned int flags) {
  ENTER();
  REQUIRE(flags == CU_EVENT_DISABLE_TIMING);
  ScriptedEvent& made = Here().events.emplace_back();
  made.number = static_cast<int>(Here().events.size() - 1);
  *event = reinterpret_cast<CUevent>(&made);
  return Done("EventCreate ", EventName(made));
}

CUresult EventRecord(CUevent event, CUstream stream) {
  ENTER();
  REQUIRE(IsAlive(event) && !IsCapturing(stream));
  From<ScriptedEvent>(event)->recorded = true;
  return Done("EventRecord ", EventName(*From<ScriptedEvent>(event)), " ",
              TextOf(stream));
}

CUresult EventQuery(CUevent event) {
  ENTER();
  REQUIRE(IsAlive(event) && From<ScriptedEvent>(event)->recorded);
  return Here().busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult EventSynchronize(CUevent event) {
  ENTER();
  REQUIRE(IsAlive(event) && From<ScriptedEvent>(event)->recorded);
  return Done("EventSynchronize ", EventName(*From<ScriptedEvent>(event)));
}

CUresult StreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  ENTER();
  REQUIRE(IsAlive(event) && From<ScriptedEvent>(event)->recorded);
  REQUIRE(!IsCapturing(stream) && flags == CU_EVENT_WAIT_DEFAULT);
  return Done("StreamWaitEvent ", TextOf(stream), " ",
              EventName(*From<ScriptedEvent>(event)));
}

CUresult EventDestroy(CUevent event) {
  const CUresult failed = Here().Enter(__func__);
  REQUIRE(IsAlive(event));
  ScriptedEvent& gone = *From<ScriptedEvent>(event);
  gone.alive = false;
  if (failed != CUDA_SUCCESS) return failed;
  return Done("EventDestroy ", EventName(gone));
}

CUresult ThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  ENTER();
  std::swap(*mode, Here().mode);
  return Done("ThreadExchangeStreamCaptureMode ", static_cast<int>(Here().mode),
              " was ", static_cast<int>(*mode));
}

// Functions.

CUresult FuncGetAttribute(int* value, CUfunction_attribute attribute,
                          CUfunction function) {
  ENTER();
  REQUIRE(attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  *value = From<ScriptedFunction>(function)->most_shared_bytes;
  return CUDA_SUCCESS;
}

CUresult FuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                          int value) {
  ENTER();
  REQUIRE(attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  ScriptedFunction& changed = *From<ScriptedFunction>(function);
  changed.most_shared_bytes = value;
  return Done("FuncSetAttribute ", changed.name, " shared ", value);
}

CUresult FuncGetName(const char** name, CUfunction function) {
  ENTER();
  REQUIRE(function != nullptr);
  *name = From<ScriptedFunction>(function)->name.c_str();
  return CUDA_SUCCESS;
}

CUresult FuncGetParamInfo(CUfunction function, std::size_t index,
                          std::size_t* offset, std::size_t* size) {
  ENTER();
  REQUIRE(function != nullptr);
  const auto& layout = From<ScriptedFunction>(function)->layout;
  REQUIRE(index < layout.size());
  *offset = layout[index].offset;
  if (size != nullptr) *size = layout[index].size;
  return CUDA_SUCCESS;
}

CUresult KernelGetAttribute(int* value, CUfunction_attribute attribute,
                            CUkernel kernel, CUdevice device) {
  ENTER();
  REQUIRE(attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  REQUIRE(kernel != nullptr && device == 0);
  *value = From<ScriptedFunction>(*From<CUfunction>(kernel))->most_shared_bytes;
  return CUDA_SUCCESS;
}

CUresult KernelSetAttribute(CUfunction_attribute attribute, int value,
                            CUkernel kernel, CUdevice device) {
  ENTER();
  REQUIRE(attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  REQUIRE(kernel != nullptr && device == 0);
  ScriptedFunction& changed =
      *From<ScriptedFunction>(*From<CUfunction>(kernel));
  changed.most_shared_bytes = value;
  return Done("KernelSetAttribute ", changed.name, " shared ", value);
}

CUresult KernelGetFunction(CUfunction* function, CUkernel kernel) {
  ENTER();
  REQUIRE(kernel != nullptr);
  *function = *From<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

// Graphs: reading.

// `all` as the driver lists them: only the count without an array, else as
// many as fit, null in what is left over.
template <typename Handle>
void List(const std::vector<Handle>& all, Handle* out, std::size_t room) {
  for (std::size_t i = 0; out != nullptr && i < room; ++i) {
    out[i] = i < all.size() ? all[i] : nullptr;
  }
}

CUresult GraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  ENTER();
  REQUIRE(IsAlive(graph));
  std::vector<CUgraphNode> all;
  for (ScriptedNode& node : From<ScriptedGraph>(graph)->nodes) {
    if (node.alive) all.push_back(ToHandle(node));
  }
  List(all, nodes, *count);
  *count = nodes == nullptr ? all.size() : std::min(*count, all.size());
  return CUDA_SUCCESS;
}

struct EdgeList {
  std::vector<CUgraphNode> from, to;
  std::vector<CUgraphEdgeData> data;
};

bool IsDefault(const CUgraphEdgeData& data) {
  return data.from_port == 0 && data.to_port == 0 && data.type == 0;
}

CUresult ListEdges(const EdgeList& all, CUgraphNode* from, CUgraphNode* to,
                   CUgraphEdgeData* data, std::size_t* count) {
  REQUIRE(data == nullptr || from != nullptr || to != nullptr);
  if (from == nullptr && to == nullptr) {
    *count = all.data.size();
    return CUDA_SUCCESS;
  }
  if (data == nullptr &&
      !std::all_of(all.data.begin(), all.data.end(), IsDefault)) {
    return CUDA_ERROR_LOSSY_QUERY;
  }
  List(all.from, from, *count);
  List(all.to, to, *count);
  *count = std::min(*count, all.data.size());
  if (data != nullptr) std::copy_n(all.data.begin(), *count, data);
  return CUDA_SUCCESS;
}

template <typename Wanted>
EdgeList EdgesOf(ScriptedGraph& graph, Wanted wanted) {
  EdgeList list;
  for (const ScriptedEdge& edge : graph.edges) {
    if (!wanted(edge)) continue;
    list.from.push_back(ToHandle(graph.nodes[edge.from]));
    list.to.push_back(ToHandle(graph.nodes[edge.to]));
    list.data.push_back(edge.data);
  }
  return list;
}

CUresult GraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                       CUgraphEdgeData* data, std::size_t* count) {
  ENTER();
  REQUIRE(IsAlive(graph) && (from == nullptr) == (to == nullptr));
  return ListEdges(EdgesOf(*From<ScriptedGraph>(graph),
                           [](const ScriptedEdge&) { return true; }),
                   from, to, data, count);
}

CUresult GraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  ENTER();
  REQUIRE(IsAlive(node));
  *type = From<ScriptedNode>(node)->type;
  return CUDA_SUCCESS;
}

CUresult GraphNodeGetDependencies(CUgraphNode node, CUgraphNode* before,
                                  CUgraphEdgeData* data, std::size_t* count) {
  ENTER();
  REQUIRE(IsAlive(node));
  const ScriptedNode& asked = *From<ScriptedNode>(node);
  return ListEdges(
      EdgesOf(*asked.graph,
              [&](const ScriptedEdge& edge) { return edge.to == asked.index; }),
      before, nullptr, data, count);
}

CUresult GraphKernelNodeGetParams(CUgraphNode node,
                                  CUDA_KERNEL_NODE_PARAMS* params) {
  ENTER();
  REQUIRE(IsKernel(node));
  ScriptedNode& asked = *From<ScriptedNode>(node);
  ScriptedKernel& kernel = asked.kernel;
  *params = {};
  params->func = kernel.func;
  params->kern = kernel.kern;
  params->gridDimX = kernel.grid.x;
  params->gridDimY = kernel.grid.y;
  params->gridDimZ = kernel.grid.z;
  params->blockDimX = kernel.block.x;
  params->blockDimY = kernel.block.y;
  params->blockDimZ = kernel.block.z;
  params->sharedMemBytes = kernel.shared_bytes;
  if (kernel.as_extra) {
    asked.buffer_size = kernel.bytes.size();
    asked.pointers = {CU_LAUNCH_PARAM_BUFFER_POINTER, kernel.bytes.data(),
                      CU_LAUNCH_PARAM_BUFFER_SIZE, &asked.buffer_size,
                      CU_LAUNCH_PARAM_END};
    params->extra = asked.pointers.data();
    return CUDA_SUCCESS;
  }
  asked.pointers.clear();
  for (const Parameter& parameter : FunctionOf(kernel).layout) {
    asked.pointers.push_back(kernel.bytes.data() + parameter.offset);
  }
  params->kernelParams = asked.pointers.data();
  return CUDA_SUCCESS;
}

CUresult GraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id,
                                     CUlaunchAttributeValue* value) {
  ENTER();
  REQUIRE(IsKernel(node));
  const ScriptedKernel& kernel = From<ScriptedNode>(node)->kernel;
  *value = {};
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      value->cooperative = kernel.cooperative ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      value->clusterDim.x = kernel.cluster.x;
      value->clusterDim.y = kernel.cluster.y;
      value->clusterDim.z = kernel.cluster.z;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      value->deviceUpdatableKernelNode.deviceUpdatable =
          kernel.device_updatable ? 1 : 0;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult GraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* params) {
  ENTER();
  REQUIRE(IsAlive(node) &&
          From<ScriptedNode>(node)->type == CU_GRAPH_NODE_TYPE_MEMCPY);
  *params = From<ScriptedNode>(node)->copy;
  return CUDA_SUCCESS;
}

CUresult GraphMemsetNodeGetParams(CUgraphNode node,
                                  CUDA_MEMSET_NODE_PARAMS* params) {
  ENTER();
  REQUIRE(IsAlive(node) &&
          From<ScriptedNode>(node)->type == CU_GRAPH_NODE_TYPE_MEMSET);
  *params = From<ScriptedNode>(node)->fill;
  return CUDA_SUCCESS;
}

CUresult GraphNodeFindInClone(CUgraphNode* found, CUgraphNode original,
                              CUgraph clone) {
  ENTER();
  REQUIRE(IsAlive(clone) && original != nullptr);
  const ScriptedNode& wanted = *From<ScriptedNode>(original);
  REQUIRE(From<ScriptedGraph>(clone)->original == wanted.graph);
  auto& nodes = From<ScriptedGraph>(clone)->nodes;
  const std::uint32_t index = wanted.index;
  REQUIRE(index < nodes.size() && nodes[index].alive);
  *found = ToHandle(nodes[index]);
  return CUDA_SUCCESS;
}

// Graphs: changing.

// The node's kernel with the parameters that the struct points to, copied by
// the function's layout; nothing when they are not all there.
std::optional<ScriptedKernel> Replaced(ScriptedKernel kernel,
                                       const CUDA_KERNEL_NODE_PARAMS& params) {
  if (params.func == nullptr && params.kern == nullptr) return std::nullopt;
  kernel.func = params.func;
  kernel.kern = params.kern;
  kernel.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  kernel.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  kernel.shared_bytes = params.sharedMemBytes;
  if (static_cast<int>(kernel.shared_bytes) >
      FunctionOf(kernel).most_shared_bytes) {
    return std::nullopt;
  }
  kernel.as_extra = params.extra != nullptr;
  kernel.bytes.clear();
  if (params.extra != nullptr) {
    if (params.kernelParams != nullptr) return std::nullopt;
    const auto* buffer = static_cast<const std::uint8_t*>(params.extra[1]);
    kernel.bytes.assign(
        buffer, buffer + *static_cast<const std::size_t*>(params.extra[3]));
    return kernel;
  }
  const auto& layout = FunctionOf(kernel).layout;
  if (params.kernelParams == nullptr && !layout.empty()) return std::nullopt;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    kernel.bytes.resize(std::max<std::size_t>(
        kernel.bytes.size(), layout[i].offset + layout[i].size));
    std::memcpy(kernel.bytes.data() + layout[i].offset, params.kernelParams[i],
                layout[i].size);
  }
  return kernel;
}

void RunBody(const ScriptedKernel& kernel) {
  const ScriptedBody& body = FunctionOf(kernel).body;
  if (body) body(kernel.bytes);
}

CUresult LaunchKernel(CUfunction function, unsigned int grid_x,
                      unsigned int grid_y, unsigned int grid_z,
                      unsigned int block_x, unsigned int block_y,
                      unsigned int block_z, unsigned int shared_bytes,
                      CUstream stream, void** parameters, void** extra) {
  ENTER();
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = function;
  params.gridDimX = grid_x;
  params.gridDimY = grid_y;
  params.gridDimZ = grid_z;
  params.blockDimX = block_x;
  params.blockDimY = block_y;
  params.blockDimZ = block_z;
  params.sharedMemBytes = shared_bytes;
  params.kernelParams = parameters;
  params.extra = extra;
  const auto kernel = Replaced({}, params);
  REQUIRE(kernel.has_value());
  if (IsCapturing(stream)) {
    ScriptedGraph& captured = *From<ScriptedStream>(stream)->captured;
    AppendNode(captured, CU_GRAPH_NODE_TYPE_KERNEL).kernel = *kernel;
  } else {
    RunBody(*kernel);
  }
  return Done("LaunchKernel ", TextOf(stream), " ", TextOf(*kernel));
}

CUresult GraphKernelNodeSetParams(CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS* params) {
  ENTER();
  REQUIRE(IsKernel(node));
  ScriptedNode& changed = *From<ScriptedNode>(node);
  auto kernel = Replaced(changed.kernel, *params);
  REQUIRE(kernel.has_value());
  changed.kernel = *std::move(kernel);
  return Done("GraphKernelNodeSetParams ", TextOf(changed), " ",
              TextOf(changed.kernel));
}

bool SameData(const CUgraphEdgeData& a, const CUgraphEdgeData& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// A programmatic edge joins kernels, by one of two ports.
bool IsAllowed(const ScriptedGraph& graph, const ScriptedEdge& edge) {
  if (edge.from == edge.to || edge.data.to_port != 0) return false;
  if (edge.data.type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT) {
    return edge.data.from_port == 0;
  }
  return edge.data.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
         (edge.data.from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC ||
          edge.data.from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER) &&
         graph.nodes[edge.from].type == CU_GRAPH_NODE_TYPE_KERNEL &&
         graph.nodes[edge.to].type == CU_GRAPH_NODE_TYPE_KERNEL;
}

auto FindEdge(ScriptedGraph& graph, const ScriptedEdge& wanted) {
  return std::find_if(graph.edges.begin(), graph.edges.end(),
                      [&](const ScriptedEdge& edge) {
                        return edge.from == wanted.from && edge.to == wanted.to;
                      });
}

// Nothing unless every end is a living node of the graph.
std::optional<std::vector<ScriptedEdge>> ReadEdges(CUgraph graph,
                                                   const CUgraphNode* from,
                                                   const CUgraphNode* to,
                                                   const CUgraphEdgeData* data,
                                                   std::size_t count) {
  std::vector<ScriptedEdge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    if (!IsAlive(from[i]) || !IsAlive(to[i])) return std::nullopt;
    const ScriptedNode& source = *From<ScriptedNode>(from[i]);
    const ScriptedNode& target = *From<ScriptedNode>(to[i]);
    if (source.graph != From<ScriptedGraph>(graph) ||
        target.graph != source.graph) {
      return std::nullopt;
    }
    edges.push_back({source.index, target.index,
                     data == nullptr ? CUgraphEdgeData{} : data[i]});
  }
  return edges;
}

std::string Listed(const std::vector<ScriptedEdge>& edges) {
  std::string text;
  for (const ScriptedEdge& edge : edges) {
    absl::StrAppend(&text, " ", TextOf(edge));
  }
  return text;
}

CUresult GraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                              const CUgraphNode* to,
                              const CUgraphEdgeData* data, std::size_t count) {
  ENTER();
  REQUIRE(IsAlive(graph));
  const auto edges = ReadEdges(graph, from, to, data, count);
  REQUIRE(edges.has_value());
  ScriptedGraph& changed = *From<ScriptedGraph>(graph);
  for (const ScriptedEdge& edge : *edges) {
    REQUIRE(IsAllowed(changed, edge) &&
            FindEdge(changed, edge) == changed.edges.end());
    changed.edges.push_back(edge);
  }
  return Done("GraphAddDependencies ", GraphName(changed), ":", Listed(*edges));
}

CUresult GraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                                 const CUgraphNode* to,
                                 const CUgraphEdgeData* data,
                                 std::size_t count) {
  ENTER();
  REQUIRE(IsAlive(graph));
  ScriptedGraph& changed = *From<ScriptedGraph>(graph);
  if (HoldsAllocations(changed)) return CUDA_ERROR_NOT_SUPPORTED;
  const auto edges = ReadEdges(graph, from, to, data, count);
  REQUIRE(edges.has_value());
  for (const ScriptedEdge& edge : *edges) {
    const auto found = FindEdge(changed, edge);
    REQUIRE(found != changed.edges.end());
    REQUIRE(SameData(found->data, edge.data));
    changed.edges.erase(found);
  }
  return Done("GraphRemoveDependencies ", GraphName(changed), ":",
              Listed(*edges));
}

CUresult GraphAddKernelNode(CUgraphNode* node, CUgraph graph,
                            const CUgraphNode* before, std::size_t count,
                            const CUDA_KERNEL_NODE_PARAMS* params) {
  ENTER();
  REQUIRE(IsAlive(graph));
  auto kernel = Replaced({}, *params);
  REQUIRE(kernel.has_value());
  REQUIRE(std::all_of(before, before + count, [graph](CUgraphNode b) {
    return IsAlive(b) &&
           From<ScriptedNode>(b)->graph == From<ScriptedGraph>(graph);
  }));
  ScriptedGraph& changed = *From<ScriptedGraph>(graph);
  ScriptedNode& added = AppendNode(changed, CU_GRAPH_NODE_TYPE_KERNEL);
  added.kernel = *std::move(kernel);
  std::string after;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t from = From<ScriptedNode>(before[i])->index;
    changed.edges.push_back({from, added.index, {}});
    absl::StrAppend(&after, after.empty() ? " after " : " ", from);
  }
  *node = ToHandle(added);
  return Done("GraphAddKernelNode ", TextOf(added), " ", TextOf(added.kernel),
              after);
}

CUresult GraphDestroyNode(CUgraphNode node) {
  ENTER();
  REQUIRE(IsAlive(node));
  ScriptedNode& gone = *From<ScriptedNode>(node);
  if (HoldsAllocations(*gone.graph) || gone.kernel.device_updatable) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  gone.alive = false;
  std::erase_if(gone.graph->edges, [&](const ScriptedEdge& edge) {
    return edge.from == gone.index || edge.to == gone.index;
  });
  return Done("GraphDestroyNode ", TextOf(gone));
}

CUresult GraphClone(CUgraph* clone, CUgraph graph) {
  ENTER();
  REQUIRE(IsAlive(graph));
  const ScriptedGraph& original = *From<ScriptedGraph>(graph);
  if (HoldsAllocations(original) || HoldsDeviceUpdatable(original) ||
      Holds(original, CU_GRAPH_NODE_TYPE_CONDITIONAL)) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  ScriptedGraph& copy = Here().AddCopy(original);
  *clone = ToHandle(copy);
  return Done("GraphClone ", GraphName(original), " -> ", GraphName(copy));
}

CUresult GraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node,
                             unsigned int enabled) {
  ENTER();
  REQUIRE(IsAlive(exec) && IsAlive(node));
  return Done("GraphNodeSetEnabled ", ExecName(*From<ScriptedExec>(exec)), " ",
              TextOf(*From<ScriptedNode>(node)), " ", enabled);
}

CUresult GraphDestroy(CUgraph graph) {
  const CUresult failed = Here().Enter(__func__);
  REQUIRE(IsAlive(graph));
  ScriptedGraph& gone = *From<ScriptedGraph>(graph);
  gone.alive = false;
  if (failed != CUDA_SUCCESS) return failed;
  return Done("GraphDestroy ", GraphName(gone));
}

// Executables.

CUresult GraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                    CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  ENTER();
  REQUIRE(IsAlive(graph));
  ScriptedExec& made = Here().execs.emplace_back();
  made.number = static_cast<int>(Here().execs.size() - 1);
  made.source = From<ScriptedGraph>(graph);
  CopyContent(*made.source, made.content);
  params->hErrNode_out = nullptr;
  params->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  *exec = ToHandle(made);
  return Done("GraphInstantiateWithParams ", GraphName(*made.source), " -> ",
              ExecName(made));
}

CUresult GraphUpload(CUgraphExec exec, CUstream stream) {
  ENTER();
  REQUIRE(IsAlive(exec));
  return Done("GraphUpload ", ExecName(*From<ScriptedExec>(exec)), " ",
              TextOf(stream));
}

CUresult GraphLaunch(CUgraphExec exec, CUstream stream) {
  ENTER();
  REQUIRE(IsAlive(exec));
  for (const ScriptedNode& node : From<ScriptedExec>(exec)->content.nodes) {
    if (node.alive && node.type == CU_GRAPH_NODE_TYPE_KERNEL) {
      RunBody(node.kernel);
    }
  }
  return Done("GraphLaunch ", ExecName(*From<ScriptedExec>(exec)), " ",
              TextOf(stream));
}

// A graph's shape with its nodes counted from 0, whatever has died before.
struct Shape {
  std::vector<CUgraphNodeType> types;
  std::vector<ScriptedEdge> edges;
};

Shape ShapeOf(const ScriptedGraph& graph) {
  Shape shape;
  std::vector<std::uint32_t> place(graph.nodes.size());
  for (const ScriptedNode& node : graph.nodes) {
    if (!node.alive) continue;
    place[node.index] = static_cast<std::uint32_t>(shape.types.size());
    shape.types.push_back(node.type);
  }
  for (ScriptedEdge edge : graph.edges) {
    edge.from = place[edge.from];
    edge.to = place[edge.to];
    shape.edges.push_back(edge);
  }
  std::sort(shape.edges.begin(), shape.edges.end(),
            [](const ScriptedEdge& a, const ScriptedEdge& b) {
              return a.from != b.from ? a.from < b.from : a.to < b.to;
            });
  return shape;
}

CUgraphExecUpdateResult Compare(const Shape& a, const Shape& b) {
  const bool same_edges = std::equal(
      a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(),
      [](const ScriptedEdge& x, const ScriptedEdge& y) {
        return x.from == y.from && x.to == y.to && SameData(x.data, y.data);
      });
  if (a.types.size() != b.types.size() || !same_edges) {
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  }
  return a.types == b.types ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                            : CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
}

// Nodes are paired by order; they keep their indices, by which the handles of
// the graph that the executable was made from name them.
void UpdateContent(const ScriptedGraph& from, ScriptedGraph& to) {
  auto source = from.nodes.begin();
  for (ScriptedNode& node : to.nodes) {
    if (!node.alive) continue;
    while (!source->alive) ++source;
    node.kernel = source->kernel;
    node.copy = source->copy;
    node.fill = source->fill;
    ++source;
  }
}

CUresult GraphExecUpdate(CUgraphExec exec, CUgraph graph,
                         CUgraphExecUpdateResultInfo* info) {
  ENTER();
  REQUIRE(IsAlive(exec) && IsAlive(graph));
  ScriptedExec& updated = *From<ScriptedExec>(exec);
  const ScriptedGraph& source = *From<ScriptedGraph>(graph);
  *info = {};
  if (HoldsDeviceUpdatable(updated.content) || HoldsDeviceUpdatable(source)) {
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  info->result = Compare(ShapeOf(updated.content), ShapeOf(source));
  if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  UpdateContent(source, updated.content);
  return Done("GraphExecUpdate ", ExecName(updated), " ", GraphName(source));
}

CUresult GraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_KERNEL_NODE_PARAMS* params) {
  ENTER();
  REQUIRE(IsAlive(exec) && IsKernel(node));
  ScriptedExec& changed = *From<ScriptedExec>(exec);
  const ScriptedNode& named = *From<ScriptedNode>(node);
  REQUIRE(named.graph == changed.source &&
          named.index < changed.content.nodes.size());
  ScriptedNode& inside = changed.content.nodes[named.index];
  auto kernel = Replaced(inside.kernel, *params);
  REQUIRE(kernel.has_value());
  inside.kernel = *std::move(kernel);
  return Done("GraphExecKernelNodeSetParams ", ExecName(changed), " ",
              TextOf(named), " ", TextOf(inside.kernel));
}

CUresult GraphExecDestroy(CUgraphExec exec) {
  const CUresult failed = Here().Enter(__func__);
  REQUIRE(IsAlive(exec));
  ScriptedExec& gone = *From<ScriptedExec>(exec);
  gone.alive = false;
  if (failed != CUDA_SUCCESS) return failed;
  return Done("GraphExecDestroy ", ExecName(gone));
}

#undef ENTER
#undef REQUIRE

}  // namespace

ScriptedDriver::State::State() {
#define REPRISE_SET(call, suffix, version) table.call = &call;
  REPRISE_DRIVER_CALLS(REPRISE_SET)
#undef REPRISE_SET
}

}  // namespace reprise::testing
