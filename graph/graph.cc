#include "graph/graph.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace reprise {
NodeId Graph::AddNode(Node node) {
  nodes_.push_back(std::move(node));
  ranges_.push_back({});
  return NodeId{static_cast<std::uint32_t>(nodes_.size() - 1)};
}

NodeId Graph::AddKernel(KernelLaunch launch, StreamId stream) {
  Node node;
  node.kind = NodeKind::kKernel;
  node.stream = stream;
  node.launch = static_cast<std::uint32_t>(launches_.size());
  launches_.push_back(std::move(launch));
  return AddNode(std::move(node));
}

NodeId Graph::AddCopy(const Copy& copy, StreamId stream) {
  Node node;
  node.kind = NodeKind::kCopy;
  node.stream = stream;
  node.transfer = static_cast<std::uint32_t>(copies_.size());
  copies_.push_back(copy);
  return AddNode(std::move(node));
}

NodeId Graph::AddFill(const Fill& fill, StreamId stream) {
  Node node;
  node.kind = NodeKind::kFill;
  node.stream = stream;
  node.transfer = static_cast<std::uint32_t>(fills_.size());
  fills_.push_back(fill);
  return AddNode(std::move(node));
}

NodeId Graph::CopyNode(const Graph& other, NodeId id) {
  Node node = other.node(id);
  if (node.launch != Node::kNoIndex) {
    node.launch = static_cast<std::uint32_t>(launches_.size());
    launches_.push_back(other.launch(id));
  }
  if (node.kind == NodeKind::kCopy && node.transfer != Node::kNoIndex) {
    node.transfer = static_cast<std::uint32_t>(copies_.size());
    copies_.push_back(other.copy(id));
  }
  if (node.kind == NodeKind::kFill && node.transfer != Node::kNoIndex) {
    node.transfer = static_cast<std::uint32_t>(fills_.size());
    fills_.push_back(other.fill(id));
  }
  if (node.emitting != Node::kNoIndex) {
    node.emitting = AddEmittingKernels(other.emitting_kernels(id));
  }
  const NodeId added = AddNode(std::move(node));
  SetAccesses(added, other.accesses(id));
  return added;
}

void Graph::SetAccesses(NodeId id, absl::Span<const Access> accesses) {
  AccessRange& range = ranges_[id.value];
  if (accesses.size() > range.room) {
    range.room = static_cast<std::uint32_t>(accesses.size());
    range.first = static_cast<std::uint32_t>(accesses_.size());
    accesses_.resize(accesses_.size() + accesses.size());
  }
  range.count = static_cast<std::uint32_t>(accesses.size());
  std::copy(accesses.begin(), accesses.end(), accesses_.begin() + range.first);
}

std::uint32_t Graph::AddEmittingKernels(
    absl::Span<const EmittingKernel> kernels) {
  const auto found =
      std::find(emitting_kernels_.begin(), emitting_kernels_.end(), kernels);
  if (found == emitting_kernels_.end()) {
    emitting_kernels_.emplace_back(kernels.begin(), kernels.end());
    return static_cast<std::uint32_t>(emitting_kernels_.size() - 1);
  }
  return static_cast<std::uint32_t>(found - emitting_kernels_.begin());
}

absl::Span<const Access> Graph::accesses(NodeId id) const {
  const AccessRange& range = ranges_[id.value];
  return absl::MakeConstSpan(accesses_).subspan(range.first, range.count);
}

absl::Span<Access> Graph::mutable_accesses(NodeId id) {
  const AccessRange& range = ranges_[id.value];
  return absl::MakeSpan(accesses_).subspan(range.first, range.count);
}

const KernelLaunch& Graph::launch(NodeId id) const {
  return launches_[node(id).launch];
}

KernelLaunch& Graph::mutable_launch(NodeId id) {
  return launches_[node(id).launch];
}

const Copy& Graph::copy(NodeId id) const { return copies_[node(id).transfer]; }

const Fill& Graph::fill(NodeId id) const { return fills_[node(id).transfer]; }

absl::Span<const EmittingKernel> Graph::emitting_kernels(NodeId id) const {
  if (node(id).emitting == Node::kNoIndex) return {};
  return emitting_kernels_[node(id).emitting];
}

const EmittingKernel* Graph::FindEmittingKernel(NodeId id,
                                                ImageLayout layout) const {
  for (const EmittingKernel& kernel : emitting_kernels(id)) {
    if (kernel.layout == layout) return &kernel;
  }
  return nullptr;
}

const Access* Graph::FindAccess(NodeId id, Role role, AccessMode mode) const {
  const Access* found = nullptr;
  for (const Access& access : accesses(id)) {
    if (access.role != role || access.mode != mode) continue;
    if (found != nullptr) return nullptr;
    found = &access;
  }
  return found;
}

// The first plain name of a mangled symbol: "_Z13quantize_q8_1PKf..." and
// "_ZN3cub6kernelE..." start with its length. Other symbols name themselves.
absl::string_view FunctionName(absl::string_view symbol) {
  const std::size_t digits = symbol.find_first_of("0123456789");
  if (symbol.substr(0, 2) != "_Z" || digits > 4) return symbol;
  const std::size_t name = symbol.find_first_not_of("0123456789", digits);
  std::size_t length = 0;
  if (name == absl::string_view::npos ||
      !absl::SimpleAtoi(symbol.substr(digits, name - digits), &length)) {
    return symbol;
  }
  return symbol.substr(name, length);
}

std::string NameOf(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.kind != NodeKind::kKernel) return std::string(NameOf(node.kind));
  if (node.launch == Node::kNoIndex) return ToText(node.op);
  return std::string(FunctionName(graph.launch(id).symbol));
}

std::string Named(const Graph& graph, NodeId id) {
  return absl::StrCat("node ", id.value, " (", NameOf(graph, id), ")");
}

}  // namespace reprise
