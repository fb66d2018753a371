// Graphs inside of graphs: added as nodes, and launched into a capture.
#include <cstdio>

#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

void LaunchAndPrint(const Model& model, Exec exec, Stream stream) {
  for (int step = 0; step < 3; ++step) {
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step, model);
  }
}

// A step of one child graph a layer.
const Scenario kChildGraphs("child_graphs", [] {
  const Model model(1);
  const Stream stream = NewStream();
  const Graph graph = NewGraph();
  std::vector<Node> before;
  for (int layer = 0; layer < kLayers; ++layer) {
    const Graph child = Capture(model.Layer(layer), stream).graph;
    before = {AddChild(graph, before, child)};
    Destroy(child);
  }
  const Exec exec = Instantiate(graph);
  LaunchAndPrint(model, exec, stream);
  Destroy(exec);
  Destroy(graph);
  Destroy(stream);
});

// A capture that tries to launch an executable: the driver refuses, and the
// capture is broken. Launched as it should be, the executable works.
const Scenario kCapturedLaunch("captured_launch", [] {
  const Model model(1);
  const Stream stream = NewStream();
  const Exec exec = MakeExec(model.Step(), stream);
  LaunchAndPrint(model, exec, stream);
  BeginCapture(stream);
  LaunchAll(model.Layer(0), stream);
  std::printf("launched into a capture: %d\n", TryLaunch(exec, stream));
  std::printf("captured: %d\n", TryEndCapture(stream) != nullptr);
  LaunchAndPrint(model, exec, stream);
  Destroy(exec);
  Destroy(stream);
});

}  // namespace
}  // namespace victims
