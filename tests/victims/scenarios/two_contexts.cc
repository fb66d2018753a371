// Two contexts of one device, each with a model and an executable of its own.
#include <cuda.h>

#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

CUcontext NewContext() {
  CUcontext context = nullptr;
  if (cuCtxCreate(&context, nullptr, 0, 0) != CUDA_SUCCESS) std::_Exit(3);
  return context;
}

// All of it in the context that is current when it is made.
struct Program {
  explicit Program(std::uint32_t seed)
      : model(seed),
        stream(NewStream()),
        exec(MakeExec(model.Step(), stream)) {}

  Model model;
  Stream stream;
  Exec exec;
};

const Scenario kTwoContexts("two_contexts", [] {
  const Program first(1);
  CUcontext one = nullptr;
  cuCtxGetCurrent(&one);
  const CUcontext two = NewContext();
  {
    const Program second(2);
    for (int step = 0; step < 4; ++step) {
      cuCtxSetCurrent(two);
      Launch(second.exec, second.stream);
      Synchronize(second.stream);
      PrintStep(step, second.model);
      cuCtxSetCurrent(one);
      Launch(first.exec, first.stream);
      Synchronize(first.stream);
      PrintStep(step, first.model);
    }
    // The rest of it goes with its context.
    cuCtxSetCurrent(two);
  }
  cuCtxDestroy(two);
  cuCtxSetCurrent(one);
  Launch(first.exec, first.stream);
  Synchronize(first.stream);
  PrintStep(4, first.model);
  Destroy(first.exec);
  Destroy(first.stream);
});

}  // namespace
}  // namespace victims
