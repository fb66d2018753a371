// The bytes that a replay of a graph may change: what has to be saved to run it
// again from the same start.
#ifndef REPRISE_REPLAY_WRITTEN_RANGES_H_
#define REPRISE_REPLAY_WRITTEN_RANGES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"

namespace reprise {

// In the order of addresses; no two touch or overlap. Holes between the rows of
// a view count as written.
// Errors   Unimplemented, naming the node, where a replay does what no copy of
//          memory undoes: a kernel or copy whose effects are not known, a host
//          call, an event, memory that comes or goes, a graph or a condition
//          inside.
absl::StatusOr<std::vector<Allocation>> WrittenRanges(const Graph& graph);

}  // namespace reprise

#endif  // REPRISE_REPLAY_WRITTEN_RANGES_H_
