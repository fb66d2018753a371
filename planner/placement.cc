#include "planner/placement.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"

namespace reprise {

bool MustMove(const Graph& graph, const Order& order,
              const Activation& activation) {
  const NodeId kept = activation.quantizers.front();
  return std::any_of(activation.quantizers.begin(), activation.quantizers.end(),
                     [&](NodeId other) {
                       if (other == kept || order.Before(kept, other))
                         return false;
                       const auto incoming = order.topology().incoming(kept);
                       return std::any_of(incoming.begin(), incoming.end(),
                                          [&](std::uint32_t e) {
                                            return !order.Before(
                                                graph.edges()[e].from, other);
                                          });
                     });
}

void MoveBeforeFork(const Epochs& epochs, const ViewIndex& views,
                    const Activation& activation, PlannedImage& image) {
  image.moved = true;
  image.ready.clear();
  for (const View& input : activation.inputs) {
    for (NodeId w : epochs.LatestWriters(views.Find(input), image.writer)) {
      image.ready.push_back(w);
    }
  }
  absl::c_sort(image.ready);
  image.ready.erase(std::unique(image.ready.begin(), image.ready.end()),
                    image.ready.end());
  // The writers of one input may come long before those of another.
  const std::vector<NodeId> all = image.ready;
  std::erase_if(image.ready, [&](NodeId a) {
    return absl::c_any_of(
        all, [&](NodeId b) { return epochs.order().Before(a, b); });
  });
}

}  // namespace reprise
