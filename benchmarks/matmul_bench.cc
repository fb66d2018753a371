// What the products of a prefill cost: the matrices of a layer, as models have
// them, times the images of many tokens. Needs a GPU.
//
//   matmul_bench --benchmark_filter=q4_0/ --benchmark_out=results.json
//
// A row is a graph of the products of kLayers layers, each with weights of its
// own; its time is a replay by the products. tops counts a multiplication and
// an addition for each weight and token. The peer's figure is the average of a
// product and its fixup over the model (peer_ggml_h200.json). spread is of the
// regions (region_timer.h).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/device/bench_device.h"
#include "benchmarks/device/bench_row.h"
#include "benchmarks/device/device_memory.h"
#include "benchmarks/device/graph_recorder.h"
#include "benchmarks/device/region_timer.h"
#include "benchmarks/peer_figures.h"
#include "benchmarks/summary.h"
#include "graph/weight_format.h"
#include "kernels/device_kernels.h"
#include "kernels/matmul.h"
#include "kernels/quantize_q8_0.h"

namespace reprise {
namespace {

constexpr std::size_t kLayers = 8;

struct Matrix {
  std::int64_t rows, columns;
};

struct Model {
  const char* name;
  std::vector<Matrix> layer;  // q, k, v, output, gate, up, down
};

std::vector<Matrix> Layer(std::int64_t width, std::int64_t kv,
                          std::int64_t hidden) {
  return {{width, width},  {kv, width},     {kv, width},    {width, width},
          {hidden, width}, {hidden, width}, {width, hidden}};
}

struct Row {
  Model model;
  std::string format;
  std::int64_t tokens;

  std::string PeerName() const {
    return std::string(model.name) + "_" + format;
  }
  std::string Name() const {
    return "matmul/" + std::string(model.name) + "/" + format + "/t" +
           std::to_string(tokens);
  }
};

std::vector<Row> Rows() {
  const Model models[] = {{"llama1b", Layer(2048, 512, 8192)},
                          {"qwen7b", Layer(3584, 512, 18944)},
                          {"qwen05b", Layer(896, 128, 4864)}};
  std::vector<Row> rows;
  for (const Model& model : models) {
    for (const char* format : {"q4_0", "q8_0", "q4_k", "q6_k"}) {
      // Rows of the smallest model are no whole blocks of 256.
      const bool whole = InfoOf(*FindWeightFormat(format)).block_values == 32;
      if (std::string(model.name) == "qwen05b" && !whole) continue;
      if (FindDeviceFunction(std::string("reprise_matmul_") + format) ==
          nullptr) {
        continue;
      }
      for (const std::int64_t tokens : {128, 512, 3325}) {
        rows.push_back({model, format, tokens});
      }
    }
  }
  return rows;
}

struct Result {
  Row row;
  Timing timing;  // of a product
  double tops = 0;
  std::optional<double> peer_us;
};

// One image for all products: it comes from the second-level cache anyway.
struct Image {
  Image(std::int64_t columns, std::int64_t tokens)
      : floats(RandomFloats(static_cast<std::size_t>(columns * tokens), 5)),
        bytes(static_cast<std::size_t>(
            TransposedImage(columns, tokens).bytes())) {}
  DeviceMemory floats;
  DeviceMemory bytes;
};

Result Measure(const Row& row, benchmark::State& state) {
  const WeightFormatInfo format = InfoOf(*FindWeightFormat(row.format));
  std::size_t layer_bytes = 0;
  double operations = 0;
  std::int64_t most_rows = 0;
  for (const Matrix& matrix : row.model.layer) {
    layer_bytes += WeightPool::Bytes(
        1, static_cast<std::size_t>(matrix.rows * matrix.columns /
                                    format.block_values * format.block_bytes));
    operations +=
        2.0 * static_cast<double>(matrix.rows * matrix.columns * row.tokens);
    most_rows = std::max(most_rows, matrix.rows);
  }
  const WeightPool pool(kLayers * layer_bytes);
  const DeviceMemory output(static_cast<std::size_t>(most_rows * row.tokens) *
                            sizeof(float));
  std::vector<Image> images;
  for (const Matrix& matrix : row.model.layer) {
    images.emplace_back(matrix.columns, row.tokens);
    const QuantizeQ8_0Params quantize{
        images.back().floats.As<float>(), images.back().bytes.As<void>(),
        matrix.columns, row.tokens, matrix.columns};
    GraphRecorder once;
    once.Launch("reprise_quantize_q8_0_pad40_t", quantize);
    const GraphExec graph = once.Finish();
    TimeInRounds(std::span(&graph, 1));
  }
  GraphRecorder recorder;
  std::size_t at = 0;
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    for (std::size_t m = 0; m < row.model.layer.size(); ++m) {
      const Matrix& matrix = row.model.layer[m];
      const std::int64_t stride = matrix.columns / format.block_values;
      recorder.Launch("reprise_matmul_" + row.format,
                      MatMulParams{.weights = pool.Weights(0, 1) + at,
                                   .image = images[m].bytes.As<void>(),
                                   .output = output.As<float>(),
                                   .columns = matrix.columns,
                                   .rows = matrix.rows,
                                   .weight_row_stride = stride,
                                   .output_row_stride = matrix.rows,
                                   .tokens = row.tokens});
      at += WeightPool::Bytes(1, static_cast<std::size_t>(matrix.rows * stride *
                                                          format.block_bytes));
    }
  }
  const GraphExec graph = recorder.Finish();
  Result result{row, TimeInRounds(std::span(&graph, 1)).front(), 0,
                PeerMatMulUs(row.PeerName(), row.tokens)};
  const auto products = static_cast<double>(kLayers * row.model.layer.size());
  result.timing.us /= products;
  result.tops =
      1e-6 * operations /
      (result.timing.us * static_cast<double>(row.model.layer.size()));
  state.counters["us"] = result.timing.us;
  state.counters["tops"] = result.tops;
  state.counters["spread"] = result.timing.spread;
  if (result.peer_us) {
    state.counters["peer_us"] = *result.peer_us;
    state.counters["ratio"] = *result.peer_us / result.timing.us;
  }
  return result;
}

void PrintSummary(const std::vector<Result>& results) {
  std::vector<NamedValue> ratios, spreads, tops;
  for (const Result& result : results) {
    const std::string name = result.row.Name();
    if (result.peer_us) {
      ratios.push_back({name, *result.peer_us / result.timing.us});
    }
    spreads.push_back({name, result.timing.spread});
    tops.push_back({name, result.tops});
  }
  PrintSummaryTitle("matmul_bench");
  PrintRatios("all with a figure of the peer", ratios);
  PrintBelowOne(ratios);
  PrintRows("tera operations a second, fewest first", tops);
  PrintLargestSpread(spreads);
}

int Run(int argc, char** argv) {
  OpenBenchDevice(&argc, argv);
  std::vector<Result> results;
  for (const Row& row : Rows()) {
    RegisterRow(row.Name(), [&results, row](benchmark::State& state) {
      results.push_back(Measure(row, state));
      return results.back().timing.us;
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
