// What a prefill step costs as it was captured, with images shared, with
// producers that emit them, and without the floats that nobody reads then.
// Needs a GPU.
//
//   prefill_bench --benchmark_filter=qwen7b --benchmark_out=results.json
//
// original_us, shared_us, emitted_us and dropped_us are the arms
// (step_arms.h); `us` is dropped_us. NAME_tokens_per_s is the step's tokens by
// the time, NAME_ratio original_us by the time. quantizers_share is
// quantizers_us by original_us. Every token of a step leaves its logits.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/device/bench_device.h"
#include "benchmarks/device/bench_row.h"
#include "benchmarks/device/failure.h"
#include "benchmarks/step_arms.h"
#include "benchmarks/step_models.h"
#include "benchmarks/summary.h"
#include "benchmarks/value_of.h"
#include "driver/driver.h"

namespace reprise {
namespace {

struct Result {
  std::string name;
  int tokens = 0;
  double quantizers_us = 0;
  Arm original = {"original", OriginalPlan()};
  Arm shared = {"shared", {.emission = false}};
  Arm emitted = {"emitted", {}};
  Arm dropped = {"dropped", {.dead_stores = true}};

  std::array<Arm*, 4> arms() {
    return {&original, &shared, &emitted, &dropped};
  }
  double TokensPerSecond(const Arm& arm) const {
    return tokens * 1e6 / arm.timing.us;
  }
  double QuantizersShare() const { return quantizers_us / original.timing.us; }
  double Ratio(const Arm& arm) const {
    return original.timing.us / arm.timing.us;
  }
};

Result MeasureRow(const StepModel& model, const Driver& driver,
                  benchmark::State& state) {
  Result result{model.RowName(), model.options.tokens};
  result.quantizers_us =
      MeasureArms(driver, model.options, result.arms(), state);
  state.counters["quantizers_share"] = result.QuantizersShare();
  for (const Arm* arm : result.arms()) {
    const std::string name = arm->name;
    state.counters[name + "_tokens_per_s"] = result.TokensPerSecond(*arm);
    state.counters[name + "_ratio"] = result.Ratio(*arm);
  }
  return result;
}

// The least and the most.
void PrintRange(const char* what, const std::vector<NamedValue>& values) {
  const auto [least, most] =
      std::ranges::minmax_element(values, {}, &NamedValue::value);
  std::fprintf(stderr, "  %s: %.3f (%s) to %.3f (%s)\n", what, least->value,
               least->name.c_str(), most->value, most->name.c_str());
}

void PrintSummary(const std::vector<Result>& results) {
  std::vector<NamedValue> shares, shared, emitted, dropped, spreads;
  for (const Result& r : results) {
    shares.push_back({r.name, r.QuantizersShare()});
    shared.push_back({r.name, r.Ratio(r.shared)});
    emitted.push_back({r.name, r.Ratio(r.emitted)});
    dropped.push_back({r.name, r.Ratio(r.dropped)});
    spreads.push_back(
        {r.name, std::max({r.original.timing.spread, r.shared.timing.spread,
                           r.emitted.timing.spread, r.dropped.timing.spread})});
  }
  PrintSummaryTitle("prefill_bench");
  PrintRange("the quantizers' share", shares);
  PrintRange("original by shared", shared);
  PrintRange("original by emitted", emitted);
  PrintRange("original by dropped", dropped);
  PrintLargestSpread(spreads);
}

int Run(int argc, char** argv) {
  OpenBenchDevice(&argc, argv);
  const Driver& driver = *ValueOf(LoadDriver());
  std::vector<Result> results;
  for (const StepModel& model : PrefillModels()) {
    if (!IsBuilt(model.options)) Fail("this build leaves out " + model.name);
    RegisterRow(model.RowName(), [&, model](benchmark::State& state) {
      results.push_back(MeasureRow(model, driver, state));
      return results.back().dropped.timing.us;
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
