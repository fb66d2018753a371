// Launches read again of kernels that a known graph has: what is new about them
// is kept in the graph.
//
// What these nodes mean and touch is left as it was: they have to be annotated
// anew. Where a launch cannot be followed, and after an error, the graph is of
// no use any more.
#ifndef REPRISE_CAPTURE_LAUNCH_READER_H_
#define REPRISE_CAPTURE_LAUNCH_READER_H_

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "capture/allocation_finder.h"
#include "capture/function_table.h"
#include "capture/import_graph.h"
#include "capture/kernel_code.h"
#include "driver/driver.h"
#include "graph/node.h"

namespace reprise {

class LaunchReader {
 public:
  // REQUIRES: the table and the graph outlive the reader, and nobody else
  // changes the graph meanwhile.
  LaunchReader(const Driver& driver, ImportedGraph& known);

  // Both: false where more than the launch changed. REQUIRES: a kernel.
  // The launch that the driver's node has.
  absl::StatusOr<bool> Read(NodeId id, CUgraphNode handle);
  // One with these parameters, and the attributes that it had.
  absl::StatusOr<bool> Read(NodeId id, const CUDA_KERNEL_NODE_PARAMS& params);

  // Code was unloaded: a function may have the handle of one that was read.
  void ForgetFunctions() { functions_.Forget(); }

  // Gives the graph the allocations that were found. False where one that it
  // had is not what it was. Nothing is read afterwards.
  absl::StatusOr<bool> Finish();

  // The nodes whose launch or code changed, in order.
  std::vector<NodeId> TakeChanged();

 private:
  absl::StatusOr<bool> Take(NodeId id);
  absl::Status VisitNewWords(absl::Span<const std::uint8_t> before,
                             absl::Span<const std::uint8_t> after);

  const Driver& driver_;
  ImportedGraph& known_;
  FunctionTable functions_;
  AllocationFinder allocations_;
  // What was read last; their memory is used again.
  KernelLaunch launch_;
  KernelCode code_;
  std::vector<NodeId> changed_;
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_LAUNCH_READER_H_
