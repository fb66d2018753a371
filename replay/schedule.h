// An order in which one thread can run a graph.
//
// Any order that the edges allow must leave the same bytes, or the graph has a
// race; so a check that runs several orders sees a lost edge that the capture
// order would hide.
#ifndef REPRISE_REPLAY_SCHEDULE_H_
#define REPRISE_REPLAY_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"

namespace reprise {

// Seed 0 is the capture order, or the nearest to it that the edges allow; any
// other seed picks among the nodes that may come next. Same seed, same order.
// FailedPrecondition when the edges make a cycle.
absl::StatusOr<std::vector<NodeId>> ScheduleOf(const Graph& graph,
                                               std::uint32_t seed = 0);

}  // namespace reprise

#endif  // REPRISE_REPLAY_SCHEDULE_H_
