#include "planner/storage.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "planner/live_images.h"

namespace reprise {
namespace {

std::uint64_t Aligned(std::uint64_t bytes) {
  return (bytes + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
}

struct Packing {
  std::vector<std::uint64_t> offsets;  // by image
  std::uint64_t bytes = 0;
};

// Puts each image, in the given order, at the lowest offset that is free of
// the images it conflicts with.
class FirstFit {
 public:
  FirstFit(const LiveImages& live, absl::Span<PlannedImage* const> images)
      : live_(live), images_(images), placed_(images.size(), false) {
    packing_.offsets.assign(images.size(), 0);
  }

  Packing Run(absl::Span<const std::size_t> order) {
    for (std::size_t image : order) {
      if (!live_.solitary(image)) Put(image, LowestFree(image));
    }
    for (std::size_t image : order) {
      if (live_.solitary(image)) Put(image, packing_.bytes);
    }
    return std::move(packing_);
  }

 private:
  std::uint64_t LowestFree(std::size_t image) {
    taken_.clear();
    for (std::size_t other : live_.Conflicts(image)) {
      if (!placed_[other]) continue;
      taken_.emplace_back(packing_.offsets[other], End(other));
    }
    std::sort(taken_.begin(), taken_.end());
    std::uint64_t at = 0;
    for (const auto& [first, last] : taken_) {
      if (at + images_[image]->bytes <= first) break;
      at = std::max(at, last);
    }
    return at;
  }

  void Put(std::size_t image, std::uint64_t at) {
    packing_.offsets[image] = at;
    placed_[image] = true;
    packing_.bytes = std::max(packing_.bytes, End(image));
  }

  std::uint64_t End(std::size_t image) const {
    return packing_.offsets[image] + Aligned(images_[image]->bytes);
  }

  const LiveImages& live_;
  const absl::Span<PlannedImage* const> images_;
  std::vector<bool> placed_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken_;
  Packing packing_;
};

Packing PackByTime(const LiveImages& live,
                   absl::Span<PlannedImage* const> images) {
  return FirstFit(live, images).Run(live.by_time());
}

Packing PackBySize(const LiveImages& live,
                   absl::Span<PlannedImage* const> images) {
  std::vector<std::size_t> by_size(live.by_time().begin(),
                                   live.by_time().end());
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) {
                     return images[a]->bytes > images[b]->bytes;
                   });
  return FirstFit(live, images).Run(by_size);
}

Packing PackApart(absl::Span<PlannedImage* const> images) {
  Packing packing;
  for (const PlannedImage* image : images) {
    packing.offsets.push_back(packing.bytes);
    packing.bytes += Aligned(image->bytes);
  }
  return packing;
}

Packing Pack(const LiveImages& live, bool overlap,
             absl::Span<PlannedImage* const> images) {
  if (!overlap) return PackApart(images);
  Packing by_time = PackByTime(live, images);
  if (by_time.bytes <= live.peak_bytes()) return by_time;
  Packing by_size = PackBySize(live, images);
  return by_size.bytes < by_time.bytes ? by_size : by_time;
}

}  // namespace

Arena PackImages(const Order& order, bool overlap,
                 absl::Span<PlannedImage> images) {
  std::vector<PlannedImage*> in_arena;
  for (PlannedImage& image : images) {
    if (image.in_arena) in_arena.push_back(&image);
  }
  const LiveImages live(order, in_arena);
  const Packing packing = Pack(live, overlap, in_arena);

  Arena arena;
  arena.bytes = packing.bytes;
  arena.lower_bound = live.peak_bytes();
  for (std::size_t i = 0; i < in_arena.size(); ++i) {
    in_arena[i]->offset = packing.offsets[i];
    arena.sum_of_images += in_arena[i]->bytes;
  }
  return arena;
}

}  // namespace reprise
