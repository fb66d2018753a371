// Times replays of several graphs on a GPU, without a profiler.
//
// Method   regions of many replays inside one pair of events, at least 5 ms
//          long; the graphs take turns, five regions each, so that a drift of
//          the clocks meets all alike. Finding the number of replays is the
//          warm-up.
#ifndef REPRISE_TOOLS_REPLAY_TIMER_H_
#define REPRISE_TOOLS_REPLAY_TIMER_H_

#include <cuda.h>

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "replay/launch_counts.h"

namespace reprise {

// Enqueues one replay on the timed stream.
using Replay = std::function<absl::Status()>;

// By replay: the median of the regions, and the slowest less the fastest.
absl::StatusOr<std::vector<ReplayTime>> TimeReplays(
    CUstream stream, absl::Span<const Replay> replays);

}  // namespace reprise

#endif  // REPRISE_TOOLS_REPLAY_TIMER_H_
