// A kernel node of a CUDA graph as a launch.
#ifndef REPRISE_CAPTURE_IMPORT_KERNEL_H_
#define REPRISE_CAPTURE_IMPORT_KERNEL_H_

#include <cuda.h>

#include "absl/status/statusor.h"
#include "capture/function_table.h"
#include "driver/driver.h"
#include "graph/node.h"

namespace reprise {

// The symbol, the shape, the parameter bytes and the attributes that a launch
// keeps. Padding between parameters is 0.
//
// Programmatic serialization is no attribute of a node: what it asked for at
// the launch is in the edges, and the launch's flag stays false, as it is in
// the captures of tests/data.
//
// Errors name the call that failed; FailedPrecondition where the node's
// parameters do not fit its function.
absl::StatusOr<KernelLaunch> ReadKernel(const Driver& driver,
                                        FunctionTable& functions,
                                        CUgraphNode node);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_IMPORT_KERNEL_H_
