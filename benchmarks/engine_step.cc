// An engine as strangers write them: captures its decode step with the CUDA
// runtime, instantiates it, and launches it again and again. It knows nothing
// of rewriting; `reprise run` is what the runs of it differ in
// (scripts/bench-run).
//
//   engine_step decode/llama1b_q4_0/v32000/t1/s1
//
// One line: the model, the median time of a step, the least time of the host
// for a launch, and a digest of the logits after the last.
//   decode/llama1b_q4_0/v32000/t1/s1 step_us 1408.21 spread 0.002
//   launch_us 4.10 digest 1f0c...
#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/device/failure.h"
#include "benchmarks/device/handles.h"
#include "benchmarks/device/region_timer.h"
#include "benchmarks/step_models.h"
#include "benchmarks/value_of.h"
#include "driver/driver.h"
#include "examples/decoder/device_decoder.h"

namespace reprise {
namespace {

decoder::Options FindModel(const std::string& row) {
  for (const StepModel& model : DecodeModels()) {
    if (model.RowName() == row) return model.options;
  }
  Fail("no model '" + row + "'; decode_bench --benchmark_list_tests has them");
}

GraphExec Capture(const decoder::DeviceDecoder& decoder, cudaStream_t stream) {
  CheckCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
            "begin the capture");
  CheckOk(decoder.Step(stream));
  cudaGraph_t captured = nullptr;
  CheckCuda(cudaStreamEndCapture(stream, &captured), "end the capture");
  const CapturedGraph graph(captured);
  cudaGraphExec_t exec = nullptr;
  CheckCuda(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiate");
  return GraphExec(exec);
}

// So few that the queue takes them without waiting; the best of many turns,
// for what slows a turn down is not the launch.
double LaunchMicroseconds(cudaGraphExec_t exec, cudaStream_t stream) {
  constexpr int kLaunches = 20;
  constexpr int kTurns = 101;
  double best = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < kTurns; ++turn) {
    CheckCuda(cudaStreamSynchronize(stream), "wait");
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i) {
      CheckCuda(cudaGraphLaunch(exec, stream), "launch");
    }
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / kLaunches);
  }
  return best;
}

// FNV-1a over the floats' bits.
std::uint64_t Digest(const std::vector<float>& logits) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const float logit : logits) {
    hash = (hash ^ std::bit_cast<std::uint32_t>(logit)) * 0x100000001b3u;
  }
  return hash;
}

void Run(const std::string& row) {
  const decoder::Options options = FindModel(row);
  const Stream stream = MakeStream();
  decoder::DeviceDecoder decoder =
      ValueOf(decoder::DeviceDecoder::Create(*ValueOf(LoadDriver()), options));
  // The last position of the cache.
  CheckOk(decoder.Refresh(options.context / options.tokens - 1, stream.get()));
  const GraphExec exec = Capture(decoder, stream.get());
  const Timing step = TimeInRounds(std::span(&exec, 1)).front();
  const double launch_us = LaunchMicroseconds(exec.get(), stream.get());
  const std::vector<float> logits = ValueOf(decoder.Logits(stream.get()));
  std::printf("%s step_us %.2f spread %.4f launch_us %.3f digest %016" PRIx64
              "\n",
              row.c_str(), step.us, step.spread, launch_us, Digest(logits));
}

}  // namespace
}  // namespace reprise

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: engine_step MODEL\n", stderr);
    return 2;
  }
  reprise::Run(argv[1]);
}
