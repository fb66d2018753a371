// Launches a recorded program as an engine does that knows nothing of graphs:
// each kernel on the stream that it was recorded on, in the recorded order,
// with an event wherever an edge leads from one stream to another.
//
// The same calls run it and, on a stream that captures, make a graph of it with
// the recorded nodes in the recorded order.
#ifndef REPRISE_EXAMPLES_DECODER_DEVICE_STEP_H_
#define REPRISE_EXAMPLES_DECODER_DEVICE_STEP_H_

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "examples/decoder/device_handles.h"
#include "graph/graph.h"
#include "kernels/device_kernels.h"

namespace reprise::decoder {

class DeviceStep {
 public:
  // `dependency` is how a kernel depends on the one before it in its stream.
  // One that waits for an event depends fully on both.
  // Errors   Unimplemented for a node that is no kernel, FailedPrecondition for
  //          one whose stream is not known, NotFound for a kernel that this
  //          build leaves out; each names the node.
  // REQUIRES: the graph's addresses are the device's; every stream is joined to
  // the first one.
  static absl::StatusOr<DeviceStep> Create(const Graph& graph,
                                           Dependency dependency);

  // The recorded origin is `stream`; other streams are the step's own.
  absl::Status Launch(cudaStream_t stream) const;

 private:
  struct Kernel {
    std::string name;  // of the node, for errors
    const HostKernel* kernel = nullptr;
    std::vector<std::uint64_t> params;  // words, for the struct's alignment
    Dependency dependency = Dependency::kFull;
    std::uint32_t stream = 0;
    std::vector<std::uint32_t> waits;  // for these kernels, on other streams
    OwnedEvent done;                   // null where no other stream waits
  };

  absl::Status AddKernel(const Graph& graph, NodeId node,
                         Dependency dependency);
  absl::Status AddWait(const Edge& edge);

  std::vector<Kernel> kernels_;       // by node
  std::vector<OwnedStream> streams_;  // the second and further
};

}  // namespace reprise::decoder

#endif  // REPRISE_EXAMPLES_DECODER_DEVICE_STEP_H_
