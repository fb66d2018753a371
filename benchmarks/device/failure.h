// How a benchmark program gives up: one line that says what failed, in which
// row and where, then exit status 1. Without the device there is no number, so
// nothing is handed up.
#ifndef REPRISE_BENCHMARKS_DEVICE_FAILURE_H_
#define REPRISE_BENCHMARKS_DEVICE_FAILURE_H_

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>
#include <string_view>

namespace reprise {

[[noreturn]] void Fail(
    std::string_view what,
    std::source_location where = std::source_location::current());

// Fails when `result` is an error.
void CheckCuda(cudaError_t result, std::string_view what,
               std::source_location where = std::source_location::current());

// Failures from now on name this row; an empty name ends that. One thread.
void NameFailuresAfter(std::string row);

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_DEVICE_FAILURE_H_
