#include "benchmarks/device/graph_recorder.h"

#include <algorithm>
#include <string>

#include "kernels/device_kernels.h"

namespace reprise {

GraphRecorder::GraphRecorder(std::size_t branches)
    : branches_(branches), event_(MakeEvent()) {
  std::ranges::generate(branches_, MakeStream);
  // Relaxed, because a kernel's code is loaded at its first launch.
  CheckCuda(
      cudaStreamBeginCapture(branches_[0].get(), cudaStreamCaptureModeRelaxed),
      "begin a capture");
}

void GraphRecorder::Fork() {
  CheckCuda(cudaEventRecord(event_.get(), branches_[0].get()), "fork");
  for (std::size_t branch = 1; branch < branches_.size(); ++branch) {
    CheckCuda(cudaStreamWaitEvent(branches_[branch].get(), event_.get(), 0),
              "fork");
  }
}

void GraphRecorder::Join() {
  for (std::size_t branch = 1; branch < branches_.size(); ++branch) {
    CheckCuda(cudaEventRecord(event_.get(), branches_[branch].get()), "join");
    CheckCuda(cudaStreamWaitEvent(branches_[0].get(), event_.get(), 0), "join");
  }
}

void GraphRecorder::LaunchBytes(std::string_view symbol, const void* params,
                                std::size_t param_bytes, std::size_t branch) {
  const HostKernel* kernel = FindHostKernel(symbol);
  if (kernel == nullptr || kernel->param_bytes != param_bytes) {
    Fail(std::string(symbol) + " is no kernel of these parameters");
  }
  CheckCuda(LaunchOnStream(*kernel, params, Dependency::kProgrammatic,
                           branches_[branch].get()),
            "capture " + std::string(symbol));
}

GraphExec GraphRecorder::Finish() {
  cudaGraph_t captured = nullptr;
  CheckCuda(cudaStreamEndCapture(branches_[0].get(), &captured),
            "end a capture");
  const CapturedGraph graph(captured);
  cudaGraphExec_t executable = nullptr;
  CheckCuda(cudaGraphInstantiate(&executable, graph.get(), 0),
            "instantiate a graph");
  return GraphExec(executable);
}

}  // namespace reprise
