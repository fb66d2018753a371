// What a quantizer and a product of weights cost in a graph, for every format
// and shape that there is a figure of the peer engine for. Needs a GPU.
//
//   matvec_bench --benchmark_filter=q4_0/ --benchmark_out=results.json
//
// A row is a graph of as many repetitions as the peer's had, each with weights
// of its own, so that they come from device memory; its time is a replay by the
// repetitions. copy_share is the rate at which weights are read by that of
// copies in the same run; spread is of the regions (region_timer.h).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/device/activation.h"
#include "benchmarks/device/bench_device.h"
#include "benchmarks/device/bench_row.h"
#include "benchmarks/device/device_memory.h"
#include "benchmarks/device/failure.h"
#include "benchmarks/device/graph_recorder.h"
#include "benchmarks/device/region_timer.h"
#include "benchmarks/peer_figures.h"
#include "benchmarks/summary.h"
#include "graph/weight_format.h"
#include "kernels/device_kernels.h"
#include "kernels/matvec.h"

namespace reprise {
namespace {

struct Row {
  PeerMatVec peer;
  WeightFormatInfo format;

  std::string Symbol() const { return "reprise_matvec_" + peer.format; }
  std::string Name() const {
    return "matvec/" + peer.format + "/k" + std::to_string(peer.k) + "/n" +
           std::to_string(peer.n) + "/t" + std::to_string(peer.tokens);
  }
  std::int64_t RowBlocks() const { return peer.k / format.block_values; }
  std::size_t WeightBytes() const {
    return static_cast<std::size_t>(peer.n * RowBlocks() * format.block_bytes);
  }
  std::size_t PoolBytes() const {
    return WeightPool::Bytes(static_cast<std::size_t>(peer.distinct_weights),
                             WeightBytes());
  }
};

struct Result {
  Row row;
  Timing timing;  // of a repetition
  double gb_per_s = 0;
  double copy_share = 0;

  double Ratio() const { return row.peer.us / timing.us; }
};

std::vector<Row> Rows() {
  std::vector<Row> rows;
  for (const PeerMatVec& peer : PeerMatVecs()) {
    rows.push_back({peer, InfoOf(FindWeightFormat(peer.format).value())});
  }
  return rows;
}

Timing Measure(const Row& row, const WeightPool& pool) {
  const PeerMatVec& peer = row.peer;
  const Activation activation(peer.k, peer.tokens);
  const DeviceMemory output(static_cast<std::size_t>(peer.n * peer.tokens) *
                            sizeof(float));
  MatVecParams params;
  params.image = activation.image();
  params.output = output.As<float>();
  params.columns = peer.k;
  params.rows = peer.n;
  params.weight_row_stride = row.RowBlocks();
  params.image_row_stride = ImageRowBlocks(peer.k);
  params.output_row_stride = peer.n;
  params.tokens = peer.tokens;

  GraphRecorder recorder;
  const auto repetitions = static_cast<std::size_t>(peer.distinct_weights);
  for (std::size_t i = 0; i < repetitions; ++i) {
    params.weights = pool.Weights(i, row.WeightBytes());
    activation.Quantize(recorder);
    recorder.Launch(row.Symbol(), params);
  }
  const GraphExec graph = recorder.Finish();
  Timing timing = TimeInRounds(std::span(&graph, 1)).front();
  timing.us /= static_cast<double>(repetitions);
  return timing;
}

Result MeasureRow(const Row& row, const WeightPool& pool,
                  const BenchDevice& device, benchmark::State& state) {
  Result result{row, Measure(row, pool)};
  result.gb_per_s =
      1e-3 * static_cast<double>(row.WeightBytes()) / result.timing.us;
  result.copy_share = result.gb_per_s / device.copy_gb_per_s;
  state.counters["us"] = result.timing.us;
  state.counters["peer_us"] = row.peer.us;
  state.counters["ratio"] = result.Ratio();
  state.counters["gb_per_s"] = result.gb_per_s;
  state.counters["copy_share"] = result.copy_share;
  state.counters["spread"] = result.timing.spread;
  return result;
}

// Where the time should be that of reading the weights.
bool IsLarge(const Row& row) {
  const bool four_bits =
      8 * row.format.block_bytes >= 4 * row.format.block_values;
  return row.peer.tokens == 1 && row.peer.k * row.peer.n >= 4096 * 14336 &&
         four_bits;
}

// Where the peer is bound by neither launches nor memory.
bool IsPeersArithmetic(const Row& row) {
  return row.peer.tokens > 1 && row.peer.weight_gb_per_s >= 400 &&
         row.peer.weight_gb_per_s <= 1500;
}

void PrintSummary(const std::vector<Result>& results, std::size_t left_out) {
  std::vector<NamedValue> ratios, large, arithmetic, spreads;
  std::map<std::int32_t, std::vector<NamedValue>> by_tokens;
  for (const Result& result : results) {
    const std::string name = result.row.Name();
    ratios.push_back({name, result.Ratio()});
    by_tokens[result.row.peer.tokens].push_back(ratios.back());
    spreads.push_back({name, result.timing.spread});
    if (IsLarge(result.row)) large.push_back({name, result.copy_share});
    if (IsPeersArithmetic(result.row) && result.Ratio() < 2.5) {
      arithmetic.push_back({name, result.Ratio()});
    }
  }
  PrintSummaryTitle("matvec_bench");
  if (left_out > 0) {
    std::fprintf(stderr,
                 "  %zu rows left out: not among this build's formats\n",
                 left_out);
  }
  PrintRatios("all", ratios);
  for (const auto& [tokens, some] : by_tokens) {
    PrintRatios("tokens " + std::to_string(tokens), some);
  }
  PrintBelowOne(ratios);
  PrintRows("large rows, lowest share of the copy rate first", large);
  PrintRows("rows of 4 and 8 tokens below 2.5, peer at 400 to 1500 GB/s",
            arithmetic);
  PrintLargestSpread(spreads);
}

int Run(int argc, char** argv) {
  const BenchDevice device = OpenBenchDevice(&argc, argv);
  std::vector<Row> rows = Rows();
  const std::size_t left_out = std::erase_if(rows, [](const Row& row) {
    return FindDeviceFunction(row.Symbol()) == nullptr;
  });
  if (rows.empty()) Fail("this build has none of the peer's formats");
  const WeightPool pool(
      std::ranges::max(rows, {}, &Row::PoolBytes).PoolBytes());

  std::vector<Result> results;
  for (const Row& row : rows) {
    RegisterRow(row.Name(), [&, row](benchmark::State& state) {
      results.push_back(MeasureRow(row, pool, device, state));
      return results.back().timing.us;
    });
  }
  benchmark::RunSpecifiedBenchmarks();
  if (results.empty()) return EXIT_FAILURE;
  PrintSummary(results, left_out);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace reprise

int main(int argc, char** argv) { return reprise::Run(argc, argv); }
