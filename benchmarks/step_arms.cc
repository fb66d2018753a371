#include "benchmarks/step_arms.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/device/failure.h"
#include "benchmarks/device/handles.h"
#include "benchmarks/value_of.h"
#include "capture/import_graph.h"
#include "capture/stream_capture.h"
#include "driver/graph_handle.h"
#include "examples/decoder/decoder.h"
#include "examples/decoder/device_decoder.h"
#include "examples/decoder/launches_alone.h"
#include "kernels/device_kernels.h"
#include "replay/device_executable.h"
#include "replay/graph_exec.h"

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

  CUstream stream() const { return stream_.get(); }

  GraphHandle Capture() const {
    CUstream stream = stream_.get();
    return ValueOf(
        CaptureStream(driver_, stream, [&] { return decoder_.Step(stream); }));
  }

  DeviceExecutable MakeExecutable(const PlanOptions& plan) const {
    DeviceOptions options;
    options.prepare.plan = plan;
    if (plan.dead_stores) {
      options.prepare.plan.outputs = decoder::OutputsOf(decoder_.program());
    }
    DeviceExecutable executable = ValueOf(
        DeviceExecutable::Create(driver_, Capture(), std::move(options)));
    CheckOk(executable.outcome().declined);
    if (executable.outcome().rewritten != plan.sharing) {
      Fail("the plan is not that of the arm");
    }
    return executable;
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

void MeasureArms(const Driver& driver, const decoder::Options& options,
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
}

double QuantizersShare(const Driver& driver, const decoder::Options& options) {
  const StepRig rig(driver, options);
  const GraphHandle graph = rig.Capture();
  const ImportedGraph imported =
      ValueOf(GraphImporter(driver).Import(graph.get()));
  std::vector<NodeId> quantizers;
  for (std::uint32_t n = 0; n < imported.graph.num_nodes(); ++n) {
    const Node& node = imported.graph.node(NodeId{n});
    if (node.kind == NodeKind::kKernel &&
        absl::StartsWith(imported.graph.launch(NodeId{n}).symbol,
                         "reprise_quantize_")) {
      quantizers.push_back(NodeId{n});
    }
  }
  const GraphExecHandle execs[] = {
      ValueOf(Instantiate(driver, graph.get(), 0, nullptr)),
      ValueOf(decoder::LaunchesAlone(driver, imported.graph, quantizers,
                                     rig.stream()))};
  std::vector<Work> works;
  for (const GraphExecHandle& exec : execs) {
    works.push_back([&exec](cudaStream_t stream) {
      CheckCuda(cudaGraphLaunch(exec.get(), stream), "replay a step");
    });
  }
  const std::vector<Timing> timings = TimeInRounds(works);
  return timings[1].us / timings[0].us;
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
