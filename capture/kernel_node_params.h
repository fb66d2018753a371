// A kernel launch in the form that the driver's graph calls take.
//
//   KernelNodeParams params;
//   const CUDA_KERNEL_NODE_PARAMS to = params.Of(function, graph.launch(id));
//   driver.GraphKernelNodeSetParams(node, &to);
//
// Only what the struct holds: the launch attributes (cooperative, cluster) are
// the node's own, and a new node gets them by GraphKernelNodeCopyAttributes.
#ifndef REPRISE_CAPTURE_KERNEL_NODE_PARAMS_H_
#define REPRISE_CAPTURE_KERNEL_NODE_PARAMS_H_

#include <cuda.h>

#include <vector>

#include "graph/node.h"

namespace reprise {

class KernelNodeParams {
 public:
  KernelNodeParams() = default;
  // What it gave away points into it.
  KernelNodeParams(const KernelNodeParams&) = delete;
  KernelNodeParams& operator=(const KernelNodeParams&) = delete;

  // The launch, run by `function`. The struct points into the launch's bytes
  // and into this object: it lasts until either changes or goes, or until the
  // next Of. The driver copies all it needs in the call that takes the struct.
  // REQUIRES: the launch's parameters are those of `function`, in its order,
  // and lie in the launch's bytes.
  CUDA_KERNEL_NODE_PARAMS Of(CUfunction function, const KernelLaunch& launch);
  CUDA_KERNEL_NODE_PARAMS Of(CUfunction, const KernelLaunch&&) = delete;

 private:
  std::vector<void*> pointers_;  // by parameter, into the launch's bytes
};

}  // namespace reprise

#endif  // REPRISE_CAPTURE_KERNEL_NODE_PARAMS_H_
