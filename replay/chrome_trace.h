// Recorded launches as a trace that Perfetto and chrome://tracing open.
#ifndef REPRISE_REPLAY_CHROME_TRACE_H_
#define REPRISE_REPLAY_CHROME_TRACE_H_

#include <string>

#include "absl/types/span.h"
#include "graph/graph.h"
#include "replay/node_record.h"

namespace reprise {

// A JSON object of complete events: times in microseconds from the first
// record's start, a row a stream, the kernel's function as the name, its op as
// the category. Their args are `node` (null where NodesOf does not know it),
// `op`, `symbol` and `grid`; a copy or a fill has the node only. A record
// without times is left out.
// REQUIRES: `records` ran `graph`, or what an executable of it launched.
std::string ChromeTrace(const Graph& graph,
                        absl::Span<const NodeRecord> records);

}  // namespace reprise

#endif  // REPRISE_REPLAY_CHROME_TRACE_H_
