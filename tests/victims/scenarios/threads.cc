// Two threads, each with a model, a stream and a graph of its own.
#include <thread>
#include <vector>

#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

constexpr int kSteps = 16;

// The model's digest after each step.
std::vector<std::uint64_t> Run(const Model& model) {
  const Stream stream = NewStream();
  const Exec exec = MakeExec(model.Step(), stream);
  std::vector<std::uint64_t> digests;
  for (int step = 0; step < kSteps; ++step) {
    Launch(exec, stream);
    Synchronize(stream);
    digests.push_back(model.Digest());
  }
  Destroy(exec);
  Destroy(stream);
  return digests;
}

const Scenario kThreads("threads", [] {
  const Model models[] = {Model(1), Model(2)};
  std::vector<std::uint64_t> digests[2];
  std::thread other([&] { digests[1] = Run(models[1]); });
  digests[0] = Run(models[0]);
  other.join();
  for (int step = 0; step < kSteps; ++step) {
    PrintStep(step, digests[0][step]);
    PrintStep(step, digests[1][step]);
  }
});

}  // namespace
}  // namespace victims
