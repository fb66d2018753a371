#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/quantize_q8_1.h"
#include "kernels/quantize_warp.cuh"

extern "C" __global__ void __launch_bounds__(reprise::kQuantizeThreads)
    reprise_quantize_q8_1(const reprise::QuantizeQ8_1Params params) {
  using namespace reprise;
  TriggerDependents();
  const std::int64_t column =
      std::int64_t{blockIdx.x} * kQuantizeThreads + threadIdx.x;
  const std::int64_t row = blockIdx.y;
  const std::int64_t plane = blockIdx.z;
  const float* source = params.source + plane * params.plane_stride +
                        row * params.row_stride + column;
  const std::int64_t row_blocks = ImageRowBlocks(params.columns);
  BlockQ8_1* block = params.image + (plane * params.rows + row) * row_blocks +
                     column / kImageBlockValues;
  WaitForPrimaries();
  const float value = column < params.columns ? *source : 0.0f;
  QuantizeWarp(value, threadIdx.x % kWarpThreads, block);
}
