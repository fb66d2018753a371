// The GPU that the command runs on, and a step of the decoder captured there.
#ifndef REPRISE_TOOLS_GPU_H_
#define REPRISE_TOOLS_GPU_H_

#include <cuda.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/driver.h"
#include "driver/graph_handle.h"
#include "examples/decoder/device_decoder.h"
#include "graph/graph.h"

namespace reprise {

// Makes the first device current. An error on a machine without one.
absl::StatusOr<const Driver*> OpenGpu();

struct CapturedStep {
  GraphHandle handle;
  Graph graph;  // annotated by the built-in packs
};

absl::StatusOr<CapturedStep> CaptureStep(const Driver& driver,
                                         const decoder::DeviceDecoder& decoder,
                                         CUstream stream);

}  // namespace reprise

#endif  // REPRISE_TOOLS_GPU_H_
