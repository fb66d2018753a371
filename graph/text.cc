#include "graph/text.h"

#include <vector>

#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

std::string What(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  // A node of no kind that has a name is read back as a kernel, which "other"
  // would say touches nothing.
  if (node.kind == NodeKind::kOther) return "opaque";
  if (node.kind != NodeKind::kKernel) return std::string(NameOf(node.kind));
  return node.effects_complete ? ToText(node.op) : "opaque";
}

void AppendAccesses(const Graph& graph, NodeId id, AccessMode mode,
                    std::string& out) {
  for (const Access& access : graph.accesses(id)) {
    if (access.mode != mode) continue;
    absl::StrAppend(&out, " ");
    if (access.role != Role::kNone) {
      absl::StrAppend(&out, NameOf(access.role), ":");
    }
    absl::StrAppend(&out, ToText(access.view), access.exact ? "" : "?");
  }
}

std::string ToText(const EmittingKernel& kernel) {
  std::string out = kernel.symbol;
  if (kernel.layout != ImageLayout::kQ8_1) {
    absl::StrAppend(&out, "/", InfoOf(kernel.layout).name);
  }
  if (kernel.takes_no_floats) absl::StrAppend(&out, "/drops");
  return out;
}

}  // namespace

std::string ToText(const Graph& graph) {
  std::vector<std::string> after(graph.num_nodes());
  for (const Edge& edge : graph.edges()) {
    absl::StrAppend(&after[edge.to.value],
                    edge.type == EdgeType::kProgrammatic ? " ~" : " ",
                    edge.from.value);
  }
  std::string out;
  for (const Allocation& a : graph.allocations()) {
    absl::StrAppend(&out, "alloc 0x", absl::Hex(a.address), " ", a.bytes, "\n");
  }
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    const Node& node = graph.node(NodeId{n});
    absl::StrAppend(&out, n, ": ", What(graph, NodeId{n}), " |");
    AppendAccesses(graph, NodeId{n}, AccessMode::kRead, out);
    absl::StrAppend(&out, " ->");
    AppendAccesses(graph, NodeId{n}, AccessMode::kWrite, out);
    absl::StrAppend(&out, " |");
    if (node.stream.valid()) absl::StrAppend(&out, " @", node.stream.value);
    if (node.pure) absl::StrAppend(&out, " pure");
    if (node.waits) absl::StrAppend(&out, " waits");
    for (const EmittingKernel& kernel : graph.emitting_kernels(NodeId{n})) {
      absl::StrAppend(&out,
                      kernel.refuted ? " refuted=" : " emits=", ToText(kernel));
    }
    if (!after[n].empty()) absl::StrAppend(&out, " after", after[n]);
    absl::StrAppend(&out, "\n");
  }
  return out;
}

}  // namespace reprise
