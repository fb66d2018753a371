#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/fast_math.cuh"
#include "kernels/ggml_rms_norm.h"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/rms_norm.h"
#include "kernels/rms_norm_row.cuh"

namespace reprise {
namespace {

// The row of a factor that goes with this thread block's row.
__device__ const float* RowOf(const GgmlFactor& factor) {
  return factor.values +
         Modulo(blockIdx.z, factor.samples) * factor.sample_stride +
         Modulo(blockIdx.y, factor.channels) * factor.channel_stride +
         Modulo(blockIdx.x, factor.rows) * factor.row_stride;
}

__device__ float OutputScale(const GgmlRmsNormParams&) { return 1; }
__device__ float OutputScale(const GgmlScaledRmsNormParams& params) {
  return params.output_scale;
}

template <RmsNormForm kForm>
struct Row {
  static constexpr bool kAdds = kForm == RmsNormForm::kMulAdd;
  static constexpr bool kMultiplies = kAdds || kForm == RmsNormForm::kMul;

  const float* x;
  const float* mul = nullptr;
  const float* add = nullptr;
  MagicDivisor mul_columns;
  MagicDivisor add_columns;
  float output_scale;

  template <typename Params>
  __device__ explicit Row(const Params& params)
      : x(params.x + blockIdx.z * params.sample_stride +
          blockIdx.y * params.channel_stride + blockIdx.x * params.row_stride),
        mul_columns(params.mul.columns),
        add_columns(params.add.columns),
        output_scale(OutputScale(params)) {
    if constexpr (kMultiplies) mul = RowOf(params.mul);
    if constexpr (kAdds) add = RowOf(params.add);
  }

  __device__ const float* MulAt(int column) const {
    return mul + Modulo(static_cast<std::uint32_t>(column), mul_columns);
  }
  __device__ const float* AddAt(int column) const {
    return add + Modulo(static_cast<std::uint32_t>(column), add_columns);
  }

  __device__ void Prefetch(int column) const {
    if constexpr (kMultiplies) PrefetchToL2(MulAt(column));
    if constexpr (kAdds) PrefetchToL2(AddAt(column));
  }

  __device__ NormOperands Load(int column) const {
    NormOperands here = {x[column], 0, 0};
    if constexpr (kMultiplies) here.mul = *MulAt(column);
    if constexpr (kAdds) here.add = *AddAt(column);
    return here;
  }

  __device__ static float Square(float value, float partial) {
    return __fmaf_rn(value, value, partial);
  }
  __device__ static float Scale(float sum, int columns, float epsilon) {
    // The engine divides and adds, and ptxas makes one operation of the sum and
    // of the product that its division ends in.
    const float mean_and_epsilon =
        __fmaf_rn(sum, FastReciprocal(static_cast<float>(columns)), epsilon);
    return rsqrtf(mean_and_epsilon);
  }
  __device__ float Normalized(const NormOperands& here, float scale) const {
    const float value = scale * here.x;
    if constexpr (kAdds) {
      return __fmaf_rn(value, here.mul, here.add);
    } else if constexpr (kMultiplies) {
      return value * here.mul;
    } else if constexpr (kForm == RmsNormForm::kScale) {
      return output_scale * value;
    } else {
      return value;
    }
  }
};

// As ImageRow<Emission::kEmit>, with that engine's quantizer.
struct GgmlImageRow {
  static constexpr bool kWritten = true;
  BlockQ8_1* blocks;

  __device__ static int Padded(int columns) {
    return static_cast<int>(PaddedColumns(columns));
  }
  __device__ void Put(float value, unsigned lane, int column) const {
    FastQuantizeWarp(value, lane, blocks + column / kImageBlockValues);
  }
};

template <RmsNormForm kForm, int kThreads, typename Params>
__device__ void Normalize(const Params& params, float* totals) {
  const std::int64_t row =
      (std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x +
      blockIdx.x;
  NormalizeRow<kThreads>(
      Row<kForm>(params), params.columns, params.epsilon, {0, 1},
      RowOfOutput(params.output, row, params.columns),
      GgmlImageRow{params.image + row * ImageRowBlocks(params.columns)},
      totals);
}

template <RmsNormForm kForm, typename Params>
__device__ void GgmlRmsNorm(const Params& params) {
  TriggerDependents();
  __shared__ float totals[kWarpThreads];
  if (blockDim.x == 1024) {
    Normalize<kForm, 1024>(params, totals);
  } else {
    Normalize<kForm, 256>(params, totals);
  }
}

}  // namespace
}  // namespace reprise

#define REPRISE_GGML_RMS_NORM(symbol, form, Params)           \
  extern "C" __global__ void __launch_bounds__(1024)          \
      symbol(const reprise::Params params) {                  \
    reprise::GgmlRmsNorm<reprise::RmsNormForm::form>(params); \
  }

REPRISE_GGML_RMS_NORM(reprise_ggml_rms_norm_plain, kPlain, GgmlRmsNormParams)
REPRISE_GGML_RMS_NORM(reprise_ggml_rms_norm_mul, kMul, GgmlRmsNormParams)
REPRISE_GGML_RMS_NORM(reprise_ggml_rms_norm_mul_add, kMulAdd, GgmlRmsNormParams)
REPRISE_GGML_RMS_NORM(reprise_ggml_scaled_rms_norm_plain, kPlain,
                      GgmlScaledRmsNormParams)
REPRISE_GGML_RMS_NORM(reprise_ggml_scaled_rms_norm_mul, kMul,
                      GgmlScaledRmsNormParams)
REPRISE_GGML_RMS_NORM(reprise_ggml_scaled_rms_norm_mul_add, kMulAdd,
                      GgmlScaledRmsNormParams)
REPRISE_GGML_RMS_NORM(reprise_ggml_scaled_rms_norm_scale, kScale,
                      GgmlScaledRmsNormParams)
