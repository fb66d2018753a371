// Graphs from which the driver takes no node away.
#ifndef REPRISE_REPLAY_REWRITABLE_H_
#define REPRISE_REPLAY_REWRITABLE_H_

#include "absl/status/status.h"
#include "capture/import_graph.h"
#include "driver/driver.h"

namespace reprise {

// Unimplemented, with the first node that bars it and why, for a graph that
// allocates or frees memory, has a conditional node, or has a kernel node that
// may be updated from the device: the driver neither clones such a graph nor
// destroys its nodes.
absl::Status CheckRewritable(const Driver& driver, const ImportedGraph& graph);

}  // namespace reprise

#endif  // REPRISE_REPLAY_REWRITABLE_H_
