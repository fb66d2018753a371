// What it costs a producer to write its q8_1 image too, against a quantizer of
// its own: emission is worth it where the first is less. Needs a GPU.
//
//   emission_bench --table emission.tsv --benchmark_out=results.json
//
// Three graphs of 200 times the same launches are timed in turn: the producer,
// its emitting twin, and the producer with a quantizer behind it. quantizer_us
// is what the last takes above the first. The data stays in the L2, as it does
// between a producer and its readers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/device/activation.h"
#include "benchmarks/device/bench_device.h"
#include "benchmarks/device/bench_row.h"
#include "benchmarks/device/failure.h"
#include "benchmarks/device/graph_recorder.h"
#include "benchmarks/device/region_timer.h"
#include "benchmarks/summary.h"
#include "kernels/emission.h"

namespace reprise {
namespace {

constexpr int kLaunches = 200;

struct Row {
  std::string producer;  // its symbol without "reprise_"
  std::int64_t columns = 0;
  std::int64_t tokens = 0;

  std::string Name() const {
    return "emission/" + producer + "/k" + std::to_string(columns) + "/t" +
           std::to_string(tokens);
  }
};

struct Result {
  Row row;
  double plain_us = 0;
  double emit_us = 0;
  double quantizer_us = 0;
  double spread = 0;  // the largest of the three graphs

  double ExtraUs() const { return emit_us - plain_us; }
  bool Worth() const { return ExtraUs() < quantizer_us; }
};

// The two producers of a decode step at every length, all others at one.
std::vector<Row> Rows() {
  std::vector<Row> rows;
  const auto add = [&rows](std::string_view producer, std::int64_t columns) {
    for (const std::int64_t tokens : {1, 4, 8}) {
      rows.push_back({std::string(producer), columns, tokens});
    }
  };
  for (const char* producer : {"rms_norm_mul", "glu_swiglu"}) {
    for (const std::int64_t columns :
         {512, 1024, 2048, 4096, 5120, 8192, 14336, 16384, 32768, 65536}) {
      add(producer, columns);
    }
  }
  for (const char* producer :
       {"rms_norm", "rms_norm_mul_add", "rms_norm_scale", "glu_reglu",
        "glu_geglu", "glu_geglu_erf", "glu_geglu_quick", "glu_swiglu_oai",
        "glu_swiglu_clamp"}) {
    add(producer, 4096);
  }
  return rows;
}

Result MeasureRow(const Row& row, benchmark::State& state) {
  const std::string plain = "reprise_" + row.producer;
  const std::string emit = plain + std::string(kEmitSuffix);
  const Activation activation(row.columns, row.tokens);
  const auto record = [&activation](const std::string& symbol, bool quantizer) {
    GraphRecorder recorder;
    for (int launch = 0; launch < kLaunches; ++launch) {
      activation.Produce(recorder, symbol);
      if (quantizer) activation.Quantize(recorder);
    }
    return recorder.Finish();
  };
  const std::array<GraphExec, 3> graphs = {
      record(plain, false), record(emit, false), record(plain, true)};
  const std::vector<Timing> timings = TimeInRounds(graphs);

  Result result{row};
  result.plain_us = timings[0].us / kLaunches;
  result.emit_us = timings[1].us / kLaunches;
  result.quantizer_us = timings[2].us / kLaunches - result.plain_us;
  result.spread = std::ranges::max(timings, {}, &Timing::spread).spread;
  state.counters["plain_us"] = result.plain_us;
  state.counters["emit_us"] = result.emit_us;
  state.counters["extra_us"] = result.ExtraUs();
  state.counters["quantizer_us"] = result.quantizer_us;
  state.counters["worth"] = result.Worth() ? 1 : 0;
  state.counters["spread"] = result.spread;
  return result;
}

void PrintSummary(const std::vector<Result>& results) {
  std::vector<NamedValue> saved, not_worth, spreads;
  for (const Result& result : results) {
    const NamedValue row{result.row.Name(),
                         result.quantizer_us - result.ExtraUs()};
    (result.Worth() ? saved : not_worth).push_back(row);
    spreads.push_back({row.name, result.spread});
  }
  PrintSummaryTitle("emission_bench");
  if (!saved.empty()) {
    const auto [least, most] =
        std::ranges::minmax_element(saved, {}, &NamedValue::value);
    std::fprintf(stderr,
                 "  worth it in %zu of %zu rows; saves %.3f us (%s) to %.3f us "
                 "(%s)\n",
                 saved.size(), results.size(), least->value,
                 least->name.c_str(), most->value, most->name.c_str());
  }
  PrintRows("rows where the twin costs more than a quantizer, us saved",
            not_worth);
  PrintLargestSpread(spreads);
}

void WriteTable(const std::vector<Result>& results, std::ostream& file) {
  file << "producer\tcolumns\ttokens\tplain_us\temit_us\tquantizer_us\tworth\n";
  for (const Result& result : results) {
    file << result.row.producer << '\t' << result.row.columns << '\t'
         << result.row.tokens << '\t' << result.plain_us << '\t'
         << result.emit_us << '\t' << result.quantizer_us << '\t'
         << (result.Worth() ? "yes" : "no") << '\n';
  }
  file.flush();
}

// Takes `--table FILE` out of the command line.
std::string TakeTableFlag(int* argc, char** argv) {
  for (int i = 1; i < *argc; ++i) {
    if (std::strcmp(argv[i], "--table") != 0) continue;
    if (i + 1 == *argc) Fail("--table needs a file");
    std::string path = argv[i + 1];
    std::copy(argv + i + 2, argv + *argc, argv + i);
    *argc -= 2;
    return path;
  }
  return "";
}

int Run(int argc, char** argv) {
  const std::string path = TakeTableFlag(&argc, argv);
  std::ofstream table;
  if (!path.empty()) table.open(path);
  if (!table) Fail("cannot write " + path);
  OpenBenchDevice(&argc, argv);
  std::vector<Result> results;
  for (const Row& row : Rows()) {
    RegisterRow(row.Name(), [&results, row](benchmark::State& state) {
      results.push_back(MeasureRow(row, state));
      return results.back().emit_us;
    });
  }
  benchmark::RunSpecifiedBenchmarks();
  if (results.empty()) return EXIT_FAILURE;
  PrintSummary(results);
  if (table.is_open()) WriteTable(results, table);
  if (!table) Fail("cannot write " + path);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace reprise

int main(int argc, char** argv) { return reprise::Run(argc, argv); }
