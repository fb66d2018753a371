// Finds which of a set of views a byte range meets.
//
// The views are the few that the passes ask about; the ranges are every access
// of the graph. Built once: O(V log V). A query costs O(log V + hits).
#ifndef REPRISE_PLANNER_VIEW_INDEX_H_
#define REPRISE_PLANNER_VIEW_INDEX_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "graph/view.h"

namespace reprise {

class ViewIndex {
 public:
  using ViewId = std::uint32_t;

  // The id of that view; equal views have one.
  ViewId Add(const View& view);

  // REQUIRES: that view was added.
  ViewId Find(const View& view) const { return ids_.find(view)->second; }

  // No Add afterwards.
  void Seal();

  std::uint32_t size() const {
    return static_cast<std::uint32_t>(views_.size());
  }
  const View& view(ViewId id) const { return views_[id]; }

  // Calls `found` for every view that may share a byte with `range`.
  // REQUIRES: sealed.
  void ForEachOverlap(const View& range,
                      absl::FunctionRef<void(ViewId)> found) const;

 private:
  // A view in the tree: the middle of a range of nodes_, between the views of
  // its two halves, which start no later and no earlier.
  struct TreeNode {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t latest_end = 0;  // of the whole range
    ViewId id = 0;
    bool dense = false;
  };

  std::uint64_t SetLatestEnds(std::size_t first, std::size_t last);
  struct Query {
    const View& range;
    std::uint64_t end;
    bool dense;
    absl::FunctionRef<void(ViewId)> found;
  };
  void Visit(std::size_t first, std::size_t last, const Query& query) const;

  std::vector<View> views_;
  absl::flat_hash_map<View, ViewId> ids_;
  std::vector<TreeNode> nodes_;  // sorted by begin
};

}  // namespace reprise

#endif  // REPRISE_PLANNER_VIEW_INDEX_H_
