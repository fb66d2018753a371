#include "planner/sharing.h"

#include <algorithm>
#include <cstddef>

namespace reprise {
namespace {

const View& ImageView(const Graph& graph, NodeId quantizer) {
  return graph.FindAccess(quantizer, Role::kImage, AccessMode::kWrite)->view;
}

// The run whose image `quantizer` would only write again, or null.
SamePlace* FindRun(std::vector<SamePlace>& runs, const Graph& graph,
                   NodeId quantizer, const ViewIndex& views,
                   const Epochs& epochs) {
  const View& image = ImageView(graph, quantizer);
  const Contents there = epochs.At(views.Find(image), quantizer);
  if (there.unordered.valid() || !there.writer.valid()) return nullptr;
  for (SamePlace& run : runs) {
    const auto& members = run.quantizers;
    if (ImageView(graph, members.front()) == image &&
        std::find(members.begin(), members.end(), there.writer) !=
            members.end()) {
      return &run;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<SamePlace> SplitByPlace(const Graph& graph,
                                    const Activation& activation,
                                    const ViewIndex& views,
                                    const Epochs& epochs,
                                    const ImageUses& uses) {
  std::vector<SamePlace> runs;
  for (NodeId quantizer : activation.quantizers) {
    const bool movable = !uses.Of(quantizer).obstacle.has_value();
    if (SamePlace* run = FindRun(runs, graph, quantizer, views, epochs)) {
      run->quantizers.push_back(quantizer);
      run->movable &= movable;
    } else {
      runs.push_back({{quantizer}, movable});
    }
  }
  return runs;
}

}  // namespace reprise
