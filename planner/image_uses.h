// Who uses the image that each quantizer writes, and whether it could move to
// the arena: only when all its readers are known and can be patched, and
// nobody else may see the bytes.
#ifndef REPRISE_PLANNER_IMAGE_USES_H_
#define REPRISE_PLANNER_IMAGE_USES_H_

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/graph.h"
#include "planner/decline.h"
#include "planner/epochs.h"
#include "planner/plan.h"

namespace reprise {

struct ImageUse {
  // Nodes that read this image and nothing else through their image pointer,
  // in capture order.
  std::vector<ImageReader> readers;
  // Why the image must stay where it is; nothing when it may move.
  std::optional<Decline> obstacle;
};

class ImageUses {
 public:
  // `views` holds the image views of all quantizers and readers.
  ImageUses(const Graph& graph, const ViewIndex& views, const Epochs& epochs);

  // REQUIRES: a quantizer with an image access.
  const ImageUse& Of(NodeId quantizer) const {
    return uses_.find(quantizer)->second;
  }

 private:
  class Builder;
  absl::flat_hash_map<NodeId, ImageUse> uses_;
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_IMAGE_USES_H_
