#include "planner/image_readers.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "planner/epochs.h"
#include "planner/image_uses.h"
#include "planner/order.h"
#include "planner/pure_kernels.h"
#include "planner/view_index.h"

namespace reprise {
namespace {

void AddNodes(absl::Span<const ImageReader> readers,
              std::vector<NodeId>& nodes) {
  for (const ImageReader& reader : readers) nodes.push_back(reader.node);
}

}  // namespace

std::vector<std::vector<NodeId>> ReadersOfImages(const Graph& graph,
                                                 const Plan& plan) {
  std::vector<std::vector<NodeId>> readers(plan.images.size());
  for (std::size_t i = 0; i < readers.size(); ++i) {
    AddNodes(plan.images[i].readers, readers[i]);
  }
  const auto in_place = [](const PlannedImage& i) { return !i.in_arena; };
  if (absl::c_none_of(plan.images, in_place)) return readers;

  // Never an error: the plan could not have been made.
  const absl::StatusOr<Order> order = Order::Of(graph);
  const ViewIndex views =
      IndexViews(graph, PureKernels(graph, /*others=*/false));
  const Epochs epochs(graph, *order, views);
  const ImageUses uses(graph, views, epochs);
  absl::flat_hash_set<NodeId> gone;
  for (const RemovedNode& removed : RemovedNodes(plan)) {
    gone.insert(removed.node);
  }
  for (std::size_t i = 0; i < readers.size(); ++i) {
    const PlannedImage& image = plan.images[i];
    if (image.in_arena) continue;
    AddNodes(uses.Readers(image.writer), readers[i]);
    for (NodeId quantizer : image.removed) {
      AddNodes(uses.Readers(quantizer), readers[i]);
    }
    std::erase_if(readers[i], [&](NodeId n) { return gone.contains(n); });
    absl::c_sort(readers[i]);
  }
  return readers;
}

}  // namespace reprise
