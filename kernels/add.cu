#include <cstdint>

#include "kernels/add.h"
#include "kernels/programmatic.cuh"

extern "C" __global__ void __launch_bounds__(reprise::kAddThreads)
    reprise_add(const reprise::AddParams params) {
  using namespace reprise;
  TriggerDependents();
  const std::int64_t i = std::int64_t{blockIdx.x} * kAddThreads + threadIdx.x;
  WaitForPrimaries();
  if (i < params.count) params.output[i] = params.a[i] + params.b[i];
}
