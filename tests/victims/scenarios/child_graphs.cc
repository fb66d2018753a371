// Graphs inside of graphs: added as nodes, and launched into a capture.
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

// A capture that launches an executable between launches of kernels.
const Scenario kCapturedLaunch("captured_launch", [] {
  const Model model(1);
  const Stream stream = NewStream();
  const Exec inner = MakeExec(model.Step(), stream);
  BeginCapture(stream);
  LaunchAll(model.Layer(0), stream);
  Launch(inner, stream);
  LaunchAll(model.Layer(1), stream);
  const Graph graph = EndCapture(stream);
  const Exec outer = Instantiate(graph);
  LaunchAndPrint(model, outer, stream);
  LaunchAndPrint(model, inner, stream);
  Destroy(outer);
  Destroy(inner);
  Destroy(graph);
  Destroy(stream);
});

}  // namespace
}  // namespace victims
