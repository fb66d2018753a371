// Nodes are switched off and on again.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario kSetEnabled("set_enabled", [] {
  const Model model(1);
  const Stream stream = NewStream();
  const Captured captured = Capture(model.Step(), stream);
  const Exec exec = Instantiate(captured.graph);
  int step = 0;
  const auto run = [&] {
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step++, model);
  };
  const auto set = [&](Place place, bool enabled) {
    SetEnabled(exec, captured.nodes[place], enabled);
  };
  run();
  set(kAddO, false);
  run();
  set(kAddO, true);
  run();
  // A product with its quantizer, which repeats the one before it.
  set(kQuantizeForK, false);
  set(kProjectK, false);
  run();
  set(kQuantizeForK, true);
  set(kProjectK, true);
  run();
  Destroy(exec);
  Destroy(captured.graph);
  Destroy(stream);
});

}  // namespace
}  // namespace victims
