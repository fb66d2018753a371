// The device that a benchmark program runs on, and the words about it that
// stand in the context of its results.
#ifndef REPRISE_BENCHMARKS_DEVICE_BENCH_DEVICE_H_
#define REPRISE_BENCHMARKS_DEVICE_BENCH_DEVICE_H_

#include <string>

namespace reprise {

struct BenchDevice {
  std::string name;
  // Bytes read plus bytes written by a copy within device memory, 1e9 a second:
  // what weights that stream from memory are compared with.
  double copy_gb_per_s = 0;
};

// Takes the flags of Google Benchmark from the command line, opens the current
// device, measures its copies and adds to the context: device, driver, toolkit,
// commit (of the environment's REPRISE_COMMIT), clocks and copies. Fails on a
// machine without a device.
BenchDevice OpenBenchDevice(int* argc, char** argv);

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_DEVICE_BENCH_DEVICE_H_
