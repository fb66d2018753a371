// Graphs with nodes of other kinds between the kernels.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

constexpr std::size_t kRowBytes = kColumns * sizeof(float);

void LaunchAndPrint(const Model& model, Graph graph, Stream stream) {
  const Exec exec = Instantiate(graph);
  for (int step = 0; step < 4; ++step) {
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step, model);
  }
  Destroy(exec);
  Destroy(graph);
  Destroy(stream);
}

const Scenario kCopies("copies", [] {
  const Model model(1);
  const Stream stream = NewStream();
  BeginCapture(stream);
  LaunchAll(model.Step(), stream);
  Copy(model.row(Model::kO), model.row(Model::kV), kRowBytes, stream);
  Fill(model.row(Model::kV), 0, kRowBytes, stream);
  LaunchAll(model.Layer(0), stream);
  LaunchAndPrint(model, EndCapture(stream), stream);
});

// Memory that a launch takes and gives back.
const Scenario kAllocations("allocations", [] {
  const Model model(1);
  const Stream stream = NewStream();
  BeginCapture(stream);
  LaunchAll(model.Step(), stream);
  void* saved = AllocateOn(stream, kRowBytes);
  Copy(saved, model.row(Model::kX), kRowBytes, stream);
  LaunchAll(model.Layer(0), stream);
  Copy(model.row(Model::kO), saved, kRowBytes, stream);
  FreeOn(stream, saved);
  LaunchAndPrint(model, EndCapture(stream), stream);
});

// A layer in the body of a condition.
const Scenario kConditional("conditional", [] {
  const Model model(1);
  const Stream stream = NewStream();
  const Captured step = Capture(model.Step(), stream);
  const Graph body = AddCondition(step.graph, {step.nodes.back()});
  BeginCaptureInto(body, stream);
  LaunchAll(model.Layer(0), stream);
  EndCapture(stream);
  LaunchAndPrint(model, step.graph, stream);
});

}  // namespace
}  // namespace victims
