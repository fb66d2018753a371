// A loop that captures each step anew and updates its executable: every pointer
// changes, from one model's to the other's and back.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario kUpdate("update", [] {
  const Model models[] = {Model(1), Model(2)};
  const Stream stream = NewStream();
  const Exec exec = MakeExec(models[0].Step(), stream);
  for (int step = 0; step < 8; ++step) {
    // Twice the same model: an update that changes nothing.
    const Model& model = models[step / 2 % 2];
    const Graph graph = Capture(model.Step(), stream).graph;
    std::puts(Update(exec, graph) ? "updated" : "not updated");
    Destroy(graph);
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step, model);
  }
  Destroy(exec);
  Destroy(stream);
});

}  // namespace
}  // namespace victims
