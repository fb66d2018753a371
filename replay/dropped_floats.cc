#include "replay/dropped_floats.h"

#include "absl/algorithm/container.h"
#include "graph/view.h"

namespace reprise {
namespace {

// Whether a node up to the producer reads bytes of the view that no node before
// it is certain to have written.
bool ReadsTheStart(const Graph& graph, absl::Span<const NodeId> order,
                   NodeId producer, const View& view) {
  std::vector<View> written;
  for (const NodeId node : order) {
    for (const Access& access : graph.accesses(node)) {
      if (!access.reads() || !MayOverlap(access.view, view)) continue;
      const bool known = absl::c_any_of(
          written, [&](const View& w) { return Contains(w, access.view); });
      if (!known) return true;
    }
    if (node == producer) break;
    for (const Access& access : graph.accesses(node)) {
      if (!access.reads() && access.exact && MayOverlap(access.view, view)) {
        written.push_back(access.view);
      }
    }
  }
  return false;
}

}  // namespace

std::vector<Allocation> DroppedFloats(const Graph& graph,
                                      absl::Span<const NodeId> order,
                                      absl::Span<const NodeId> dropped) {
  std::vector<Allocation> stretches;
  for (const NodeId producer : dropped) {
    const Access* output =
        graph.FindAccess(producer, Role::kOutput, AccessMode::kWrite);
    if (output == nullptr) continue;
    const View& floats = output->view;  // dense, or nobody would emit
    if (ReadsTheStart(graph, order, producer, floats)) continue;
    stretches.push_back({floats.begin(), floats.end() - floats.begin()});
  }
  return stretches;
}

}  // namespace reprise
