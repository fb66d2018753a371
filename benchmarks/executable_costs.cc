#include "benchmarks/executable_costs.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/device/bench_row.h"
#include "benchmarks/device/failure.h"
#include "benchmarks/device/handles.h"
#include "benchmarks/device/region_timer.h"
#include "benchmarks/value_of.h"
#include "capture/stream_capture.h"
#include "driver/cuda_status.h"
#include "examples/decoder/device_decoder.h"
#include "kernels/add.h"
#include "kernels/device_kernels.h"
#include "replay/device_arena.h"
#include "replay/device_executable.h"
#include "replay/graph_exec.h"
#include "replay/rewritten_executable.h"

namespace reprise {
namespace {

using decoder::DeviceDecoder;

constexpr int kTimes = 9;

// 24 nodes a layer and four around them: 652.
decoder::Options ManyNodes() {
  decoder::Options options;
  options.layers = 27;
  return options;
}

double Median(std::vector<double> us) {
  std::ranges::sort(us);
  return us[us.size() / 2];
}

double HostUs(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::micro> took =
      std::chrono::steady_clock::now() - start;
  return took.count();
}

class CostRig {
 public:
  explicit CostRig(const Driver& driver)
      : driver_(driver),
        decoder_(ValueOf(DeviceDecoder::Create(driver, ManyNodes()))),
        elsewhere_(ValueOf(DeviceDecoder::Create(driver, ManyNodes()))),
        filled_(ValueOf(DeviceArena::Create(driver, 256))) {}

  GraphHandle Capture() const { return Capture(decoder_); }
  // The same at other addresses.
  GraphHandle CaptureElsewhere() const { return Capture(elsewhere_); }
  // Ends with a fill, which no patch of launches can change.
  GraphHandle CaptureWithFill(std::uint8_t value) const {
    return CaptureWith([&](CUstream stream) {
      const Allocation& target = filled_.allocation();
      return CudaStatus(
          driver_,
          driver_.MemsetD8Async(target.address, value, target.bytes, stream),
          "fill");
    });
  }
  // Ends with a kernel on floats of `filled_` from that one on.
  GraphHandle CaptureWithAdd(int first) const {
    return CaptureWith([&](CUstream stream) {
      auto* floats =
          reinterpret_cast<float*>(filled_.allocation().address) + first;
      const AddParams params{floats, floats, floats, 1};
      return CudaStatus(LaunchOnStream(*FindHostKernel("reprise_add"), &params,
                                       Dependency::kFull, stream),
                        "add");
    });
  }

  GraphExecHandle InstantiateByHand(const GraphHandle& graph) const {
    return ValueOf(Instantiate(driver_, graph.get(), 0, nullptr));
  }
  DeviceExecutable MakeExecutable(GraphHandle graph,
                                  DeviceOptions options = {}) const {
    return ValueOf(DeviceExecutable::Create(driver_, std::move(graph),
                                            std::move(options)));
  }

  const Driver& driver() const { return driver_; }
  cudaStream_t stream() const { return stream_.get(); }

 private:
  using Last = std::function<absl::Status(CUstream)>;

  GraphHandle Capture(const DeviceDecoder& decoder) const {
    CUstream stream = stream_.get();
    return ValueOf(
        CaptureStream(driver_, stream, [&] { return decoder.Step(stream); }));
  }
  GraphHandle CaptureWith(const Last& last) const {
    CUstream stream = stream_.get();
    return ValueOf(CaptureStream(driver_, stream, [&] {
      const absl::Status stepped = decoder_.Step(stream);
      return stepped.ok() ? last(stream) : stepped;
    }));
  }

  const Driver& driver_;
  Stream stream_ = MakeStream();
  DeviceDecoder decoder_;
  DeviceDecoder elsewhere_;
  DeviceArena filled_;
};

double MeasureReplay(const Driver& driver, benchmark::State& state) {
  const CostRig rig(driver);
  const GraphHandle graph = rig.Capture();
  const GraphExecHandle by_hand = rig.InstantiateByHand(graph);
  DeviceOptions nothing;
  nothing.prepare.plan.sharing = false;
  nothing.prepare.plan.placement = false;
  nothing.prepare.plan.emission = false;
  DeviceExecutable executable =
      rig.MakeExecutable(rig.Capture(), std::move(nothing));
  if (executable.outcome().rewritten) Fail("the graph was rewritten");
  const std::array<Work, 2> works = {
      [&](cudaStream_t stream) {
        CheckCuda(cudaGraphLaunch(by_hand.get(), stream), "replay");
      },
      [&](cudaStream_t stream) { CheckOk(executable.Launch(stream)); }};
  const std::vector<Timing> timings = TimeInRounds(works);
  // On a stream that outlives the executable, which waits for its last launch.
  CheckOk(executable.Launch(rig.stream()));
  state.counters["nodes"] = executable.outcome().captured.nodes;
  state.counters["by_hand_us"] = timings[0].us;
  state.counters["overhead_percent"] =
      100 * (timings[1].us / timings[0].us - 1);
  state.counters["spread"] = std::max(timings[0].spread, timings[1].spread);
  return timings[1].us;
}

double MeasureCreate(const Driver& driver, benchmark::State& state) {
  const CostRig rig(driver);
  std::vector<double> create_us;
  std::vector<double> by_hand_us;
  for (int i = 0; i < kTimes; ++i) {
    GraphHandle graph = rig.Capture();
    GraphExecHandle exec;
    by_hand_us.push_back(HostUs([&] { exec = rig.InstantiateByHand(graph); }));
    std::optional<DeviceExecutable> executable;
    create_us.push_back(
        HostUs([&] { executable = rig.MakeExecutable(std::move(graph)); }));
    const Outcome& outcome = executable->outcome();
    if (!outcome.rewritten) Fail("the graph was not rewritten");
    state.counters["nodes"] = outcome.captured.nodes;
    state.counters["nodes_after"] = outcome.running.nodes;
  }
  state.counters["instantiate_us"] = Median(by_hand_us);
  return Median(create_us);
}

// `capture` makes the graph of the update number i, beginning with that which
// the executable is made of.
double MeasureUpdate(const CostRig& rig,
                     const std::function<GraphHandle(int)>& capture,
                     UpdateResult expected, benchmark::State& state) {
  const GraphHandle first = capture(0);
  RewrittenExecutable executable =
      RewrittenExecutable::Create(rig.driver(), first.get());
  std::vector<double> us;
  for (int i = 1; i <= kTimes; ++i) {
    const GraphHandle graph = capture(i);
    us.push_back(HostUs([&] {
      if (executable.Update(graph.get()) != expected) {
        Fail("another way of updating than this row is of");
      }
    }));
  }
  if (!executable.runs()) Fail("the graph was not rewritten");
  const GraphCounts& captured = executable.outcome().captured;
  state.counters["nodes"] = captured.nodes;
  state.counters["nodes_after"] = executable.outcome().running.nodes;
  state.counters["ns_per_node"] = 1000 * Median(us) / captured.nodes;
  return Median(us);
}

double MeasureUnchanged(const Driver& driver, benchmark::State& state) {
  const CostRig rig(driver);
  return MeasureUpdate(
      rig, [&](int) { return rig.Capture(); }, UpdateResult::kUnchanged, state);
}

double MeasurePatchOfOne(const Driver& driver, benchmark::State& state) {
  const CostRig rig(driver);
  return MeasureUpdate(
      rig, [&](int i) { return rig.CaptureWithAdd(i % 2); },
      UpdateResult::kPatched, state);
}

double MeasurePatch(const Driver& driver, benchmark::State& state) {
  const CostRig rig(driver);
  const auto capture = [&](int i) {
    return i % 2 == 0 ? rig.Capture() : rig.CaptureElsewhere();
  };
  return MeasureUpdate(rig, capture, UpdateResult::kPatched, state);
}

double MeasureDriverUpdate(const Driver& driver, benchmark::State& state) {
  const CostRig rig(driver);
  const auto capture = [&](int i) {
    return rig.CaptureWithFill(static_cast<std::uint8_t>(i));
  };
  return MeasureUpdate(rig, capture, UpdateResult::kUpdated, state);
}

}  // namespace

void RegisterExecutableCosts(const Driver& driver,
                             std::vector<NamedValue>& costs) {
  struct Row {
    const char* name;
    double (*measure)(const Driver&, benchmark::State&);
  };
  for (const Row& row :
       {Row{"executable/replay", MeasureReplay},
        Row{"executable/create", MeasureCreate},
        Row{"executable/update_unchanged", MeasureUnchanged},
        Row{"executable/update_one", MeasurePatchOfOne},
        Row{"executable/update_patch", MeasurePatch},
        Row{"executable/update_driver", MeasureDriverUpdate}}) {
    RegisterRow(row.name, [&driver, &costs, row](benchmark::State& state) {
      const double us = row.measure(driver, state);
      costs.push_back({std::string(row.name) + "_us", us});
      const auto overhead = state.counters.find("overhead_percent");
      if (overhead != state.counters.end()) {
        costs.push_back({overhead->first, overhead->second.value});
      }
      return us;
    });
  }
}

}  // namespace reprise
