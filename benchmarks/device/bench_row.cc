#include "benchmarks/device/bench_row.h"

#include <utility>

#include "benchmarks/device/failure.h"

namespace reprise {

void RegisterRow(const std::string& name,
                 std::function<double(benchmark::State&)> measure) {
  const auto run = [name,
                    measure = std::move(measure)](benchmark::State& state) {
    NameFailuresAfter(name);
    for (auto _ : state) state.SetIterationTime(1e-6 * measure(state));
    NameFailuresAfter("");
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace reprise
