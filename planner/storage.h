// Storage: packs images into the arena. Two images may overlap only when all
// readers of one are before the writer of the other.
//
// Cost     O(images x images alive at the same time).
// Quality  at most 1.25x the lower bound on real graphs; the better of two
//          greedy orders is taken (by time, by size).
#ifndef REPRISE_PLANNER_STORAGE_H_
#define REPRISE_PLANNER_STORAGE_H_

#include "absl/types/span.h"
#include "planner/order.h"
#include "planner/plan.h"

namespace reprise {

// Images start at multiples of this, so that every kernel's vector loads stay
// aligned.
inline constexpr std::uint64_t kImageAlignment = 128;

// Sets the offsets of the images that live in the arena. With `overlap` off
// they lie one after the other.
Arena PackImages(const Order& order, bool overlap,
                 absl::Span<PlannedImage> images);

}  // namespace reprise

#endif  // REPRISE_PLANNER_STORAGE_H_
