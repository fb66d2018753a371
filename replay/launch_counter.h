// Counts what replays really launch, with CUPTI.
//
//   absl::StatusOr<LaunchReport> report = ReportLaunches(
//       graph, rewritten, [&] { return Replay(original); },
//       [&] { return Replay(planned); }, /*replays=*/3);
//
// A callback launches and waits for the end: what is still running when it
// returns is lost to the count. Nothing else may launch on any device of the
// process meanwhile.
//
// Cost     under CUPTI a launch takes many times as long: a run that counts is
//          never one that is timed.
// Errors   Unimplemented       built without CUPTI
//          Unavailable         no libcupti of the release that this was built
//                              for
//          FailedPrecondition  another profiler or debugger holds CUPTI, which
//                              it names; or a count is going on already
//          PermissionDenied    this user may not profile
//          DataLoss            CUPTI dropped records
//          Each other error of CUPTI as replay/cupti_status.h says. Without a
//          driver CUPTI says no more than CUPTI_ERROR_UNKNOWN: Internal.
// Threads  any, one at a time in the process.
#ifndef REPRISE_REPLAY_LAUNCH_COUNTER_H_
#define REPRISE_REPLAY_LAUNCH_COUNTER_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "planner/rewrite.h"
#include "replay/launch_counts.h"
#include "replay/node_record.h"

namespace reprise {

using Workload = absl::FunctionRef<absl::Status()>;

// Every kernel, copy and fill that `run` executes, in no certain order. Where
// `run` fails, its error.
absl::StatusOr<std::vector<NodeRecord>> RecordLaunches(Workload run);

using LaunchRecorder =
    absl::FunctionRef<absl::StatusOr<std::vector<NodeRecord>>(Workload)>;

// Calls each callback `replays` times. Where nothing can be counted here (the
// first four errors above) the report has the graphs' nodes only, and says why.
// REQUIRES: `rewritten` was made from `graph`; replays > 0.
absl::StatusOr<LaunchReport> ReportLaunches(
    const Graph& graph, const Rewritten& rewritten, Workload replay_original,
    Workload replay_rewritten, std::uint64_t replays,
    LaunchRecorder record = RecordLaunches);

}  // namespace reprise

#endif  // REPRISE_REPLAY_LAUNCH_COUNTER_H_
