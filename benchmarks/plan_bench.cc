// What planning costs, by the number of nodes: time a node and the most memory
// held while it runs. No GPU.
//
//   build/benchmarks/plan_bench --benchmark_format=json > results.json
//
// The clock sees MakePlan alone; graphs are built outside it. ns_per_node is
// the wall time by the nodes of the graph; peak_bytes_per_node counts what
// operator new handed out above what was held before, at its highest.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "benchmarks/counted_memory.h"
#include "benchmarks/plan_graphs.h"
#include "planner/planner.h"

namespace reprise {
namespace {

void MeasurePlanning(benchmark::State& state, const Graph& graph,
                     const PlanOptions& options = {}) {
  std::uint64_t removed = 0;
  std::size_t peak = 0;
  for (auto _ : state) {
    const CountedMemory memory;
    const absl::StatusOr<Plan> plan = MakePlan(graph, options);
    if (!plan.ok()) return state.SkipWithError("the graph has a cycle");
    peak = memory.peak_bytes();
    removed = 0;
    for (const PlannedImage& image : plan->images) {
      removed += image.removed.size();
    }
  }
  const auto nodes = static_cast<double>(graph.num_nodes());
  state.counters["nodes"] = nodes;
  state.counters["quantizers_removed"] = static_cast<double>(removed);
  state.counters["peak_bytes_per_node"] = static_cast<double>(peak) / nodes;
  state.counters["ns_per_node"] = benchmark::Counter(
      nodes * 1e-9, benchmark::Counter::kIsIterationInvariantRate |
                        benchmark::Counter::kInvert);
}

void PlanLayered(benchmark::State& state) {
  MeasurePlanning(state,
                  LayeredDecode(static_cast<std::uint32_t>(state.range(0))));
}

void PlanRandom(benchmark::State& state) {
  MeasurePlanning(state,
                  RandomStreams(static_cast<std::uint32_t>(state.range(0)),
                                static_cast<std::uint32_t>(state.range(1)), 1));
}

void PlanRelaxed(benchmark::State& state) {
  const Graph graph = LayeredDecode(static_cast<std::uint32_t>(state.range(0)));
  const auto width = static_cast<std::uint32_t>(state.range(1));
  MeasurePlanning(state, graph, {.relax = true, .relax_width = width});
}

BENCHMARK(PlanLayered)
    ->Name("Plan/layered")
    ->ArgName("nodes")
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(PlanRandom)
    ->Name("Plan/random")
    ->ArgNames({"nodes", "streams"})
    ->ArgsProduct({{1000, 10000, 100000, 1000000}, {1, 4, 8}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(PlanRelaxed)
    ->Name("Plan/relaxed")
    ->ArgNames({"nodes", "width"})
    ->ArgsProduct({{1000, 10000, 100000}, {1, 4, 8, 0}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace reprise
