// Several executables of one graph, launched in turn.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario kSeveralExecs("several_execs", [] {
  const Model model(1);
  const Stream stream = NewStream();
  const Graph graph = Capture(model.Step(), stream).graph;
  const Exec execs[] = {Instantiate(graph), InstantiateWithParams(graph),
                        Instantiate(graph)};
  const auto run = [&](int step, Exec exec) {
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step, model);
  };
  for (int step = 0; step < 6; ++step) run(step, execs[step % 3]);
  Destroy(execs[0]);
  Destroy(graph);
  for (int step = 6; step < 10; ++step) run(step, execs[1 + step % 2]);
  Destroy(execs[1]);
  Destroy(execs[2]);
  Destroy(stream);
});

}  // namespace
}  // namespace victims
