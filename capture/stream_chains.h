// Which stream a node came from, where the capture does not tell: a CUgraph
// keeps edges, and no streams.
//
// In capture order, a node continues the stream of the first of its
// predecessors, in the order of edges, that no other node has continued yet. A
// node without such a predecessor begins a new stream. Streams are numbered
// from 0 in the order in which they appear.
//
// This is an inference. Which twin of a symmetric fork stays on its stream
// cannot be known, and two streams that ran one after the other may count as
// one. Nothing about correctness hangs on it: a stream only decides which
// branch of the work counts as hanging on an event (planner/emission.h).
#ifndef REPRISE_CAPTURE_STREAM_CHAINS_H_
#define REPRISE_CAPTURE_STREAM_CHAINS_H_

#include "graph/graph.h"

namespace reprise {

// Gives every node a stream, whatever it had before. Cost: O(E log E).
void AssignStreams(Graph& graph);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_STREAM_CHAINS_H_
