// What tells one program from another of the same shape: which launches an
// executable has to be given anew.
#ifndef REPRISE_REPLAY_CHANGED_LAUNCHES_H_
#define REPRISE_REPLAY_CHANGED_LAUNCHES_H_

#include <optional>
#include <vector>

#include "graph/graph.h"
#include "replay/program.h"

namespace reprise {

// The same nodes and edges in the same order: the driver pairs node n of one
// with node n of the other.
bool SameShape(const Graph& a, const Graph& b);

// The kernels whose parameters, launch shape or code `after` has otherwise, in
// node order. Nothing where the two differ in more than that, or may
// (capture/node_change.h). REQUIRES: they have the same shape.
std::optional<std::vector<NodeId>> ChangedLaunches(const Program& before,
                                                   const Program& after);

}  // namespace reprise

#endif  // REPRISE_REPLAY_CHANGED_LAUNCHES_H_
