#include "planner/summary.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "planner/image_readers.h"
#include "planner/longest_path.h"
#include "planner/rewrite.h"

namespace reprise {
namespace {

SharedCounts CountShared(const Graph& graph, const Plan& plan) {
  const auto readers = ReadersOfImages(graph, plan);
  SharedCounts counts;
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    if (plan.images[i].emitted || plan.images[i].removed.empty()) continue;
    ++counts.groups;
    counts.readers += readers[i].size();
    counts.quantizers_removed += plan.images[i].removed.size();
  }
  return counts;
}

PureCounts CountPure(const Plan& plan) {
  PureCounts counts;
  for (const Repeat& repeat : plan.repeats) {
    counts.removed += repeat.removed.size();
  }
  return counts;
}

EmittedCounts CountEmitted(const Graph& graph, const Plan& plan) {
  EmittedCounts counts;
  for (const PlannedImage& image : plan.images) {
    if (!image.emitted) continue;
    const Op& producer = graph.node(image.writer).op;
    counts.rms_norm += std::holds_alternative<RmsNorm>(producer);
    counts.glu += std::holds_alternative<Glu>(producer);
    counts.quantizers_removed += image.removed.size();
  }
  return counts;
}

DroppedCounts CountDropped(const Rewritten& rewritten) {
  DroppedCounts counts;
  for (const DroppedStore& store : rewritten.dropped) {
    ++counts.stores;
    counts.bytes += static_cast<std::uint64_t>(store.floats.bytes());
  }
  return counts;
}

std::vector<DeclineGroup> GroupByReason(const Plan& plan) {
  std::vector<DeclineGroup> groups;
  for (const Decline& decline : plan.declines) {
    const auto group = absl::c_find_if(groups, [&](const DeclineGroup& g) {
      return g.first.reason == decline.reason;
    });
    if (group == groups.end()) {
      groups.push_back({decline, 1});
    } else {
      ++group->count;
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const DeclineGroup& a, const DeclineGroup& b) {
                     return a.count > b.count;
                   });
  return groups;
}

}  // namespace

GraphCounts CountGraph(const Graph& graph) {
  GraphCounts counts;
  counts.nodes = static_cast<std::uint32_t>(graph.num_nodes());
  counts.edges = static_cast<std::uint32_t>(graph.edges().size());
  absl::flat_hash_set<StreamId> streams;
  for (const Node& node : graph.nodes()) {
    if (node.stream.valid()) streams.insert(node.stream);
    counts.opaque += !node.effects_complete;
    counts.quantizers += IsQuantizer(node.op);
    counts.kernels += node.kind == NodeKind::kKernel;
  }
  counts.longest_path = LongestPath(graph);
  counts.streams = std::max<std::uint32_t>(1, streams.size());
  return counts;
}

Summary Summarize(const Graph& graph, const Plan& plan) {
  Summary summary;
  summary.before = CountGraph(graph);
  const Rewritten rewritten = Rewrite(graph, plan, FreeAddress(graph));
  summary.after = CountGraph(rewritten.graph);
  summary.relaxed = plan.relaxed;
  summary.pure = CountPure(plan);
  summary.shared = CountShared(graph, plan);
  summary.emitted = CountEmitted(graph, plan);
  summary.dropped = CountDropped(rewritten);
  summary.arena = plan.arena;
  summary.declines = GroupByReason(plan);
  return summary;
}

}  // namespace reprise
