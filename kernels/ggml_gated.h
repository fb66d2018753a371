// Replacements for ggml-cuda's unary_gated_op_kernel and swiglu_oai_kernel of
// floats that write the q8_1 image too: as ggml_rms_norm.h says.
//
// Shapes   x (which is activated) and g [rows][columns] with row strides;
//          output dense, of `count` values in all; image of the output, one
//          plane. `columns` is a multiple of 32, `count` of `columns`.
//          The output may be x or g itself.
// Launch   that of the replaced node: a thread a value, whole warps. The warp
//          of a row's last block writes the zero blocks behind it.
// Formula  silu        x / (1 + exp(-x)) * g
//          gelu        0.5x * (1 + tanh(0.79788456x * u)) * g,
//                      u = fma(x, 0.044715x, 1)
//          gelu_erf    0.5x * (1 + erf(0.70710678x)) * g
//          gelu_quick  x * (1 / (1 + exp(-1.702x))) * g
//          relu        max(x, 0) * g
//          swiglu_oai  x' / (1 + exp(-(x' * alpha))) * (1 + g'),
//                      x' = min(x, limit), g' = max(min(g, limit), -limit)
// Symbols  reprise_ggml_gated_silu, _gelu, _gelu_erf, _gelu_quick, _relu;
//          reprise_ggml_swiglu_oai
#ifndef REPRISE_KERNELS_GGML_GATED_H_
#define REPRISE_KERNELS_GGML_GATED_H_

#include <cstddef>
#include <cstdint>

#include "kernels/block_q8_1.h"

namespace reprise {

// Strides are in floats.
struct GgmlGatedOperands {
  const float* x = nullptr;
  const float* g = nullptr;
  float* output = nullptr;  // null: floats not stored
  std::int64_t count = 0;
  std::int64_t columns = 0;
  std::int64_t x_row_stride = 0;
  std::int64_t g_row_stride = 0;
};

// The engine's parameters where it has them, then the image.
struct GgmlGatedParams {
  GgmlGatedOperands operands;
  BlockQ8_1* image = nullptr;
};
static_assert(offsetof(GgmlGatedParams, image) == 56);
static_assert(sizeof(GgmlGatedParams) == 64);

struct GgmlSwigluOaiParams {
  GgmlGatedOperands operands;
  float alpha = 0;
  float limit = 0;
  BlockQ8_1* image = nullptr;
};
static_assert(offsetof(GgmlSwigluOaiParams, image) == 64);
static_assert(sizeof(GgmlSwigluOaiParams) == 72);

}  // namespace reprise

#endif  // REPRISE_KERNELS_GGML_GATED_H_
