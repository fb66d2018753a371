// Who uses the image that each quantizer writes, and whether it could move to
// the arena: only when all its readers are known and can be patched, and
// nobody else may see the bytes.
#ifndef REPRISE_PLANNER_IMAGE_USES_H_
#define REPRISE_PLANNER_IMAGE_USES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "planner/decline.h"
#include "planner/epochs.h"
#include "planner/plan.h"

namespace reprise {

class ImageUses {
 public:
  // `views` holds the image views of all quantizers and readers. All three
  // must outlive this.
  ImageUses(const Graph& graph, const ViewIndex& views, const Epochs& epochs);

  // REQUIRES of both: a quantizer with an image access.

  // Nodes that read this image, in its layout and nothing else but slack,
  // through their image pointer; in schedule order.
  const std::vector<ImageReader>& Readers(NodeId quantizer) const {
    return readers_[index_[quantizer.value]];
  }

  // Why the image must stay where it is; nothing when it may move.
  std::optional<Decline> Obstacle(NodeId quantizer) const;

 private:
  using ViewId = ViewIndex::ViewId;
  static constexpr std::uint32_t kNone = 0xffffffff;

  ViewIndex FindQuantizers();
  void VisitReads(NodeId node);
  bool AssignToWriter(NodeId reader, const Access& access);
  const Access* ImageOf(NodeId quantizer) const;
  bool MayBePatched(NodeId reader, const Access& image) const;

  NodeId ReadsBeforeAnyWrite(const ChainLists& reads, ViewId view) const;

  const Graph& graph_;
  const ViewIndex& views_;
  const Epochs& epochs_;
  const Order& order_;
  std::vector<std::uint32_t>
      index_;  // by node: its place in readers_, or kNone
  std::vector<std::vector<ImageReader>> readers_;
  ViewIndex images_;        // of the images that quantizers write
  ChainTable other_reads_;  // by image: nodes that read some of it otherwise
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_IMAGE_USES_H_
