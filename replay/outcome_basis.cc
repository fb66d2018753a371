#include "replay/outcome_basis.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "replay/probe_layout.h"

namespace reprise {
namespace {

std::uint16_t PlaceOf(const Access& access) {
  return static_cast<std::uint16_t>(access.view.address % kProbeAlignment);
}

}  // namespace

OutcomeBasis::OutcomeBasis(const ImportedGraph& captured,
                           const std::optional<std::vector<View>>& outputs,
                           std::shared_ptr<const EmissionProbe> probe)
    : plan_(captured.graph, outputs),
      tried_of_(captured.graph.num_nodes(), kNone),
      probe_(std::move(probe)),
      forgotten_(probe_->forgotten()) {
  for (std::uint32_t n = 0; n < captured.graph.num_nodes(); ++n) {
    const NodeId id{n};
    const Node& node = captured.graph.node(id);
    if (node.emitting == Node::kNoIndex && !IsQuantizer(node.op)) continue;
    tried_of_[n] = static_cast<std::uint32_t>(tried_.size());
    Tried& tried = tried_.emplace_back();
    tried.code = captured.code[n];
    for (const Access& access : captured.graph.accesses(id)) {
      tried.places.push_back(PlaceOf(access));
    }
  }
}

bool OutcomeBasis::Follow(absl::Span<const NodeId> changed,
                          ImportedGraph& captured) {
  return probe_->forgotten() == forgotten_ &&
         absl::c_all_of(
             changed, [&](NodeId id) { return TriedTheSame(id, captured); }) &&
         plan_.Follow(changed, captured.graph);
}

bool OutcomeBasis::TriedTheSame(NodeId id,
                                const ImportedGraph& captured) const {
  if (tried_of_[id.value] == kNone) return true;
  const Tried& tried = tried_[tried_of_[id.value]];
  return captured.code[id.value] == tried.code &&
         absl::c_equal(captured.graph.accesses(id), tried.places,
                       [](const Access& access, std::uint16_t place) {
                         return PlaceOf(access) == place;
                       });
}

}  // namespace reprise
