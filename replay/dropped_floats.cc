#include "replay/dropped_floats.h"

#include "absl/algorithm/container.h"
#include "graph/view.h"

namespace reprise {
namespace {

bool Reads(const Graph& graph, NodeId node, const View& view) {
  return absl::c_any_of(graph.accesses(node), [&](const Access& access) {
    return access.reads() && MayOverlap(access.view, view);
  });
}

bool Touches(const Graph& graph, NodeId node, const View& view) {
  return absl::c_any_of(graph.accesses(node), [&](const Access& access) {
    return MayOverlap(access.view, view);
  });
}

bool ReadsTheStart(const Graph& graph, absl::Span<const NodeId> order,
                   const View& view) {
  const auto first = absl::c_find_if(
      order, [&](NodeId node) { return Touches(graph, node, view); });
  return first != order.end() && Reads(graph, *first, view);
}

}  // namespace

std::vector<Allocation> DroppedFloats(const Graph& graph,
                                      absl::Span<const NodeId> order,
                                      absl::Span<const NodeId> dropped) {
  std::vector<Allocation> stretches;
  for (const NodeId producer : dropped) {
    const Access* output =
        graph.FindAccess(producer, Role::kOutput, AccessMode::kWrite);
    if (output == nullptr || ReadsTheStart(graph, order, output->view)) {
      continue;
    }
    const View& floats = output->view;  // dense, or nobody would emit
    stretches.push_back({floats.begin(), floats.end() - floats.begin()});
  }
  return stretches;
}

}  // namespace reprise
