// What a program may give up as soon as it has no more use of it.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

constexpr int kSteps = 4;

// The graph goes before the first launch.
const Scenario kGraphGoes("graph_goes", [] {
  const Model model(1);
  const Stream stream = NewStream();
  const Exec exec = MakeExec(model.Step(), stream);
  for (int step = 0; step < kSteps; ++step) {
    Launch(exec, stream);
    Synchronize(stream);
    PrintStep(step, model);
  }
  Destroy(exec);
  Destroy(stream);
});

// The executable goes while its launch may still run.
const Scenario kExecGoes("exec_goes", [] {
  const Model model(1);
  const Stream stream = NewStream();
  for (int step = 0; step < kSteps; ++step) {
    const Exec exec = MakeExec(model.Step(), stream);
    for (int launch = 0; launch < 20; ++launch) Launch(exec, stream);
    Destroy(exec);
    Synchronize(stream);
    PrintStep(step, model);
  }
  Destroy(stream);
});

// The stream goes while the launch may still run on it.
const Scenario kStreamGoes("stream_goes", [] {
  const Model model(1);
  const Stream capturing = NewStream();
  const Exec exec = MakeExec(model.Step(), capturing);
  for (int step = 0; step < kSteps; ++step) {
    const Stream stream = NewStream();
    for (int launch = 0; launch < 20; ++launch) Launch(exec, stream);
    Destroy(stream);
    SynchronizeAll();
    PrintStep(step, model);
  }
  Destroy(exec);
  Destroy(capturing);
});

// Nothing goes before the process does.
const Scenario kNothingGoes("nothing_goes", [] {
  const Model& model = *new Model(1);
  const Stream stream = NewStream();
  const Exec exec = MakeExec(model.Step(), stream);
  Launch(exec, stream);
  Synchronize(stream);
  PrintStep(0, model);
});

}  // namespace
}  // namespace victims
