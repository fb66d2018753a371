#include "capture/annotate.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "capture/annotate_transfer.h"
#include "capture/signature_view.h"

namespace reprise {
class Annotator::Visitor {
 public:
  Visitor(Annotator& annotator, Graph& graph)
      : annotator_(annotator),
        graph_(graph),
        allocations_(graph.allocations()) {}

  void Visit(NodeId id) {
    Node& node = graph_.mutable_node(id);
    node.op = OtherOp{};
    node.pure = false;
    node.waits = false;
    node.emitting = Node::kNoIndex;
    auto accesses = AccessesOfNode(id);
    node.effects_complete = accesses.has_value();
    graph_.SetAccesses(id, accesses.value_or(std::vector<Access>{}));
  }

 private:
  std::optional<std::vector<Access>> AccessesOfNode(NodeId id) {
    switch (graph_.node(id).kind) {
      case NodeKind::kKernel:
        return AccessesOfKernel(id);
      case NodeKind::kCopy:
        return AccessesOf(graph_.copy(id));
      case NodeKind::kFill:
        return AccessesOf(graph_.fill(id));
      case NodeKind::kEmpty:
        return std::vector<Access>{};
      default:
        return std::nullopt;
    }
  }

  std::optional<std::vector<Access>> AccessesOfKernel(NodeId id) {
    Node& node = graph_.mutable_node(id);
    if (node.launch == Node::kNoIndex) return std::nullopt;
    const KernelLaunch& launch = graph_.launch(id);
    const BoundSignature* bound = Find(launch);
    if (bound == nullptr) return std::nullopt;
    node.pure = bound->signature().pure;
    node.waits = bound->signature().waits;
    std::optional<Meaning> meaning = bound->Interpret(launch, allocations_);
    if (!meaning) return std::nullopt;
    node.op = meaning->op;
    if (!meaning->emitting.empty()) {
      node.emitting = graph_.AddEmittingKernels(std::move(meaning->emitting));
    }
    return std::move(meaning->accesses);
  }

  const BoundSignature* Find(const KernelLaunch& launch) {
    for (const BoundSignature& bound : annotator_.BindingsOf(launch.symbol)) {
      if (bound.signature().layout.Fits(launch)) return &bound;
    }
    return nullptr;
  }

  Annotator& annotator_;
  Graph& graph_;
  AllocationIndex allocations_;
};

Annotation Annotate(absl::Span<const Pack> packs, Graph& graph) {
  return Annotator(packs).Annotate(graph);
}

Annotation Annotator::Annotate(Graph& graph) {
  Visitor visitor(*this, graph);
  Annotation annotation;
  for (std::uint32_t i = 0; i < graph.num_nodes(); ++i) {
    const NodeId id{i};
    visitor.Visit(id);
    const Node& node = graph.node(id);
    const bool kernel = node.kind == NodeKind::kKernel;
    annotation.recognised += kernel && node.effects_complete;
    annotation.opaque += !node.effects_complete;
  }
  return annotation;
}

void Annotator::Annotate(Graph& graph, absl::Span<const NodeId> nodes) {
  Visitor visitor(*this, graph);
  for (const NodeId id : nodes) visitor.Visit(id);
}

const std::vector<BoundSignature>& Annotator::BindingsOf(
    absl::string_view symbol) {
  const auto [entry, is_new] = bindings_.try_emplace(symbol);
  if (is_new) {
    for (const Pack& pack : packs_) pack.Bind(symbol, &entry->second);
  }
  return entry->second;
}

}  // namespace reprise
