// Records launches through a table of CUPTI's calls.
#ifndef REPRISE_REPLAY_CUPTI_RECORDER_H_
#define REPRISE_REPLAY_CUPTI_RECORDER_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "replay/cupti_calls.h"
#include "replay/node_record.h"

namespace reprise {

// As RecordLaunches (replay/launch_counter.h). Whatever fails, CUPTI is left as
// it was found: nothing enabled, nobody subscribed.
// REQUIRES: the table lives as long as the process, for CUPTI may still call
// back when this has returned.
absl::StatusOr<std::vector<NodeRecord>> RecordWithCupti(
    const CuptiCalls& cupti, absl::FunctionRef<absl::Status()> run);

}  // namespace reprise

#endif  // REPRISE_REPLAY_CUPTI_RECORDER_H_
