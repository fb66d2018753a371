// The usual loop: captured once, launched step by step, in turn on the stream
// of its capture and on the default stream.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario kDecode("decode", [] {
  const Model model(1);
  const Stream own = NewStream();
  const Graph graph = Capture(model.Step(), own).graph;
  const Exec exec = Instantiate(graph);
  Upload(exec, own);
  for (int step = 0; step < 6; ++step) {
    const Stream stream = step % 2 == 0 ? own : nullptr;
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step, model);
  }
  Destroy(exec);
  Destroy(graph);
  Destroy(own);
});

}  // namespace
}  // namespace victims
