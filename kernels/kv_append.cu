#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/kv_append.h"
#include "kernels/programmatic.cuh"

extern "C" __global__ void __launch_bounds__(reprise::kKvAppendThreads)
    reprise_kv_append(const reprise::KvAppendParams params) {
  using namespace reprise;
  TriggerDependents();
  const std::int64_t column =
      std::int64_t{blockIdx.x} * kKvAppendThreads + threadIdx.x;
  const std::int64_t token = blockIdx.y;
  WaitForPrimaries();
  if (column >= params.columns) return;
  const std::int64_t position = params.positions[token];
  if (position < 0 || position >= params.capacity) return;
  const float value = params.source[token * params.source_row_stride + column];
  params.cache[position * params.columns + column] =
      __half_as_ushort(__float2half_rn(value));
}
