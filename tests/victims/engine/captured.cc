#include "tests/victims/engine/captured.h"

#include <span>
#include <vector>

namespace victims {

void LaunchAll(std::span<const KernelCall> calls, Stream stream) {
  for (const KernelCall& call : calls) Launch(call, stream);
}

std::vector<Node> CaptureAll(std::span<const KernelCall> calls, Stream stream) {
  std::vector<Node> nodes;
  for (const KernelCall& call : calls) {
    Launch(call, stream);
    nodes.push_back(LastNode(stream));
  }
  return nodes;
}

Captured Capture(std::span<const KernelCall> calls, Stream stream) {
  BeginCapture(stream);
  Captured captured;
  captured.nodes = CaptureAll(calls, stream);
  captured.graph = EndCapture(stream);
  return captured;
}

Exec MakeExec(std::span<const KernelCall> calls, Stream stream) {
  const Graph graph = Capture(calls, stream).graph;
  const Exec exec = Instantiate(graph);
  Destroy(graph);
  return exec;
}

}  // namespace victims
