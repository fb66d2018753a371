// The floats that a rewritten graph no longer stores, as a verification sees
// them: bytes that may be anything, so they are made to be what no reader could
// mistake for them. What an earlier replay left there would often be right.
#ifndef REPRISE_REPLAY_DROPPED_FLOATS_H_
#define REPRISE_REPLAY_DROPPED_FLOATS_H_

#include <vector>

#include "absl/types/span.h"
#include "graph/graph.h"

namespace reprise {

// Where the outputs of `dropped` lie, as far as a replay may find any bytes
// there when it starts: what nodes read there before the producer, in `order`,
// others are certain to have written.
std::vector<Allocation> DroppedFloats(const Graph& graph,
                                      absl::Span<const NodeId> order,
                                      absl::Span<const NodeId> dropped);

}  // namespace reprise

#endif  // REPRISE_REPLAY_DROPPED_FLOATS_H_
