#include "tests/replay/scripted_program.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace reprise::testing {
namespace {

constexpr std::uint32_t kPointer = sizeof(std::uint64_t);

std::vector<Parameter> Pointers(std::size_t count) {
  std::vector<Parameter> layout;
  for (std::uint32_t i = 0; i < count; ++i) {
    layout.push_back({i * kPointer, kPointer});
  }
  return layout;
}

std::string SymbolOf(const Op& op) {
  const std::string text = ToText(op);
  return text.substr(0, text.find(' '));
}

CUgraphNodeType TypeOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kCopy:
      return CU_GRAPH_NODE_TYPE_MEMCPY;
    case NodeKind::kFill:
      return CU_GRAPH_NODE_TYPE_MEMSET;
    case NodeKind::kHostCall:
      return CU_GRAPH_NODE_TYPE_HOST;
    case NodeKind::kMemAlloc:
      return CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    case NodeKind::kMemFree:
      return CU_GRAPH_NODE_TYPE_MEM_FREE;
    case NodeKind::kConditional:
      return CU_GRAPH_NODE_TYPE_CONDITIONAL;
    default:
      return CU_GRAPH_NODE_TYPE_EMPTY;
  }
}

CUgraphEdgeData DataOf(const Edge& edge) {
  CUgraphEdgeData data = {};
  data.from_port = edge.from_port;
  data.to_port = edge.to_port;
  data.type = static_cast<unsigned char>(edge.type);
  return data;
}

std::string TextOf(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.kind == NodeKind::kCopy) return "memcpy";
  if (node.kind == NodeKind::kFill) return "memset";
  if (node.kind != NodeKind::kKernel) return std::string(NameOf(node.kind));
  const KernelLaunch& launch = graph.launch(id);
  std::string text = absl::StrCat(launch.symbol, "(");
  for (const Parameter& parameter : launch.parameters) {
    std::uint64_t value = 0;
    std::memcpy(&value, launch.bytes.data() + parameter.offset, kPointer);
    absl::StrAppend(&text, text.back() == '(' ? "" : " ", "0x",
                    absl::Hex(value));
  }
  return text + ")";
}

}  // namespace

ScriptedProgram::ScriptedProgram(ScriptedDriver& driver, const Graph& graph)
    : driver_(driver), graph_(driver.NewGraph()) {
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const NodeKind kind = graph.node(NodeId{n}).kind;
    if (kind == NodeKind::kKernel) {
      AddKernel(graph, NodeId{n});
      continue;
    }
    imported_.graph.CopyNode(graph, NodeId{n});
    imported_.handles.push_back(driver_.AddNode(graph_, TypeOf(kind)));
    imported_.code.emplace_back();
  }
  for (const Edge& edge : graph.edges()) {
    imported_.graph.AddEdge(edge);
    driver_.AddEdge(imported_.handles[edge.from.value],
                    imported_.handles[edge.to.value], DataOf(edge));
  }
}

FunctionLookup ScriptedProgram::functions() const {
  return [this](absl::string_view symbol,
                std::uint32_t) -> absl::StatusOr<CUfunction> {
    const auto found = emitting_.find(symbol);
    if (symbol == "missing" || found == emitting_.end()) {
      return absl::NotFoundError(absl::StrCat("no kernel ", symbol));
    }
    return found->second;
  };
}

void ScriptedProgram::AddKernel(const Graph& graph, NodeId id) {
  std::vector<Access> accesses(graph.accesses(id).begin(),
                               graph.accesses(id).end());
  std::vector<std::uint64_t> pointers;
  const auto next = [&] {
    return static_cast<std::uint32_t>(pointers.size()) * kPointer;
  };
  for (Access& access : accesses) {
    access.parameter = next();
    pointers.push_back(access.view.address);
  }
  Node node = graph.node(id);
  if (node.emitting != Node::kNoIndex) {
    EmittingKernel kernel = graph.emitting_kernels(id).front();
    kernel.image_parameter = next();
    pointers.push_back(0);
    emitting_[kernel.symbol] = Function(kernel.symbol, pointers.size());
    node.emitting = imported_.graph.AddEmittingKernel(kernel);
  }
  KernelLaunch launch;
  launch.symbol = SymbolOf(node.op);
  launch.parameters = Pointers(pointers.size());
  launch.bytes = Words(pointers);
  const CUfunction function = Function(launch.symbol, pointers.size());
  imported_.code.push_back({.function = function});
  imported_.handles.push_back(
      driver_.AddKernel(graph_, {.func = function, .bytes = launch.bytes}));
  const NodeId added = imported_.graph.AddKernel(std::move(launch));
  node.launch = imported_.graph.node(added).launch;
  imported_.graph.mutable_node(added) = node;
  imported_.graph.SetAccesses(added, accesses);
}

CUfunction ScriptedProgram::Function(const std::string& symbol,
                                     std::size_t pointers) {
  CUfunction& function = functions_[{symbol, pointers}];
  if (function == nullptr) {
    function = driver_.NewFunction(symbol, Pointers(pointers));
  }
  return function;
}

std::string TextOf(const Rewritten& rewritten) {
  const Graph& graph = rewritten.graph;
  const auto captured = [&](NodeId id) {
    return rewritten.origin[id.value].value;
  };
  std::string text;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    absl::StrAppend(&text, captured(NodeId{n}), ": ", TextOf(graph, NodeId{n}));
    absl::string_view word = " after ";
    for (const Edge& edge : graph.edges()) {
      if (edge.to != NodeId{n}) continue;
      const bool programmatic = edge.type == EdgeType::kProgrammatic;
      absl::StrAppend(&text, word, programmatic ? "~" : "",
                      captured(edge.from));
      if (edge.from_port != (programmatic ? 1 : 0)) {
        absl::StrAppend(&text, ":", edge.from_port);
      }
      word = " ";
    }
    text += '\n';
  }
  return text;
}

}  // namespace reprise::testing
