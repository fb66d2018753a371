// A row of results: a benchmark of Google's library that is measured once, by
// the region timer, in a time that it sets itself.
#ifndef REPRISE_BENCHMARKS_DEVICE_BENCH_ROW_H_
#define REPRISE_BENCHMARKS_DEVICE_BENCH_ROW_H_

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

namespace reprise {

// `measure` returns the row's time in microseconds and sets its counters.
// Failures within it name the row.
void RegisterRow(const std::string& name,
                 std::function<double(benchmark::State&)> measure);

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_DEVICE_BENCH_ROW_H_
