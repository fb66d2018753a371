#include <cstdint>

#include "kernels/programmatic.cuh"
#include "kernels/weighted_sum.h"

extern "C" __global__ void __launch_bounds__(reprise::kWeightedSumThreads)
    reprise_weighted_sum(const reprise::WeightedSumParams params) {
  using namespace reprise;
  TriggerDependents();
  const std::int64_t column =
      std::int64_t{blockIdx.x} * kWeightedSumThreads + threadIdx.x;
  const std::int64_t token = blockIdx.y;
  const float* rows =
      params.rows + token * params.slots * params.columns + column;
  const float* weights = params.weights + token * params.slots;
  WaitForPrimaries();
  if (column >= params.columns) return;
  float sum = 0;
  for (std::int64_t slot = 0; slot < params.slots; ++slot) {
    sum += weights[slot] * rows[slot * params.columns];
  }
  params.output[token * params.columns + column] = sum;
}
