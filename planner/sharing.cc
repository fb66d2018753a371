#include "planner/sharing.h"

#include <algorithm>

namespace reprise {
namespace {

const View& ImageView(const Graph& graph, NodeId quantizer) {
  return graph.FindAccess(quantizer, Role::kImage, AccessMode::kWrite)->view;
}

// The place to which `quantizer` would only write again what is there, or null.
SamePlace* FindPlace(std::vector<SamePlace>& places, const Graph& graph,
                     NodeId quantizer, const ViewIndex& views,
                     const Epochs& epochs) {
  if (places.empty()) return nullptr;
  const View& image = ImageView(graph, quantizer);
  const Contents there = epochs.At(views.Find(image), quantizer);
  if (there.unordered.valid() || !there.writer.valid()) return nullptr;
  for (SamePlace& place : places) {
    const auto& members = place.quantizers;
    if (ImageView(graph, members.front()) == image &&
        std::find(members.begin(), members.end(), there.writer) !=
            members.end()) {
      return &place;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<SamePlace> SplitByPlace(const Graph& graph,
                                    const Activation& activation,
                                    const ViewIndex& views,
                                    const Epochs& epochs) {
  std::vector<SamePlace> places;
  for (NodeId quantizer : activation.quantizers) {
    SamePlace* place = FindPlace(places, graph, quantizer, views, epochs);
    if (place == nullptr) place = &places.emplace_back();
    place->quantizers.push_back(quantizer);
  }
  return places;
}

}  // namespace reprise
