// Launches that may overlap the end of those in front of them.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario kProgrammatic("programmatic", [] {
  const Model model(1);
  const Stream stream = NewStream();
  BeginCapture(stream);
  for (const KernelCall& call : model.Step()) LaunchProgrammatic(call, stream);
  const Graph graph = EndCapture(stream);
  const Exec exec = Instantiate(graph);
  for (int step = 0; step < 6; ++step) {
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step, model);
  }
  Destroy(exec);
  Destroy(graph);
  Destroy(stream);
});

}  // namespace
}  // namespace victims
