// While one thread captures, another one captures, instantiates and launches.
#include <thread>

#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario kOpenCapture("open_capture", [] {
  const Model models[] = {Model(1), Model(2)};
  const Stream streams[] = {NewStream(), NewStream()};
  Exec execs[2];

  BeginCapture(streams[0], CaptureMode::kThreadLocal);
  LaunchAll(models[0].Layer(0), streams[0]);
  std::thread other([&] {
    BeginCapture(streams[1], CaptureMode::kGlobal);
    LaunchAll(models[1].Step(), streams[1]);
    const Graph graph = EndCapture(streams[1]);
    execs[1] = Instantiate(graph);
    Destroy(graph);
    Launch(execs[1], streams[1]);
  });
  other.join();
  LaunchAll(models[0].Layer(1), streams[0]);
  const Graph graph = EndCapture(streams[0]);
  execs[0] = Instantiate(graph);
  Destroy(graph);

  Synchronize(streams[1]);
  PrintStep(0, models[1]);
  for (int step = 1; step < 4; ++step) {
    for (int i = 0; i < 2; ++i) {
      Launch(execs[i], streams[i]);
      Synchronize(streams[i]);
      PrintStep(step, models[i]);
    }
  }
  for (const Exec exec : execs) Destroy(exec);
  for (const Stream stream : streams) Destroy(stream);
});

}  // namespace
}  // namespace victims
