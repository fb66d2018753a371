// reprise demo, by backend.
#ifndef REPRISE_TOOLS_DEMO_H_
#define REPRISE_TOOLS_DEMO_H_

#include "absl/status/status.h"
#include "examples/decoder/options.h"
#include "planner/planner.h"

namespace reprise {

enum class Backend { kHost, kCuda };

struct DemoFlags {
  Backend backend = Backend::kHost;
  int replays = 32;
  decoder::Options model;
  PlanOptions plan;
};

// Each records a step, plans it, runs both programs from the same bytes,
// compares what they leave and prints what came of it. DataLoss where they
// differ.
absl::Status RunHostDemo(const DemoFlags& flags);

// On the GPU, through the front door; then a greedy run with and without it.
// Only in a build with CUDA (tools/cuda_backend.h).
absl::Status RunCudaDemo(const DemoFlags& flags);

}  // namespace reprise

#endif  // REPRISE_TOOLS_DEMO_H_
