// A loop whose steps now and then have another number of kernels: the update is
// refused, and the program instantiates anew, as engines do.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario kRegrown("regrown", [] {
  const Model model(1);
  const Stream stream = NewStream();
  Exec exec = MakeExec(model.Step(), stream);
  for (int step = 0; step < 6; ++step) {
    std::vector<KernelCall> calls = model.Step();
    if (step % 3 == 2) {
      calls.push_back(MakeCall(Kernel::kAdd, 1, 64, model.row(Model::kX),
                               model.row(Model::kQ), 64));
    }
    const Graph graph = Capture(calls, stream).graph;
    const bool updated = Update(exec, graph);
    std::puts(updated ? "updated" : "refused");
    if (!updated) {
      Destroy(exec);
      exec = Instantiate(graph);
    }
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
