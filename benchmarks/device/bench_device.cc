#include "benchmarks/device/bench_device.h"

#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <span>

#include "benchmarks/device/device_memory.h"
#include "benchmarks/device/failure.h"
#include "benchmarks/device/region_timer.h"

namespace reprise {
namespace {

double CopyGbPerS() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  const WeightPool from(kBytes);
  const DeviceMemory to(kBytes);
  const Work copy = [&](cudaStream_t stream) {
    CheckCuda(cudaMemcpyAsync(to.As<void>(), from.Weights(0, kBytes), kBytes,
                              cudaMemcpyDeviceToDevice, stream),
              "copy");
  };
  const Timing timing = TimeInRounds(std::span(&copy, 1)).front();
  return 2e-3 * kBytes / timing.us;
}

std::string Version(int number) {
  return std::to_string(number / 1000) + "." +
         std::to_string(number % 1000 / 10);
}

// The driver's own number, which the runtime does not know, where the kernel
// module tells it; and the CUDA version that it serves.
std::string DriverVersion() {
  int cuda = 0;
  CheckCuda(cudaDriverGetVersion(&cuda), "ask for the driver's version");
  const std::string serves = "CUDA " + Version(cuda);
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch number;
  if (!std::regex_search(line, number, std::regex(R"(\d+(\.\d+)+)"))) {
    return serves;
  }
  return number.str() + ", " + serves;
}

std::string Attribute(cudaDeviceAttr attribute, int unit = 1) {
  int value = 0;
  CheckCuda(cudaDeviceGetAttribute(&value, attribute, 0),
            "ask for an attribute of the device");
  return std::to_string(value / unit);
}

std::string Commit() {
  const char* commit = std::getenv("REPRISE_COMMIT");
  return commit == nullptr ? "unknown" : commit;
}

}  // namespace

BenchDevice OpenBenchDevice(int* argc, char** argv) {
  benchmark::Initialize(argc, argv);
  if (benchmark::ReportUnrecognizedArguments(*argc, argv)) {
    std::exit(EXIT_FAILURE);
  }

  CheckCuda(cudaSetDevice(0), "open a CUDA device");
  cudaDeviceProp properties{};
  CheckCuda(cudaGetDeviceProperties(&properties, 0), "ask for the device");
  const BenchDevice device{properties.name, CopyGbPerS()};

  using benchmark::AddCustomContext;
  AddCustomContext("device", device.name);
  AddCustomContext("driver", DriverVersion());
  AddCustomContext("toolkit", REPRISE_TOOLKIT_VERSION);
  AddCustomContext("commit", Commit());
  AddCustomContext("multiprocessors",
                   Attribute(cudaDevAttrMultiProcessorCount));
  AddCustomContext("l2_bytes", Attribute(cudaDevAttrL2CacheSize));
  AddCustomContext("highest_clock_mhz", Attribute(cudaDevAttrClockRate, 1000));
  AddCustomContext("highest_memory_clock_mhz",
                   Attribute(cudaDevAttrMemoryClockRate, 1000));
  AddCustomContext("copy_gb_per_s", std::to_string(device.copy_gb_per_s));
  return device;
}

}  // namespace reprise
