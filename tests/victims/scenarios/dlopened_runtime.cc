// A program on the driver that opens the runtime for its graphs, and closes it.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

template <typename Call>
Call* Find(void* runtime, const char* name) {
  return reinterpret_cast<Call*>(dlsym(runtime, name));
}

const Scenario kDlopenedRuntime("dlopened_runtime", [] {
  void* runtime = dlopen("libcudart.so.13", RTLD_NOW);
  if (runtime == nullptr) Skip("runtime");
  const auto set_device = Find<cudaError_t(int)>(runtime, "cudaSetDevice");
  const auto instantiate =
      Find<cudaError_t(cudaGraphExec_t*, cudaGraph_t, unsigned long long)>(
          runtime, "cudaGraphInstantiate");
  const auto launch = Find<cudaError_t(cudaGraphExec_t, cudaStream_t)>(
      runtime, "cudaGraphLaunch");
  const auto destroy =
      Find<cudaError_t(cudaGraphExec_t)>(runtime, "cudaGraphExecDestroy");

  // A driver that is none has no more than the victims' own calls.
  if (set_device(0) != cudaSuccess) Skip("driver for the runtime");

  const Model model(1);
  const Stream stream = NewStream();
  const Graph graph = Capture(model.Step(), stream).graph;
  Exec exec = nullptr;
  if (instantiate(&exec, graph, 0) != cudaSuccess) std::_Exit(3);
  for (int step = 0; step < 4; ++step) {
    if (launch(exec, stream) != cudaSuccess) std::_Exit(3);
    Synchronize(stream);
    PrintStep(step, model);
  }
  destroy(exec);
  dlclose(runtime);
  Destroy(graph);
  Destroy(stream);
});

}  // namespace
}  // namespace victims
