#include "replay/written_ranges.h"

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace reprise {
namespace {

bool OnlyTouchesMemory(NodeKind kind) {
  return kind == NodeKind::kKernel || kind == NodeKind::kCopy ||
         kind == NodeKind::kFill || kind == NodeKind::kEmpty;
}

absl::Status CheckRepeatable(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!OnlyTouchesMemory(node.kind)) {
    return absl::UnimplementedError(
        absl::StrCat(Named(graph, id),
                     " does more than to touch memory: no run of it can "
                     "be taken back"));
  }
  if (!node.effects_complete) {
    return absl::UnimplementedError(absl::StrCat(
        Named(graph, id), " may write anywhere: its effects are not known"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Allocation>> WrittenRanges(const Graph& graph) {
  std::vector<Allocation> written;
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    if (absl::Status status = CheckRepeatable(graph, NodeId{n}); !status.ok()) {
      return status;
    }
    for (const Access& access : graph.accesses(NodeId{n})) {
      const View& view = access.view;
      if (access.reads() || view.empty()) continue;
      written.push_back({view.begin(), view.end() - view.begin()});
    }
  }
  absl::c_sort(written, [](const Allocation& a, const Allocation& b) {
    return a.address < b.address;
  });
  std::vector<Allocation> joined;
  for (const Allocation& range : written) {
    if (!joined.empty() && range.address <= joined.back().end()) {
      Allocation& last = joined.back();
      last.bytes = std::max(last.end(), range.end()) - last.address;
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

}  // namespace reprise
