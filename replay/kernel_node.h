// A kernel node as the driver takes it: a launch, and the code that it runs.
#ifndef REPRISE_REPLAY_KERNEL_NODE_H_
#define REPRISE_REPLAY_KERNEL_NODE_H_

#include <cuda.h>

#include "capture/kernel_code.h"
#include "driver/driver.h"
#include "graph/graph.h"

namespace reprise {

// Sets a node's code, launch shape and parameters. Its attributes (priority,
// cluster, access policy) are no part of them and stay. The parameters are
// copied in the call.
CUresult SetLaunch(const Driver& driver, CUgraphNode handle,
                   const KernelCode& code, const KernelLaunch& launch);

// The same in an executable, for its future launches. `handle` belongs to the
// graph from which it was instantiated.
CUresult SetLaunch(const Driver& driver, CUgraphExec exec, CUgraphNode handle,
                   const KernelCode& code, const KernelLaunch& launch);

}  // namespace reprise

#endif  // REPRISE_REPLAY_KERNEL_NODE_H_
