#include "replay/launch_counter.h"

#include <string>

namespace reprise {
namespace {

// Whether the error says that this machine or process cannot count at all.
bool CannotCount(const absl::Status& status) {
  return absl::IsUnimplemented(status) || absl::IsUnavailable(status) ||
         absl::IsFailedPrecondition(status) || absl::IsPermissionDenied(status);
}

// One side's counts. `replay_status` tells an error of the replay from one of
// the recorder.
absl::StatusOr<LaunchCounts> Count(Workload replay, std::uint64_t replays,
                                   LaunchRecorder record,
                                   absl::Status& replay_status) {
  const auto replay_all = [&] {
    for (std::uint64_t r = 0; r < replays && replay_status.ok(); ++r) {
      replay_status = replay();
    }
    return replay_status;
  };
  const absl::StatusOr<std::vector<NodeRecord>> records = record(replay_all);
  if (!records.ok()) return records.status();
  return CountLaunches(*records, replays);
}

}  // namespace

absl::StatusOr<LaunchReport> ReportLaunches(
    const Graph& graph, const Rewritten& rewritten, Workload replay_original,
    Workload replay_rewritten, std::uint64_t replays, LaunchRecorder record) {
  LaunchReport report = MakeLaunchReport(graph, rewritten);
  absl::Status replay_status;
  absl::StatusOr<LaunchCounts> before =
      Count(replay_original, replays, record, replay_status);
  absl::StatusOr<LaunchCounts> after = before;
  if (before.ok()) {
    after = Count(replay_rewritten, replays, record, replay_status);
  }
  if (!replay_status.ok()) return replay_status;
  if (after.ok()) {
    AddCounts(*before, *after, report);
    return report;
  }
  if (!CannotCount(after.status())) return after.status();
  report.not_counted = std::string(after.status().message());
  return report;
}

}  // namespace reprise
