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
    node.effects_complete = ListAccesses(id);
    if (!node.effects_complete) accesses_.clear();
    graph_.SetAccesses(id, accesses_);
  }

 private:
  // False where they cannot be known.
  bool ListAccesses(NodeId id) {
    accesses_.clear();
    switch (graph_.node(id).kind) {
      case NodeKind::kKernel:
        return ListAccessesOfKernel(id);
      case NodeKind::kCopy:
        return Take(AccessesOf(graph_.copy(id)));
      case NodeKind::kFill:
        return Take(AccessesOf(graph_.fill(id)));
      case NodeKind::kEmpty:
        return true;
      default:
        return false;
    }
  }

  bool Take(std::optional<std::vector<Access>> accesses) {
    if (accesses) accesses_ = *std::move(accesses);
    return accesses.has_value();
  }

  bool ListAccessesOfKernel(NodeId id) {
    Node& node = graph_.mutable_node(id);
    if (node.launch == Node::kNoIndex) return false;
    const KernelLaunch& launch = graph_.launch(id);
    MeaningTable* known = Find(launch);
    if (known == nullptr) return false;
    node.pure = known->signature().pure;
    node.waits = known->signature().waits;
    const Meaning* meaning = known->Find(launch);
    if (meaning == nullptr ||
        !PlaceEffects(*meaning, launch, allocations_, &accesses_)) {
      return false;
    }
    node.op = meaning->op;
    if (!meaning->emitting.empty()) {
      node.emitting = graph_.AddEmittingKernels(meaning->emitting);
    }
    return true;
  }

  MeaningTable* Find(const KernelLaunch& launch) {
    for (MeaningTable& known : annotator_.BindingsOf(launch.symbol)) {
      if (known.signature().layout.Fits(launch)) return &known;
    }
    return nullptr;
  }

  Annotator& annotator_;
  Graph& graph_;
  AllocationIndex allocations_;
  std::vector<Access> accesses_;  // of the node at hand
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

std::vector<MeaningTable>& Annotator::BindingsOf(absl::string_view symbol) {
  const auto [entry, is_new] = bindings_.try_emplace(symbol);
  if (is_new) {
    std::vector<BoundSignature> bound;
    for (const Pack& pack : packs_) pack.Bind(symbol, &bound);
    for (BoundSignature& signature : bound) {
      entry->second.emplace_back(std::move(signature));
    }
  }
  return entry->second;
}

}  // namespace reprise
