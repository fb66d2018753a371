// Calls as graphs.
#ifndef REPRISE_TESTS_VICTIMS_ENGINE_CAPTURED_H_
#define REPRISE_TESTS_VICTIMS_ENGINE_CAPTURED_H_

#include <span>
#include <vector>

#include "tests/victims/engine/device.h"
#include "tests/victims/engine/kernel_call.h"

namespace victims {

struct Captured {
  Graph graph = nullptr;
  std::vector<Node> nodes;  // one a call
};

void LaunchAll(std::span<const KernelCall> calls, Stream stream);
// The same in a capture: the node of each call.
std::vector<Node> CaptureAll(std::span<const KernelCall> calls, Stream stream);
// A whole capture.
Captured Capture(std::span<const KernelCall> calls, Stream stream);
// One, instantiated; the graph is gone.
Exec MakeExec(std::span<const KernelCall> calls, Stream stream);

}  // namespace victims

#endif  // REPRISE_TESTS_VICTIMS_ENGINE_CAPTURED_H_
