#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/emission.h"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/quantize_warp.cuh"
#include "kernels/rms_norm.h"
#include "kernels/warp_sum.cuh"

namespace reprise {
namespace {

// At one row there is little but a thread's own loads to hide a load behind, so
// it has several in flight: for the sum, and for the columns that it stores.
constexpr int kSumTurns = 8;
constexpr int kStoreTurns = 2;

// This thread's part of the sum: columns thread, thread + kThreads, and so on.
// A turn past the row's end adds 0, which changes no sum of squares.
template <int kThreads>
__device__ float SumOfSquares(const float* x, int columns) {
  const int thread = static_cast<int>(threadIdx.x);
  float partial = 0;
#pragma unroll 1
  for (int first = 0; first < columns; first += kSumTurns * kThreads) {
    const float* here = x + first + thread;
    const int left = columns - first - thread;
    float values[kSumTurns];
#pragma unroll
    for (int i = 0; i < kSumTurns; ++i) {
      values[i] = i * kThreads < left ? here[i * kThreads] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kSumTurns; ++i) partial += values[i] * values[i];
  }
  return partial;
}

// The whole thread block calls it; `totals` holds a float a lane.
template <int kThreads>
__device__ float BlockSum(float partial, float* totals) {
  const unsigned lane = threadIdx.x % kWarpThreads;
  const float total = WarpSumOfLanes(partial);
  if (lane == 0) totals[threadIdx.x / kWarpThreads] = total;
  __syncthreads();
  const bool warp_exists = lane < kThreads / kWarpThreads;
  return WarpSumOfLanes(warp_exists ? totals[lane] : 0.0f);
}

__device__ void PrefetchToL2(const float* address) {
  asm volatile("prefetch.L2 [%0];" ::"l"(address));
}

struct Operands {
  float x;
  float mul;
  float add;
};

// A row of x with the rows of mul and add that the form has.
template <RmsNormForm kForm>
struct Row {
  static constexpr bool kAdds = kForm == RmsNormForm::kMulAdd;
  static constexpr bool kMultiplies = kAdds || kForm == RmsNormForm::kMul;

  const float* x;
  const float* mul;
  const float* add;
  float scale;

  __device__ Row(const RmsNormParams& params, std::int64_t row)
      : x(params.x + row * params.x_row_stride),
        mul(params.mul + row * params.mul_row_stride),
        add(params.add + row * params.add_row_stride),
        scale(params.scale) {}

  // Of mul and add alone: as a rule they are weights, which no cache holds.
  __device__ void Prefetch(int column) const {
    if constexpr (kMultiplies) PrefetchToL2(mul + column);
    if constexpr (kAdds) PrefetchToL2(add + column);
  }

  __device__ Operands Load(int column) const {
    Operands here = {x[column], 0, 0};
    if constexpr (kMultiplies) here.mul = mul[column];
    if constexpr (kAdds) here.add = add[column];
    return here;
  }

  __device__ float Normalized(const Operands& here, float r) const {
    const float value = here.x * r;
    if constexpr (kAdds) {
      return value * here.mul + here.add;
    } else if constexpr (kMultiplies) {
      return value * here.mul;
    } else if constexpr (kForm == RmsNormForm::kScale) {
      return value * scale;
    } else {
      return value;
    }
  }
};

// The output may be x: a thread loads what it replaces before it stores there,
// and others have read it before the sum, for then there is no other block.
template <RmsNormForm kForm, Emission kEmission, int kThreads>
__device__ void NormalizeRow(const RmsNormParams& params, float* totals) {
  const int columns = static_cast<int>(params.columns);
  const int padded = static_cast<int>(PaddedColumns(params.columns));
  const std::int64_t row_index = blockIdx.x;
  const Row<kForm> row(params, row_index);
  float* output = params.output + row_index * columns;
  BlockQ8_1* image = params.image + row_index * ImageRowBlocks(params.columns);
  // Turns blockIdx.y, blockIdx.y + gridDim.y and so on.
  const int begin = static_cast<int>(blockIdx.y * kThreads + threadIdx.x);
  const int stride = static_cast<int>(gridDim.y * kThreads);
  if (begin < columns) row.Prefetch(begin);
  WaitForPrimaries();

  Operands loaded[kStoreTurns] = {};
  const auto load = [&](int first) {
#pragma unroll
    for (int i = 0; i < kStoreTurns; ++i) {
      const int column = first + i * stride;
      if (column >= columns) break;
      loaded[i] = row.Load(column);
    }
  };
  load(begin);  // on its way while the sum is made
  const float sum =
      BlockSum<kThreads>(SumOfSquares<kThreads>(row.x, columns), totals);
  const float mean = sum / static_cast<float>(columns);
  const float r = 1.0f / sqrtf(mean + params.epsilon);

#pragma unroll 1
  for (int first = begin; first < padded; first += kStoreTurns * stride) {
    if (first != begin) load(first);
#pragma unroll
    for (int i = 0; i < kStoreTurns; ++i) {
      const int column = first + i * stride;
      if (column >= padded) break;  // for a whole warp at once
      float value = 0;
      if (column < columns) {
        value = row.Normalized(loaded[i], r);
        output[column] = value;
      }
      if constexpr (kEmission == Emission::kEmit) {
        QuantizeWarp(value, threadIdx.x % kWarpThreads,
                     image + column / kImageBlockValues);
      }
    }
  }
}

template <RmsNormForm kForm, Emission kEmission>
__device__ void RmsNorm(const RmsNormParams& params) {
  TriggerDependents();
  extern __shared__ float totals[];
  if (blockDim.x == kRmsNormMaxThreads) {
    NormalizeRow<kForm, kEmission, kRmsNormMaxThreads>(params, totals);
  } else {
    NormalizeRow<kForm, kEmission, kRmsNormMinThreads>(params, totals);
  }
}

}  // namespace
}  // namespace reprise

#define REPRISE_RMS_NORM(symbol, form)                                       \
  extern "C" __global__ void __launch_bounds__(reprise::kRmsNormMaxThreads)  \
      symbol(const reprise::RmsNormParams params) {                          \
    reprise::RmsNorm<reprise::RmsNormForm::form, reprise::Emission::kPlain>( \
        params);                                                             \
  }                                                                          \
  extern "C" __global__ void __launch_bounds__(reprise::kRmsNormMaxThreads)  \
      symbol##_emit(const reprise::RmsNormParams params) {                   \
    reprise::RmsNorm<reprise::RmsNormForm::form, reprise::Emission::kEmit>(  \
        params);                                                             \
  }

REPRISE_RMS_NORM(reprise_rms_norm, kPlain)
REPRISE_RMS_NORM(reprise_rms_norm_mul, kMul)
REPRISE_RMS_NORM(reprise_rms_norm_mul_add, kMulAdd)
REPRISE_RMS_NORM(reprise_rms_norm_scale, kScale)
