#include "planner/view_index.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace reprise {

ViewIndex::ViewId ViewIndex::Add(const View& view) {
  const auto [at, added] = ids_.try_emplace(view, size());
  if (added) views_.push_back(view);
  return at->second;
}

void ViewIndex::Seal() {
  by_begin_.resize(views_.size());
  for (ViewId id = 0; id < size(); ++id) by_begin_[id] = id;
  std::sort(by_begin_.begin(), by_begin_.end(), [this](ViewId a, ViewId b) {
    if (views_[a].begin() != views_[b].begin()) {
      return views_[a].begin() < views_[b].begin();
    }
    return a < b;
  });
  latest_end_.assign(views_.size(), 0);
  const std::function<std::uint64_t(std::size_t, std::size_t)> fill =
      [&](std::size_t first, std::size_t last) -> std::uint64_t {
    if (first == last) return 0;
    const std::size_t middle = first + (last - first) / 2;
    latest_end_[middle] =
        std::max({views_[by_begin_[middle]].end(), fill(first, middle),
                  fill(middle + 1, last)});
    return latest_end_[middle];
  };
  fill(0, views_.size());
}

void ViewIndex::ForEachOverlap(const View& range,
                               absl::FunctionRef<void(ViewId)> found) const {
  Visit(0, by_begin_.size(), range, found);
}

void ViewIndex::Visit(std::size_t first, std::size_t last, const View& range,
                      absl::FunctionRef<void(ViewId)> found) const {
  if (first == last) return;
  const std::size_t middle = first + (last - first) / 2;
  if (latest_end_[middle] <= range.begin()) return;
  Visit(first, middle, range, found);
  const ViewId id = by_begin_[middle];
  if (views_[id].begin() >= range.end()) return;
  if (MayOverlap(views_[id], range)) found(id);
  Visit(middle + 1, last, range, found);
}

}  // namespace reprise
