// A graph that may be launched from the device too; the host launches it.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario kDeviceLaunch("device_launch", [] {
  const Model model(1);
  const Stream stream = NewStream();
  const Graph graph = Capture(model.Step(), stream).graph;
  const Exec exec = InstantiateForDeviceLaunch(graph);
  if (exec == nullptr) {
    std::puts("no graph is launched from this device");
    return;
  }
  Upload(exec, stream);
  for (int step = 0; step < 4; ++step) {
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
