#include "benchmarks/step_arms.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmarks/device/failure.h"
#include "benchmarks/device/handles.h"
#include "benchmarks/value_of.h"
#include "capture/stream_capture.h"
#include "driver/graph_handle.h"
#include "examples/decoder/decoder.h"
#include "examples/decoder/device_decoder.h"
#include "examples/decoder/launches_alone.h"
#include "graph/op.h"
#include "kernels/device_kernels.h"
#include "replay/device_executable.h"

namespace reprise {
namespace {

using decoder::DeviceDecoder;

// A model on the device, at the last positions of its cache.
class StepRig {
 public:
  StepRig(const Driver& driver, const decoder::Options& options)
      : driver_(driver),
        decoder_(ValueOf(DeviceDecoder::Create(driver, options))) {
    const int steps = options.context / options.tokens;
    CheckOk(decoder_.Refresh(steps - 1, stream_.get()));
  }

  DeviceExecutable MakeExecutable(const PlanOptions& plan) const {
    CUstream stream = stream_.get();
    GraphHandle graph = ValueOf(
        CaptureStream(driver_, stream, [&] { return decoder_.Step(stream); }));
    DeviceOptions options;
    options.prepare.plan = plan;
    if (plan.dead_stores) {
      options.prepare.plan.outputs = decoder::OutputsOf(decoder_.program());
    }
    DeviceExecutable executable = ValueOf(DeviceExecutable::Create(
        driver_, std::move(graph), std::move(options)));
    CheckOk(executable.outcome().declined);
    if (executable.outcome().rewritten != plan.sharing) {
      Fail("the plan is not that of the arm");
    }
    return executable;
  }

  GraphExecHandle QuantizersAlone() const {
    const Graph& step = decoder_.program().graph;
    std::vector<NodeId> quantizers;
    for (std::uint32_t n = 0; n < step.num_nodes(); ++n) {
      if (IsQuantizer(step.node(NodeId{n}).op)) quantizers.push_back(NodeId{n});
    }
    return ValueOf(
        decoder::LaunchesAlone(driver_, step, quantizers, stream_.get()));
  }

  std::vector<float> LogitsOf(DeviceExecutable& executable) const {
    CheckOk(executable.Launch(stream_.get()));
    return ValueOf(decoder_.Logits(stream_.get()));
  }

 private:
  const Driver& driver_;
  Stream stream_ = MakeStream();  // outlives the executables
  DeviceDecoder decoder_;
};

// Numbers that a model might leave: a run on zeros or infinities is no decode.
void CheckLogits(const std::vector<float>& logits) {
  float largest = 0;
  for (const float logit : logits) {
    if (!std::isfinite(logit)) Fail("a logit is no finite number");
    largest = std::max(largest, std::abs(logit));
  }
  if (largest == 0) Fail("all logits are 0");
}

}  // namespace

PlanOptions OriginalPlan() {
  return {
      .pure = false, .sharing = false, .placement = false, .emission = false};
}

double MeasureArms(const Driver& driver, const decoder::Options& options,
                   std::span<Arm* const> arms, benchmark::State& state) {
  const StepRig rig(driver, options);
  std::vector<DeviceExecutable> executables;
  for (const Arm* arm : arms) {
    executables.push_back(rig.MakeExecutable(arm->plan));
  }
  std::vector<Work> works;
  for (DeviceExecutable& executable : executables) {
    works.push_back([&executable](cudaStream_t stream) {
      CheckOk(executable.Launch(stream));
    });
  }
  const GraphExecHandle quantizers = rig.QuantizersAlone();
  works.push_back([&quantizers](cudaStream_t stream) {
    CheckCuda(cudaGraphLaunch(quantizers.get(), stream), "launch quantizers");
  });
  const std::vector<Timing> timings = TimeInRounds(works);

  const std::vector<float> logits = rig.LogitsOf(executables.front());
  CheckLogits(logits);
  for (DeviceExecutable& executable : executables) {
    if (rig.LogitsOf(executable) != logits) {
      Fail("the arms do not leave the same logits");
    }
  }

  std::size_t i = 0;
  for (Arm* arm : arms) {
    arm->launches = executables[i].outcome().running.kernels;
    arm->timing = timings[i++];
    const std::string name = arm->name;
    state.counters[name + "_us"] = arm->timing.us;
    state.counters[name + "_spread"] = arm->timing.spread;
    state.counters[name + "_launches"] = arm->launches;
  }
  const double quantizers_us = timings.back().us;
  state.counters["quantizers_us"] = quantizers_us;
  return quantizers_us;
}

bool IsBuilt(const decoder::Options& options) {
  const auto has = [](WeightFormat format) {
    return FindDeviceFunction(
               absl::StrCat("reprise_matvec_", InfoOf(format).name)) != nullptr;
  };
  const bool router = options.model == decoder::Model::kMoe;
  return has(options.format) && (!router || has(decoder::kRouterFormat));
}

}  // namespace reprise
