// A layer's three products on three streams, which events fork and join.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

const Scenario kForks("forks", [] {
  const Model model(1);
  const Stream streams[] = {NewStream(), NewStream(), NewStream()};
  const Event forked = NewEvent();
  const Event joined[] = {NewEvent(), NewEvent(), NewEvent()};
  const Stream main = streams[0];

  BeginCapture(main);
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::vector<KernelCall> calls = model.Layer(layer);
    Launch(calls[kNorm], main);
    Record(forked, main);
    for (int branch = 0; branch < 3; ++branch) {
      const Stream stream = streams[branch];
      if (branch != 0) Wait(stream, forked);
      Launch(calls[kQuantizeForQ + 2 * branch], stream);
      Launch(calls[kProjectQ + 2 * branch], stream);
      if (branch == 0) continue;
      Record(joined[branch], stream);
      Wait(main, joined[branch]);
    }
    for (int place = kGlu; place < kPlaces; ++place) Launch(calls[place], main);
  }
  const Graph graph = EndCapture(main);

  const Exec exec = Instantiate(graph);
  for (int step = 0; step < 6; ++step) {
    Launch(exec, main);
    Synchronize(main);
    PrintStep(step, model);
  }
  Destroy(exec);
  Destroy(graph);
  Destroy(forked);
  for (const Event event : joined) Destroy(event);
  for (const Stream stream : streams) Destroy(stream);
});

}  // namespace
}  // namespace victims
