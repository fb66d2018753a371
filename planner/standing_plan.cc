#include "planner/standing_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>

#include "absl/algorithm/container.h"

namespace reprise {
namespace {

// Whoever tries an emitting kernel runs its producer and the quantizer.
bool MayBeTried(const Node& node) {
  return node.emitting != Node::kNoIndex || IsQuantizer(node.op);
}

bool LooksIntoLaunch(const Node& node) {
  return node.launch != Node::kNoIndex && (node.pure || MayBeTried(node));
}

// The parameter buffer with each pointer counted from the first view behind
// it: what stays when views move. Two launches whose views are the same have
// the same pointers exactly if these buffers agree.
void FindBytesButPlaces(const Graph& graph, NodeId id,
                        std::vector<std::uint8_t>& to) {
  const std::vector<std::uint8_t>& bytes = graph.launch(id).bytes;
  to = bytes;
  std::uint32_t last = Access::kNoParameter;
  const absl::Span<const Access> accesses = graph.accesses(id);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::uint32_t at = accesses[i].parameter;
    std::uint64_t pointer = 0;
    if (at == last || bytes.size() < sizeof pointer ||
        at > bytes.size() - sizeof pointer) {
      continue;
    }
    last = at;
    const bool again = absl::c_any_of(
        accesses.first(i),
        [at](const Access& access) { return access.parameter == at; });
    if (again) continue;
    std::memcpy(&pointer, bytes.data() + at, sizeof pointer);
    pointer -= accesses[i].view.address;
    std::memcpy(to.data() + at, &pointer, sizeof pointer);
  }
}

// What a reader loads through its image pointer, which the plan may move.
bool IsReadWithImage(const Access& access) {
  return access.reads() &&
         (access.role == Role::kImage || access.role == Role::kSlack);
}

bool SameButPlace(const Access& before, const Access& after) {
  Access moved = before;
  moved.view.address = after.view.address;
  return moved == after;
}

// What was found out about a kernel is no part of its meaning.
bool SameButFindings(const EmittingKernel& before,
                     const EmittingKernel& after) {
  EmittingKernel found_out = after;
  found_out.refuted = before.refuted;
  found_out.cannot_drop = before.cannot_drop;
  return found_out == before;
}

bool SameEmittingKernels(const Graph& graph, const Node& before,
                         const Node& after) {
  if (before.emitting == after.emitting) return true;
  return before.emitting != Node::kNoIndex &&
         after.emitting != Node::kNoIndex &&
         absl::c_equal(graph.emitting_kernels_at(before.emitting),
                       graph.emitting_kernels_at(after.emitting),
                       SameButFindings);
}

}  // namespace

StandingPlan::StandingPlan(const Graph& graph,
                           const std::optional<std::vector<View>>& outputs)
    : kinds_(graph, /*others=*/true) {
  nodes_.reserve(graph.num_nodes());
  for (std::uint32_t n = 0; n < graph.num_nodes(); ++n) {
    Look(graph, NodeId{n});
  }
  FindStretches(outputs);
}

void StandingPlan::Look(const Graph& graph, NodeId id) {
  const absl::Span<const Access> accesses = graph.accesses(id);
  Seen seen;
  seen.node = graph.node(id);
  seen.first_access = static_cast<std::uint32_t>(accesses_.size());
  seen.num_accesses = static_cast<std::uint32_t>(accesses.size());
  accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  nodes_.push_back(seen);
  if (!LooksIntoLaunch(seen.node)) return;
  const std::size_t bytes = graph.launch(id).bytes.size();
  nodes_.back().first_byte = static_cast<std::uint32_t>(bytes_.size());
  nodes_.back().num_bytes = static_cast<std::uint32_t>(bytes);
  bytes_.resize(bytes_.size() + bytes);
  KeepLaunch(graph, id);
}

void StandingPlan::KeepLaunch(const Graph& graph, NodeId id) {
  Seen& seen = nodes_[id.value];
  const KernelLaunch& launch = graph.launch(id);
  seen.grid = launch.grid;
  seen.block = launch.block;
  seen.shared_bytes = launch.shared_bytes;
  FindBytesButPlaces(graph, id, scratch_);
  absl::c_copy(scratch_, bytes_.begin() + seen.first_byte);
}

// An output counts as a view of its stretch that is in no changed node: so the
// stretch stays where it is.
void StandingPlan::FindStretches(
    const std::optional<std::vector<View>>& outputs) {
  constexpr std::uint32_t kOutput = 0xffffffff;
  struct Range {
    std::uint64_t begin, end;
    std::uint32_t access;
  };
  std::vector<Range> ranges;
  ranges.reserve(accesses_.size());
  for (std::uint32_t a = 0; a < accesses_.size(); ++a) {
    const View& view = accesses_[a].view;
    has_empty_views_ = has_empty_views_ || view.empty();
    ranges.push_back({view.begin(), view.end(), a});
  }
  if (outputs) {
    for (const View& view : *outputs) {
      if (!view.empty()) ranges.push_back({view.begin(), view.end(), kOutput});
    }
  }
  absl::c_sort(
      ranges, [](const Range& a, const Range& b) { return a.begin < b.begin; });
  stretch_of_.resize(accesses_.size());
  for (const Range& range : ranges) {
    if (stretches_.empty() || range.begin >= stretches_.back().end) {
      stretches_.push_back({range.begin, range.end});
    }
    Stretch& stretch = stretches_.back();
    stretch.end = std::max(stretch.end, range.end);
    ++stretch.views;
    if (range.access == kOutput) continue;
    stretch_of_[range.access] =
        static_cast<std::uint32_t>(stretches_.size() - 1);
  }
  by_address_.resize(stretches_.size());
  std::iota(by_address_.begin(), by_address_.end(), 0);
}

bool StandingPlan::Follow(absl::Span<const NodeId> changed, Graph& graph) {
  if (has_empty_views_) return false;
  ++round_;
  kinds_may_differ_ = false;
  touched_.clear();
  for (const NodeId id : changed) {
    if (!SameButPlaces(graph, id) || !MoveViews(graph, id)) return false;
  }
  if (!StretchesStayWhole() || !StretchesStayApart()) return false;
  if (kinds_may_differ_ && kinds_ != PureKernels(graph, /*others=*/true)) {
    return false;
  }
  for (const NodeId id : changed) {
    const Seen& seen = nodes_[id.value];
    absl::c_copy(graph.accesses(id), accesses_.begin() + seen.first_access);
    graph.mutable_node(id).emitting = seen.node.emitting;
    if (kinds_may_differ_ && LooksIntoLaunch(seen.node)) KeepLaunch(graph, id);
  }
  return true;
}

bool StandingPlan::SameButPlaces(const Graph& graph, NodeId id) {
  const Seen& seen = nodes_[id.value];
  const Node& before = seen.node;
  const Node& after = graph.node(id);
  const absl::Span<const Access> accesses = graph.accesses(id);
  return before.kind == after.kind && before.op == after.op &&
         before.effects_complete == after.effects_complete &&
         before.pure == after.pure && before.waits == after.waits &&
         SameEmittingKernels(graph, before, after) &&
         absl::c_equal(absl::MakeConstSpan(accesses_).subspan(
                           seen.first_access, seen.num_accesses),
                       accesses, SameButPlace) &&
         (!LooksIntoLaunch(before) || SameLaunch(graph, id));
}

// A pure kernel alone may have other parameters.
bool StandingPlan::SameLaunch(const Graph& graph, NodeId id) {
  const Seen& seen = nodes_[id.value];
  if (graph.launch(id).bytes.size() != seen.num_bytes) return false;
  if (LaunchesAgree(graph, id)) return true;
  kinds_may_differ_ = true;
  return !MayBeTried(seen.node);
}

bool StandingPlan::LaunchesAgree(const Graph& graph, NodeId id) {
  const Seen& seen = nodes_[id.value];
  const KernelLaunch& launch = graph.launch(id);
  if (seen.grid != launch.grid || seen.block != launch.block ||
      seen.shared_bytes != launch.shared_bytes) {
    return false;
  }
  FindBytesButPlaces(graph, id, scratch_);
  return absl::c_equal(
      absl::MakeConstSpan(bytes_).subspan(seen.first_byte, seen.num_bytes),
      scratch_);
}

bool StandingPlan::MoveViews(const Graph& graph, NodeId id) {
  std::uint32_t a = nodes_[id.value].first_access;
  std::optional<std::uint64_t> image_by;
  for (const Access& access : graph.accesses(id)) {
    const std::uint64_t by = access.view.address - accesses_[a].view.address;
    if (IsReadWithImage(access)) {
      if (image_by.value_or(by) != by) return false;
      image_by = by;
    }
    const std::uint32_t s = stretch_of_[a++];
    Stretch& stretch = stretches_[s];
    if (stretch.round != round_) {
      stretch.round = round_;
      stretch.moved = 0;
      stretch.by = by;
      touched_.push_back(s);
    }
    if (stretch.by != by) return false;
    ++stretch.moved;
  }
  return true;
}

bool StandingPlan::StretchesStayWhole() const {
  return absl::c_all_of(touched_, [this](std::uint32_t s) {
    const Stretch& stretch = stretches_[s];
    return stretch.by == 0 || stretch.moved == stretch.views;
  });
}

bool StandingPlan::StretchesStayApart() {
  bool moved = false;
  for (const std::uint32_t s : touched_) {
    Stretch& stretch = stretches_[s];
    moved = moved || stretch.by != 0;
    stretch.begin += stretch.by;
    stretch.end += stretch.by;
    if (stretch.end < stretch.begin) return false;
  }
  if (!moved) return true;
  const auto by_begin = [this](std::uint32_t a, std::uint32_t b) {
    return stretches_[a].begin < stretches_[b].begin;
  };
  if (!absl::c_is_sorted(by_address_, by_begin)) {
    absl::c_sort(by_address_, by_begin);
  }
  return std::adjacent_find(by_address_.begin(), by_address_.end(),
                            [this](std::uint32_t a, std::uint32_t b) {
                              return stretches_[a].end > stretches_[b].begin;
                            }) == by_address_.end();
}

}  // namespace reprise
