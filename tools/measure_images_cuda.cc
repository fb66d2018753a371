#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "driver/cuda_status.h"
#include "examples/decoder/launches_alone.h"
#include "tools/measure_images.h"
#include "tools/replay_timer.h"

namespace reprise {

absl::StatusOr<std::vector<MeasuredImages>> TimeImages(
    const Driver& driver, const Graph& captured, const Plan& plan,
    absl::Span<const LedgerLine> ledger, CUstream stream) {
  absl::flat_hash_set<NodeId> gone;
  for (const RemovedNode& removed : RemovedNodes(plan)) {
    gone.insert(removed.node);
  }
  std::vector<MeasuredImages> measured(ledger.size());
  std::vector<GraphExecHandle> execs;
  std::vector<Replay> replays;
  std::vector<double*> results;  // by replay
  const auto add = [&](absl::Span<const NodeId> nodes, double& us) {
    if (nodes.empty()) return absl::OkStatus();  // takes no time
    absl::StatusOr<GraphExecHandle> exec =
        decoder::LaunchesAlone(driver, captured, nodes, stream);
    if (!exec.ok()) return exec.status();
    replays.push_back([&driver, stream, launched = exec->get()] {
      return CudaStatus(driver, driver.GraphLaunch(launched, stream),
                        "launch quantizers alone");
    });
    execs.push_back(*std::move(exec));
    results.push_back(&us);
    return absl::OkStatus();
  };
  const auto quantizers = QuantizersOf(captured, ledger);
  for (std::size_t i = 0; i < ledger.size(); ++i) {
    std::vector<NodeId> kept;
    absl::c_copy_if(quantizers[i], std::back_inserter(kept),
                    [&](NodeId node) { return !gone.contains(node); });
    absl::Status added = add(quantizers[i], measured[i].us_before);
    if (added.ok()) added = add(kept, measured[i].us_after);
    if (!added.ok()) return added;
  }
  const absl::StatusOr<std::vector<ReplayTime>> times =
      TimeReplays(stream, replays);
  if (!times.ok()) return times.status();
  for (std::size_t i = 0; i < results.size(); ++i) {
    *results[i] = (*times)[i].median_us;
  }
  return measured;
}

}  // namespace reprise
