#include "planner/view_index.h"

#include <algorithm>
#include <cstddef>

namespace reprise {

ViewIndex::ViewId ViewIndex::Add(const View& view) {
  const auto [at, added] = ids_.try_emplace(view, size());
  if (added) views_.push_back(view);
  return at->second;
}

void ViewIndex::Seal() {
  nodes_.reserve(views_.size());
  for (ViewId id = 0; id < size(); ++id) {
    const View& view = views_[id];
    nodes_.push_back({view.begin(), view.end(), 0, id, view.dense()});
  }
  std::sort(nodes_.begin(), nodes_.end(),
            [](const TreeNode& a, const TreeNode& b) {
              return a.begin != b.begin ? a.begin < b.begin : a.id < b.id;
            });
  SetLatestEnds(0, nodes_.size());
}

std::uint64_t ViewIndex::SetLatestEnds(std::size_t first, std::size_t last) {
  if (first == last) return 0;
  const std::size_t middle = first + (last - first) / 2;
  TreeNode& node = nodes_[middle];
  node.latest_end = std::max({node.end, SetLatestEnds(first, middle),
                              SetLatestEnds(middle + 1, last)});
  return node.latest_end;
}

void ViewIndex::ForEachOverlap(const View& range,
                               absl::FunctionRef<void(ViewId)> found) const {
  if (range.empty()) return;
  Visit(0, nodes_.size(), {range, range.end(), range.dense(), found});
}

void ViewIndex::Visit(std::size_t first, std::size_t last,
                      const Query& query) const {
  while (first != last) {
    const std::size_t middle = first + (last - first) / 2;
    const TreeNode& node = nodes_[middle];
    if (node.latest_end <= query.range.begin()) return;
    if (node.begin >= query.end) {
      last = middle;
      continue;
    }
    Visit(first, middle, query);
    // Ranges without holes that meet share a byte; only others need the views.
    if (node.end > query.range.begin() &&
        ((node.dense && query.dense) ||
         MayOverlap(views_[node.id], query.range))) {
      query.found(node.id);
    }
    first = middle + 1;
  }
}

}  // namespace reprise
