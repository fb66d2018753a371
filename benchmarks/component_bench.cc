// What parts of a decode step cost with their image shared, next to the peer
// engine's figures and to the same part with a quantizer for each reader. Needs
// a GPU.
//
//   component_bench --benchmark_filter=qkv --benchmark_out=results.json
//
// chain_us, fork_us and unshared_us are the arms (components.h), timed in turn;
// `us` is the better of chain and fork, named by the label. One reader cannot
// fork. gb_per_s and copy_share are of the better arm's weights.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/components.h"
#include "benchmarks/device/bench_device.h"
#include "benchmarks/device/bench_row.h"
#include "benchmarks/device/device_memory.h"
#include "benchmarks/device/failure.h"
#include "benchmarks/device/region_timer.h"
#include "benchmarks/peer_figures.h"
#include "benchmarks/summary.h"
#include "kernels/device_kernels.h"

namespace reprise {
namespace {

struct Row {
  Component component;
  std::int32_t tokens = 0;

  std::string Name() const {
    return "component/" + component.name + "/t" + std::to_string(tokens);
  }
};

struct Result {
  std::string name;
  double us = 0;
  double peer_us = 0;
  double unshared_us = 0;
  double spread = 0;  // of the better arm
  std::string better_arm;
};

struct NamedArm {
  Arm arm;
  std::string name;
};

std::vector<NamedArm> ArmsOf(const Component& component) {
  std::vector<NamedArm> arms = {{Arm::kUnshared, "unshared"},
                                {Arm::kChain, "chain"}};
  if (component.readers.size() > 1) arms.push_back({Arm::kFork, "fork"});
  return arms;
}

Result MeasureRow(const Row& row, const WeightPool& pool,
                  const BenchDevice& device, benchmark::State& state) {
  const ComponentRig rig(row.component, row.tokens);
  const std::vector<NamedArm> arms = ArmsOf(row.component);
  std::vector<GraphExec> graphs;
  for (const NamedArm& arm : arms) graphs.push_back(rig.Record(arm.arm, pool));
  std::vector<Timing> timings = TimeInRounds(graphs);
  for (Timing& timing : timings) {
    timing.us /= static_cast<double>(rig.repetitions());
  }

  const auto shared = timings.begin() + 1;
  const auto better =
      std::ranges::min_element(shared, timings.end(), {}, &Timing::us);
  const Result result{
      .name = row.Name(),
      .us = better->us,
      .peer_us = PeerComponentUs(row.component.name, row.tokens),
      .unshared_us = timings.front().us,
      .spread = better->spread,
      .better_arm =
          arms[static_cast<std::size_t>(better - timings.begin())].name,
  };
  const double gb_per_s = 1e-3 * rig.read_bytes() / result.us;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    state.counters[arms[i].name + "_us"] = timings[i].us;
    state.counters[arms[i].name + "_spread"] = timings[i].spread;
  }
  state.counters["us"] = result.us;
  state.counters["peer_us"] = result.peer_us;
  state.counters["ratio"] = result.peer_us / result.us;
  state.counters["sharing"] = result.unshared_us / result.us;
  state.counters["gb_per_s"] = gb_per_s;
  state.counters["copy_share"] = gb_per_s / device.copy_gb_per_s;
  state.SetLabel(result.better_arm);
  return result;
}

void PrintSummary(const std::vector<Result>& results) {
  std::vector<NamedValue> ratios, spreads;
  PrintSummaryTitle("component_bench");
  for (const Result& result : results) {
    const double ratio = result.peer_us / result.us;
    ratios.push_back({result.name, ratio});
    spreads.push_back({result.name, result.spread});
  }
  PrintRatios("all", ratios);
  PrintBelowOne(ratios);
  PrintLargestSpread(spreads);
}

int Run(int argc, char** argv) {
  const BenchDevice device = OpenBenchDevice(&argc, argv);
  if (FindDeviceFunction("reprise_matvec_q4_0") == nullptr) {
    Fail("this build leaves out q4_0");
  }
  std::vector<Row> rows;
  std::size_t pool_bytes = 0;
  for (const std::int32_t tokens : {1, 8}) {
    for (const Component& component : Components()) {
      rows.push_back({component, tokens});
      pool_bytes =
          std::max(pool_bytes, ComponentRig(component, tokens).pool_bytes());
    }
  }
  const WeightPool pool(pool_bytes);

  std::vector<Result> results;
  for (const Row& row : rows) {
    RegisterRow(row.Name(), [&, row](benchmark::State& state) {
      results.push_back(MeasureRow(row, pool, device, state));
      return results.back().us;
    });
  }
  benchmark::RunSpecifiedBenchmarks();
  if (results.empty()) return EXIT_FAILURE;
  PrintSummary(results);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace reprise

int main(int argc, char** argv) { return reprise::Run(argc, argv); }
