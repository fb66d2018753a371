// Times replays of two graphs on a GPU, without a profiler.
//
// Method   regions of many replays inside one pair of events, at least 5 ms
//          long; the two take turns, five regions each, so that a drift of the
//          clocks meets both alike. Finding the number of replays is the
//          warm-up.
#ifndef REPRISE_TOOLS_REPLAY_TIMER_H_
#define REPRISE_TOOLS_REPLAY_TIMER_H_

#include <cuda.h>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "replay/launch_counts.h"

namespace reprise {

// Enqueues one replay on the timed stream.
using Replay = absl::FunctionRef<absl::Status()>;

// The median of the regions, and the slowest less the fastest.
absl::StatusOr<ReplayTimes> TimeReplays(CUstream stream, Replay before,
                                        Replay after);

}  // namespace reprise

#endif  // REPRISE_TOOLS_REPLAY_TIMER_H_
