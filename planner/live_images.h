// Which images are needed at the same time: the conflicts that packing has to
// keep apart.
#ifndef REPRISE_PLANNER_LIVE_IMAGES_H_
#define REPRISE_PLANNER_LIVE_IMAGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "planner/order.h"
#include "planner/plan.h"

namespace reprise {

// Walks the images in the order of their writers and keeps those alive that
// are still needed, or may be.
class LiveImages {
 public:
  // With more images alive than this, further ones are solitary: they conflict
  // with all, which keeps the work linear where nothing is ordered.
  static constexpr std::size_t kMaxAlive = 64;

  LiveImages(const Order& order, absl::Span<PlannedImage* const> images);

  // Images in the order of their writers.
  absl::Span<const std::size_t> by_time() const { return by_time_; }

  // Images that may be needed at the same time as this one.
  const std::vector<std::size_t>& Conflicts(std::size_t image) const {
    return conflicts_[image];
  }
  bool solitary(std::size_t image) const { return solitary_[image]; }

  // The most bytes alive when some image is written.
  std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  std::uint32_t Start(std::size_t image) const;
  void Visit(std::size_t image);
  void Retire(std::uint32_t position);
  // The first node at or after `position` of each chain that goes on.
  const std::vector<NodeId>& ComingNodes(std::uint32_t position);

  const Order& order_;
  const absl::Span<PlannedImage* const> images_;
  std::vector<std::size_t> by_time_;
  std::vector<std::vector<std::size_t>> conflicts_;
  std::vector<bool> solitary_;
  std::uint64_t peak_bytes_ = 0;

  std::vector<std::size_t> alive_;
  std::vector<std::vector<NodeId>> chains_;  // nodes of each, in order
  std::vector<std::size_t> passed_;          // how many of each are behind
  std::vector<NodeId> coming_;
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_LIVE_IMAGES_H_
