// A kernel node of a CUDA graph as a launch.
#ifndef REPRISE_CAPTURE_IMPORT_KERNEL_H_
#define REPRISE_CAPTURE_IMPORT_KERNEL_H_

#include <cuda.h>

#include "absl/status/status.h"
#include "capture/function_table.h"
#include "capture/kernel_code.h"
#include "driver/driver.h"
#include "graph/node.h"

namespace reprise {

// The symbol, the shape, the parameter bytes and the attributes that a launch
// keeps. Padding between parameters is 0. Allocates nothing where `launch` held
// one as large before.
//
// Programmatic serialization is no attribute of a node: what it asked for at
// the launch is in the edges, and the launch's flag stays false, as it is in
// the captures of tests/data.
//
// Errors name the call that failed; FailedPrecondition where the node's
// parameters do not fit its function. `launch` and `code` then count for
// nothing.
absl::Status ReadKernel(const Driver& driver, FunctionTable& functions,
                        CUgraphNode node, KernelLaunch& launch,
                        KernelCode& code);

// The same of a node whose parameters are given; `launch` keeps its attributes.
absl::Status ReadLaunch(const Driver& driver, FunctionTable& functions,
                        const CUDA_KERNEL_NODE_PARAMS& params,
                        KernelLaunch& launch, KernelCode& code);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_IMPORT_KERNEL_H_
