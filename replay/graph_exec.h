// The two driver calls that make an executable: their errors say which node
// and why.
#ifndef REPRISE_REPLAY_GRAPH_EXEC_H_
#define REPRISE_REPLAY_GRAPH_EXEC_H_

#include <cuda.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "replay/program.h"

namespace reprise {

// `program` is the graph as data, for the name of the node in an error; null
// where it is not known. `flags` are CUDA's.
absl::StatusOr<GraphExecHandle> Instantiate(const Driver& driver, CUgraph graph,
                                            std::uint64_t flags,
                                            const Program* program);

// Gives the executable all parameters of a graph of the same topology. After an
// error it is as before.
absl::Status UpdateExec(const Driver& driver, CUgraphExec exec, CUgraph graph,
                        const Program* program);

}  // namespace reprise

#endif  // REPRISE_REPLAY_GRAPH_EXEC_H_
