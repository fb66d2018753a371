#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "driver/cuda_status.h"
#include "replay/graph_exec.h"
#include "tools/measure_images.h"
#include "tools/replay_timer.h"

namespace reprise {
namespace {

absl::StatusOr<GraphExecHandle> WithoutNodes(const Driver& driver,
                                             const CapturedStep& step,
                                             absl::Span<const NodeId> nodes) {
  absl::StatusOr<GraphExecHandle> exec =
      Instantiate(driver, step.handle.get(), /*flags=*/0, /*program=*/nullptr);
  if (!exec.ok()) return exec;
  std::vector<CUgraphNode> handles;
  for (const NodeId node : nodes) handles.push_back(step.handles[node.value]);
  const absl::Status skipped = SkipNodes(driver, exec->get(), handles);
  if (!skipped.ok()) return skipped;
  return exec;
}

std::vector<NodeId> RemovedOf(const std::vector<NodeId>& quantizers,
                              const Plan& plan) {
  absl::flat_hash_set<NodeId> gone;
  for (const RemovedNode& removed : RemovedNodes(plan)) {
    gone.insert(removed.node);
  }
  std::vector<NodeId> removed;
  absl::c_copy_if(quantizers, std::back_inserter(removed),
                  [&](NodeId node) { return gone.contains(node); });
  return removed;
}

}  // namespace

absl::StatusOr<std::vector<MeasuredImages>> TimeImages(
    const Driver& driver, const CapturedStep& step, const Plan& plan,
    absl::Span<const LedgerLine> ledger, CUstream stream) {
  // The whole graph; then two for each line.
  std::vector<std::vector<NodeId>> left_out = {{}};
  for (const auto& quantizers : QuantizersOf(step.graph, ledger)) {
    left_out.push_back(quantizers);
    left_out.push_back(RemovedOf(quantizers, plan));
  }
  std::vector<GraphExecHandle> execs;
  std::vector<Replay> replays;
  for (const std::vector<NodeId>& nodes : left_out) {
    absl::StatusOr<GraphExecHandle> exec = WithoutNodes(driver, step, nodes);
    if (!exec.ok()) return exec.status();
    replays.push_back([&driver, stream, launched = exec->get()] {
      return CudaStatus(driver, driver.GraphLaunch(launched, stream),
                        "replay without some nodes");
    });
    execs.push_back(*std::move(exec));
  }
  const absl::StatusOr<std::vector<ReplayTime>> times =
      TimeReplays(stream, replays);
  if (!times.ok()) return times.status();
  std::vector<MeasuredImages> measured;
  for (std::size_t i = 1; i < times->size(); i += 2) {
    const double whole = times->front().median_us;
    const double without_all = (*times)[i].median_us;
    const double without_removed = (*times)[i + 1].median_us;
    measured.push_back({.us_before = whole - without_all,
                        .us_after = without_removed - without_all});
  }
  return measured;
}

}  // namespace reprise
