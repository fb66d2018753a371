// What a decode step costs as it was captured, with images shared, with
// producers that emit them, and with the order relaxed that they then need,
// next to the peer engine's figures. Needs a GPU.
//
//   decode_bench --benchmark_filter=llama1b --benchmark_out=results.json
//
// original_us, shared_us, emitted_us and relaxed2_us, relaxed4_us, relaxed8_us,
// by the nodes that may run at once, are the arms, timed in turn, each a replay
// of the whole step with programmatic dependencies at the last position of the
// cache; `us` is emitted_us. ratio is original_us by it, peer_ratio the
// peer's time by it. The arms must leave the same logits. Further rows say what
// an executable costs (executable_costs.h).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/device/bench_device.h"
#include "benchmarks/device/bench_row.h"
#include "benchmarks/device/failure.h"
#include "benchmarks/executable_costs.h"
#include "benchmarks/peer_figures.h"
#include "benchmarks/step_arms.h"
#include "benchmarks/step_models.h"
#include "benchmarks/summary.h"
#include "benchmarks/value_of.h"
#include "driver/driver.h"
#include "planner/planner.h"

namespace reprise {
namespace {

PlanOptions Relaxed(std::uint32_t width) {
  return {.relax = true, .relax_width = width};
}

struct Result {
  std::string name;
  int streams = 1;
  Arm original = {"original", OriginalPlan()};
  Arm shared = {"shared", {.emission = false}};
  Arm emitted = {"emitted", {}};
  Arm relaxed2 = {"relaxed2", Relaxed(2)};
  Arm relaxed4 = {"relaxed4", Relaxed(4)};
  Arm relaxed8 = {"relaxed8", Relaxed(8)};
  std::optional<double> peer_us = std::nullopt;

  std::array<Arm*, 6> arms() {
    return {&original, &shared, &emitted, &relaxed2, &relaxed4, &relaxed8};
  }
};

Result MeasureRow(const StepModel& model, const Driver& driver,
                  benchmark::State& state) {
  Result result{model.RowName(), model.options.streams};
  MeasureArms(driver, model.options, result.arms(), state);
  const double us = result.emitted.timing.us;
  state.counters["ratio"] = result.original.timing.us / us;
  if (model.as_peer) {
    result.peer_us = PeerDecodeUs(model.name, model.options.tokens);
  }
  if (result.peer_us) {
    state.counters["peer_us"] = *result.peer_us;
    state.counters["peer_ratio"] = *result.peer_us / us;
  }
  return result;
}

// Of one stream a line each; with three, the best and the worst.
void PrintSummary(const std::vector<Result>& results,
                  const std::vector<NamedValue>& costs) {
  std::vector<NamedValue> gains, peers, spreads;
  PrintSummaryTitle("decode_bench");
  for (const Result& r : results) {
    const double us = r.emitted.timing.us;
    const double gain = r.original.timing.us / us;
    spreads.push_back(
        {r.name, std::max(r.original.timing.spread, r.emitted.timing.spread)});
    if (r.streams > 1) {
      gains.push_back({r.name, gain});
      continue;
    }
    std::fprintf(stderr,
                 "  %s: %.3f ms (%u launches), shared %.3f (%u), original %.3f "
                 "(%u), ratio %.3f; relaxed to 2, 4, 8: %.3f, %.3f, %.3f",
                 r.name.c_str(), us / 1000, r.emitted.launches,
                 r.shared.timing.us / 1000, r.shared.launches,
                 r.original.timing.us / 1000, r.original.launches, gain,
                 r.relaxed2.timing.us / 1000, r.relaxed4.timing.us / 1000,
                 r.relaxed8.timing.us / 1000);
    if (r.peer_us) {
      std::fprintf(stderr, "; peer %.3f", *r.peer_us / 1000);
      peers.push_back({r.name, *r.peer_us / us});
    }
    std::fputs("\n", stderr);
  }
  if (!gains.empty()) {
    const auto [least, most] =
        std::ranges::minmax_element(gains, {}, &NamedValue::value);
    std::fprintf(stderr, "  on three streams: ratio %.3f (%s) to %.3f (%s)\n",
                 least->value, least->name.c_str(), most->value,
                 most->name.c_str());
  }
  PrintRatios("shaped as the peer's", peers);
  PrintLargestSpread(spreads);
  for (const NamedValue& cost : costs) {
    std::fprintf(stderr, "%s%s %.3f", &cost == &costs.front() ? "  " : ", ",
                 cost.name.c_str(), cost.value);
  }
  if (!costs.empty()) std::fputs("\n", stderr);
}

int Run(int argc, char** argv) {
  OpenBenchDevice(&argc, argv);
  const Driver& driver = *ValueOf(LoadDriver());
  std::vector<Result> results;
  for (const StepModel& model : DecodeModels()) {
    if (!IsBuilt(model.options)) Fail("this build leaves out " + model.name);
    RegisterRow(model.RowName(), [&, model](benchmark::State& state) {
      results.push_back(MeasureRow(model, driver, state));
      return results.back().emitted.timing.us;
    });
  }
  std::vector<NamedValue> costs;
  RegisterExecutableCosts(driver, costs);
  benchmark::RunSpecifiedBenchmarks();
  if (results.empty() && costs.empty()) return EXIT_FAILURE;
  PrintSummary(results, costs);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace reprise

int main(int argc, char** argv) { return reprise::Run(argc, argv); }
