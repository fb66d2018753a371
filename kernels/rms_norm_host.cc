#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/emission.h"
#include "kernels/rms_norm.h"
#include "kernels/warp_sum.h"

namespace reprise {
namespace {

float SumOfSquares(const float* row, std::int64_t columns) {
  const std::uint32_t threads = RmsNormThreads(columns);
  float partial[1024] = {};
  for (std::int64_t c = 0; c < columns; ++c) {
    partial[c % threads] += row[c] * row[c];
  }
  float totals[kWarpThreads] = {};
  for (std::uint32_t warp = 0; warp < threads / kWarpThreads; ++warp) {
    totals[warp] = WarpSum(&partial[warp * kWarpThreads]);
  }
  return WarpSum(totals);
}

// Forms that take no mul or add leave it null.
const float* RowAt(const float* rows, std::int64_t row, std::int64_t stride) {
  return rows == nullptr ? nullptr : rows + row * stride;
}

void NormalizeRow(RmsNormForm form, const RmsNormParams& params,
                  std::int64_t row, float* out) {
  const float* x = params.x + row * params.x_row_stride;
  const float* mul = RowAt(params.mul, row, params.mul_row_stride);
  const float* add = RowAt(params.add, row, params.add_row_stride);
  const float mean =
      SumOfSquares(x, params.columns) / static_cast<float>(params.columns);
  const float r = 1.0f / std::sqrt(mean + params.epsilon);
  for (std::int64_t c = 0; c < params.columns; ++c) {
    float value = x[c] * r;
    switch (form) {
      case RmsNormForm::kPlain:
        break;
      case RmsNormForm::kMul:
        value = value * mul[c];
        break;
      case RmsNormForm::kMulAdd:
        value = value * mul[c] + add[c];
        break;
      case RmsNormForm::kScale:
        value = value * params.scale;
        break;
    }
    out[c] = value;
  }
}

}  // namespace

void RmsNormHost(RmsNormForm form, Emission emission,
                 const RmsNormParams& params) {
  const bool stores = params.output != nullptr;
  std::vector<float> unstored(stores ? 0 : params.columns);
  for (std::int64_t row = 0; row < params.rows; ++row) {
    float* out =
        stores ? params.output + row * params.columns : unstored.data();
    NormalizeRow(form, params, row, out);
    EmitRow(emission, out, row, params.rows, params.columns, params.image);
  }
}

}  // namespace reprise
