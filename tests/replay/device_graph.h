// A recorded graph as one of the driver's, at the same addresses.
#ifndef REPRISE_TESTS_REPLAY_DEVICE_GRAPH_H_
#define REPRISE_TESTS_REPLAY_DEVICE_GRAPH_H_

#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "graph/graph.h"

namespace reprise::testing {

// Kernels of ours, copies and fills of device memory. With `programmatic`, a
// kernel depends on the one before it in its stream as a launch with that
// attribute would.
// Errors   what CUDA refuses, and nodes of other kinds, throw.
GraphHandle MakeDeviceGraph(const Driver& driver, const Graph& graph,
                            bool programmatic);

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_DEVICE_GRAPH_H_
