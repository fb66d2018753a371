// Some launches of a step, one behind the other and nothing else: what they
// alone take.
#ifndef REPRISE_EXAMPLES_DECODER_LAUNCHES_ALONE_H_
#define REPRISE_EXAMPLES_DECODER_LAUNCHES_ALONE_H_

#include <cuda.h>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "graph/graph.h"

namespace reprise::decoder {

// The kernels `nodes` of a step on a device, in their order, each with a
// programmatic dependency on the one before it. `stream` is for the capture.
// Errors   those of DeviceStep and of a capture.
absl::StatusOr<GraphExecHandle> LaunchesAlone(const Driver& driver,
                                              const Graph& step,
                                              absl::Span<const NodeId> nodes,
                                              CUstream stream);

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_LAUNCHES_ALONE_H_
