#include "planner/placement.h"

#include <algorithm>

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
  image.ready =
      epochs.LatestWriters(views.Find(activation.source), image.writer);
}

}  // namespace reprise
