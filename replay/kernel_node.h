// A kernel node as the driver takes it: a launch, and the code that it runs.
#ifndef REPRISE_REPLAY_KERNEL_NODE_H_
#define REPRISE_REPLAY_KERNEL_NODE_H_

#include <cuda.h>

#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "graph/graph.h"

namespace reprise {

// What a symbol cannot tell: two modules may each have a kernel of that name.
struct KernelCode {
  CUfunction function = nullptr;
  // Both count only where there is no function.
  CUkernel kernel = nullptr;
  CUcontext context = nullptr;

  friend bool operator==(const KernelCode&, const KernelCode&) = default;
};

// REQUIRES: `handle` is a kernel node.
CUresult GetCode(const Driver& driver, CUgraphNode handle, KernelCode* code);

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
