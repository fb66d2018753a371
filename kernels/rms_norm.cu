#include <cstdint>

#include "kernels/emission.h"
#include "kernels/image_row.cuh"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/rms_norm.h"
#include "kernels/rms_norm_row.cuh"

namespace reprise {
namespace {

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

  __device__ NormOperands Load(int column) const {
    NormOperands here = {x[column], 0, 0};
    if constexpr (kMultiplies) here.mul = mul[column];
    if constexpr (kAdds) here.add = add[column];
    return here;
  }

  __device__ static float Square(float value, float partial) {
    return partial + value * value;
  }
  __device__ static float Scale(float sum, int columns, float epsilon) {
    const float mean = sum / static_cast<float>(columns);
    return 1.0f / sqrtf(mean + epsilon);
  }

  __device__ float Normalized(const NormOperands& here, float r) const {
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

template <RmsNormForm kForm, Emission kEmission, int kThreads>
__device__ void Normalize(const RmsNormParams& params, float* totals) {
  const std::int64_t row = blockIdx.x;
  NormalizeRow<kThreads>(
      Row<kForm>(params, row), static_cast<int>(params.columns), params.epsilon,
      {blockIdx.y, gridDim.y}, RowOfOutput(params.output, row, params.columns),
      ImageRow<kEmission>(params.image, row, params.rows, params.columns),
      totals);
}

template <RmsNormForm kForm, Emission kEmission>
__device__ void RmsNorm(const RmsNormParams& params) {
  TriggerDependents();
  extern __shared__ float totals[];
  if (blockDim.x == kRmsNormMaxThreads) {
    Normalize<kForm, kEmission, kRmsNormMaxThreads>(params, totals);
  } else {
    Normalize<kForm, kEmission, kRmsNormMinThreads>(params, totals);
  }
}

}  // namespace
}  // namespace reprise

#define REPRISE_RMS_NORM_TWIN(symbol, form, emission)                          \
  extern "C" __global__ void __launch_bounds__(reprise::kRmsNormMaxThreads)    \
      symbol(const reprise::RmsNormParams params) {                            \
    reprise::RmsNorm<reprise::RmsNormForm::form, reprise::Emission::emission>( \
        params);                                                               \
  }
#define REPRISE_RMS_NORM(symbol, form)              \
  REPRISE_RMS_NORM_TWIN(symbol, form, kPlain)       \
  REPRISE_RMS_NORM_TWIN(symbol##_emit, form, kEmit) \
  REPRISE_RMS_NORM_TWIN(symbol##_emit_t, form, kEmitTransposed)

REPRISE_RMS_NORM(reprise_rms_norm, kPlain)
REPRISE_RMS_NORM(reprise_rms_norm_mul, kMul)
REPRISE_RMS_NORM(reprise_rms_norm_mul_add, kMulAdd)
REPRISE_RMS_NORM(reprise_rms_norm_scale, kScale)
