#include "replay/comparison.h"

#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "graph/op.h"
#include "replay/schedule.h"

namespace reprise {

absl::StatusOr<Comparison> Comparison::Of(const Graph& graph,
                                          std::vector<NodeId> dropped) {
  absl::StatusOr<std::vector<NodeId>> order = ScheduleOf(graph);
  if (!order.ok()) return order.status();
  return Comparison(graph, LastWriters(graph, *order), std::move(dropped));
}

std::optional<Difference> Comparison::Find(
    absl::Span<const BytePair> pairs) const {
  std::optional<Difference> blamed;
  std::uint32_t blamed_position = std::numeric_limits<std::uint32_t>::max();
  for (const BytePair& pair : pairs) {
    if (pair.expected == pair.actual) continue;
    ForEachRun(pair.allocation, [&](const Run& run) {
      if (IsSkipped(run)) return;
      if (blamed && run.writer.position >= blamed_position) return;
      const std::uint64_t first = run.begin - pair.allocation.address;
      const std::uint64_t size = run.end - run.begin;
      const auto expected = pair.expected.subspan(first, size);
      const auto actual = pair.actual.subspan(first, size);
      const auto at =
          std::mismatch(expected.begin(), expected.end(), actual.begin());
      if (at.first == expected.end()) return;
      blamed_position = run.writer.position;
      blamed = Describe(
          pair, run,
          first + static_cast<std::uint64_t>(at.first - expected.begin()));
    });
  }
  return blamed;
}

std::uint64_t Comparison::SkippedBytes(const Allocation& allocation) const {
  std::uint64_t skipped = 0;
  ForEachRun(allocation, [&](const Run& run) {
    if (IsSkipped(run)) skipped += run.end - run.begin;
  });
  return skipped;
}

std::vector<Allocation> Comparison::ComparedParts(
    const Allocation& allocation) const {
  std::vector<Allocation> parts;
  ForEachRun(allocation, [&](const Run& run) {
    if (IsSkipped(run)) return;
    if (!parts.empty() && parts.back().end() == run.begin) {
      parts.back().bytes += run.end - run.begin;
    } else {
      parts.push_back({run.begin, run.end - run.begin});
    }
  });
  return parts;
}

bool Comparison::IsSkipped(const Run& run) const {
  if (!run.writer.node.valid()) return false;
  if (absl::c_linear_search(dropped_, run.writer.node)) {
    const auto accesses = graph_->accesses(run.writer.node);
    return accesses[run.writer.access].role == Role::kOutput;
  }
  const auto* quantize =
      std::get_if<Quantize>(&graph_->node(run.writer.node).op);
  return quantize != nullptr && quantize->scratch;
}

void Comparison::ForEachRun(const Allocation& allocation,
                            absl::FunctionRef<void(const Run&)> visit) const {
  for (std::uint64_t at = allocation.address; at < allocation.end();) {
    const Run run = writers_.RunAt(at, allocation.end());
    visit(run);
    at = run.end;
  }
}

Difference Comparison::Describe(const BytePair& pair, const Run& run,
                                std::uint64_t offset) const {
  Difference difference;
  difference.node = run.writer.node;
  difference.view =
      run.writer.node.valid()
          ? graph_->accesses(run.writer.node)[run.writer.access].view
          : ByteRange(pair.allocation.address,
                      static_cast<std::int64_t>(pair.allocation.bytes));
  difference.offset =
      pair.allocation.address + offset - difference.view.address;
  difference.expected = pair.expected[offset];
  difference.actual = pair.actual[offset];
  return difference;
}

}  // namespace reprise
