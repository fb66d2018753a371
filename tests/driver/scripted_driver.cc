#include "tests/driver/scripted_driver.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/driver/scripted_state.h"

namespace reprise::testing {
namespace {

ScriptedDriver::State* live_state = nullptr;

constexpr CUdeviceptr kAddressStep = CUdeviceptr{1} << 21;

std::string Extents(const Dim3& extents) {
  return absl::StrCat(extents.x, "x", extents.y, "x", extents.z);
}

// As hex up to 8 bytes, else by its size.
std::string Value(const Parameter& parameter,
                  const std::vector<std::uint8_t>& bytes) {
  if (parameter.size > 8) return absl::StrCat(parameter.size, "bytes");
  if (parameter.offset + parameter.size > bytes.size()) return "?";
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + parameter.offset, parameter.size);
  return absl::StrCat("0x", absl::Hex(value));
}

std::string TypeText(const ScriptedNode& node) {
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return testing::TextOf(node.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return "memcpy";
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return "memset";
    case CU_GRAPH_NODE_TYPE_HOST:
      return "host";
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return "empty";
    default:
      return absl::StrCat("type ", static_cast<int>(node.type));
  }
}

}  // namespace

std::vector<std::uint8_t> Words(const std::vector<std::uint64_t>& words) {
  std::vector<std::uint8_t> bytes(words.size() * 8);
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

const ScriptedFunction& FunctionOf(const ScriptedKernel& kernel) {
  const CUfunction func =
      kernel.func != nullptr ? kernel.func : *From<CUfunction>(kernel.kern);
  return *From<ScriptedFunction>(func);
}

std::string TextOf(const ScriptedKernel& kernel) {
  const ScriptedFunction& function = FunctionOf(kernel);
  std::string text = absl::StrCat(function.name, "(");
  for (const Parameter& parameter : function.layout) {
    absl::StrAppend(&text, text.back() == '(' ? "" : " ",
                    Value(parameter, kernel.bytes));
  }
  text += ')';
  if (kernel.grid != Dim3{} || kernel.block != Dim3{}) {
    absl::StrAppend(&text, " ", Extents(kernel.grid), " ",
                    Extents(kernel.block));
  }
  if (kernel.cooperative) text += " cooperative";
  if (kernel.cluster.x != 0) {
    absl::StrAppend(&text, " cluster ", Extents(kernel.cluster));
  }
  return text;
}

std::string TextOf(const ScriptedNode& node) {
  return absl::StrCat("g", node.graph->number, ":", node.index);
}

std::string TextOf(const ScriptedEdge& edge) {
  const bool programmatic =
      edge.data.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  const int usual = programmatic ? CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC : 0;
  return absl::StrCat(programmatic ? "~" : "", edge.from,
                      edge.data.from_port == usual
                          ? ""
                          : absl::StrCat(":", edge.data.from_port),
                      "->", edge.to);
}

std::string TextOf(const ScriptedGraph& graph) {
  std::string text;
  for (const ScriptedNode& node : graph.nodes) {
    if (!node.alive) continue;
    absl::StrAppend(&text, node.index, ": ", TypeText(node));
    absl::string_view word = " after ";
    for (const ScriptedEdge& edge : graph.edges) {
      if (edge.to != node.index) continue;
      const std::string both = TextOf(edge);
      absl::StrAppend(&text, word, both.substr(0, both.find("->")));
      word = " ";
    }
    text += '\n';
  }
  return text;
}

std::string TextOf(CUstream stream) {
  const bool by_default = stream == nullptr || stream == CU_STREAM_LEGACY ||
                          stream == CU_STREAM_PER_THREAD;
  return absl::StrCat("s",
                      by_default ? 0 : From<ScriptedStream>(stream)->number);
}

ScriptedNode& AppendNode(ScriptedGraph& graph, CUgraphNodeType type) {
  ScriptedNode& node = graph.nodes.emplace_back();
  node.graph = &graph;
  node.index = static_cast<std::uint32_t>(graph.nodes.size() - 1);
  node.type = type;
  return node;
}

void CopyContent(const ScriptedGraph& from, ScriptedGraph& to) {
  to.nodes = from.nodes;
  to.edges = from.edges;
  for (ScriptedNode& node : to.nodes) node.graph = &to;
}

CUresult ScriptedDriver::State::Enter(const char* call) {
  ++total;
  ++counts[call];
  CUresult result = CUDA_SUCCESS;
  for (ScriptedFailure& failure : failures) {
    if (!failure.call.empty() && failure.call != call) continue;
    if (--failure.left == 0) result = failure.result;
  }
  if (result != CUDA_SUCCESS) Row(absl::StrCat(call, " fails"));
  return result;
}

void ScriptedDriver::State::Row(absl::string_view row) {
  absl::StrAppend(&rows, row, "\n");
}

ScriptedStream& ScriptedDriver::State::AddStream() {
  ScriptedStream& stream = streams.emplace_back();
  stream.number = static_cast<int>(streams.size());
  return stream;
}

ScriptedGraph& ScriptedDriver::State::AddGraph() {
  ScriptedGraph& graph = graphs.emplace_back();
  graph.number = static_cast<int>(graphs.size() - 1);
  return graph;
}

ScriptedGraph& ScriptedDriver::State::AddCopy(const ScriptedGraph& original) {
  ScriptedGraph& copy = AddGraph();
  copy.original = &original;
  CopyContent(original, copy);
  return copy;
}

std::uint8_t* ScriptedDriver::State::Find(CUdeviceptr address,
                                          std::size_t bytes) {
  auto after = memory.upper_bound(address);
  if (after == memory.begin()) return nullptr;
  auto& [base, stretch] = *--after;
  const std::size_t offset = address - base;
  if (offset > stretch.bytes.size() || bytes > stretch.bytes.size() - offset) {
    return nullptr;
  }
  return stretch.bytes.data() + offset;
}

ScriptedDriver::ScriptedDriver() : state_(std::make_unique<State>()) {
  assert(live_state == nullptr);
  live_state = state_.get();
}

ScriptedDriver::~ScriptedDriver() { live_state = nullptr; }

ScriptedDriver::State& ScriptedDriver::state() { return *live_state; }

const Driver& ScriptedDriver::table() const { return state_->table; }

CUfunction ScriptedDriver::NewFunction(std::string name,
                                       std::vector<Parameter> layout) {
  state_->functions.push_back(
      {.name = std::move(name), .layout = std::move(layout)});
  return reinterpret_cast<CUfunction>(&state_->functions.back());
}

void ScriptedDriver::SetBody(CUfunction function, ScriptedBody body) {
  From<ScriptedFunction>(function)->body = std::move(body);
}

CUkernel ScriptedDriver::NewKernel(CUfunction function) {
  return reinterpret_cast<CUkernel>(&state_->kernels.emplace_back(function));
}

CUstream ScriptedDriver::NewStream() {
  ScriptedStream& stream = state_->AddStream();
  stream.given = true;
  return reinterpret_cast<CUstream>(&stream);
}

CUgraph ScriptedDriver::NewGraph() {
  ScriptedGraph& graph = state_->AddGraph();
  graph.given = true;
  return ToHandle(graph);
}

CUgraphNode ScriptedDriver::AddNode(CUgraph graph, CUgraphNodeType type) {
  return ToHandle(AppendNode(*From<ScriptedGraph>(graph), type));
}

CUgraphNode ScriptedDriver::AddKernel(CUgraph graph, ScriptedKernel kernel) {
  const CUgraphNode node = AddNode(graph, CU_GRAPH_NODE_TYPE_KERNEL);
  From<ScriptedNode>(node)->kernel = std::move(kernel);
  return node;
}

CUgraphNode ScriptedDriver::AddMemcpy(CUgraph graph,
                                      const CUDA_MEMCPY3D& copy) {
  const CUgraphNode node = AddNode(graph, CU_GRAPH_NODE_TYPE_MEMCPY);
  From<ScriptedNode>(node)->copy = copy;
  return node;
}

CUgraphNode ScriptedDriver::AddMemset(CUgraph graph,
                                      const CUDA_MEMSET_NODE_PARAMS& fill) {
  const CUgraphNode node = AddNode(graph, CU_GRAPH_NODE_TYPE_MEMSET);
  From<ScriptedNode>(node)->fill = fill;
  return node;
}

void ScriptedDriver::AddEdge(CUgraphNode from, CUgraphNode to,
                             CUgraphEdgeData data) {
  const ScriptedNode* source = From<ScriptedNode>(from);
  source->graph->edges.push_back(
      {source->index, From<ScriptedNode>(to)->index, data});
}

void ScriptedDriver::AddAllocation(CUdeviceptr address, std::size_t bytes) {
  state_->memory[address] = {std::vector<std::uint8_t>(bytes), true};
  state_->next_address =
      std::max(state_->next_address,
               (address + bytes + kAddressStep) & ~(kAddressStep - 1));
}

std::uint8_t* ScriptedDriver::Memory(CUdeviceptr address, std::size_t bytes) {
  return state_->Find(address, bytes);
}

CUgraph ScriptedDriver::CapturedBy(CUstream stream) const {
  ScriptedGraph* graph = From<ScriptedStream>(stream)->captured;
  return graph == nullptr ? nullptr : ToHandle(*graph);
}

void ScriptedDriver::BreakCapture(CUstream stream, CUresult result) {
  From<ScriptedStream>(stream)->broken = result;
}

void ScriptedDriver::SetBusy(bool busy) { state_->busy = busy; }

void ScriptedDriver::FailCall(int n, CUresult result) {
  FailCall("", n, result);
}

void ScriptedDriver::FailCall(absl::string_view call, int n, CUresult result) {
  state_->failures.push_back({std::string(call), n, result});
}

int ScriptedDriver::calls() const { return state_->total; }

int ScriptedDriver::calls(absl::string_view call) const {
  const auto found = state_->counts.find(call);
  return found == state_->counts.end() ? 0 : found->second;
}

std::string ScriptedDriver::rows() const { return state_->rows; }
void ScriptedDriver::ClearRows() { state_->rows.clear(); }

std::string ScriptedDriver::TextOf(CUgraph graph) const {
  return testing::TextOf(*From<ScriptedGraph>(graph));
}

std::string ScriptedDriver::TextOf(CUgraphExec exec) const {
  return testing::TextOf(From<ScriptedExec>(exec)->content);
}

std::string ScriptedDriver::NameOf(CUgraphNode node) const {
  return testing::TextOf(*From<ScriptedNode>(node));
}

std::vector<std::uint8_t> ScriptedDriver::BytesOf(CUgraphNode node) const {
  return From<ScriptedNode>(node)->kernel.bytes;
}

std::string ScriptedDriver::Leaks() const {
  std::string leaks;
  const auto add = [&leaks](const auto&... parts) {
    absl::StrAppend(&leaks, leaks.empty() ? "" : " ", parts...);
  };
  for (const ScriptedGraph& graph : state_->graphs) {
    if (graph.alive && !graph.given) add("g", graph.number);
  }
  for (const ScriptedExec& exec : state_->execs) {
    if (exec.alive) add("e", exec.number);
  }
  for (const ScriptedEvent& event : state_->events) {
    if (event.alive) add("v", event.number);
  }
  for (const auto& [address, memory] : state_->memory) {
    if (!memory.given) add("0x", absl::Hex(address));
  }
  for (const ScriptedStream& stream : state_->streams) {
    if (stream.alive && !stream.given) add("s", stream.number);
    if (stream.captured != nullptr) add("s", stream.number, " capturing");
  }
  if (state_->mode != CU_STREAM_CAPTURE_MODE_GLOBAL) add("capture mode");
  return leaks;
}

}  // namespace reprise::testing
