// Gated linear units: an activation of `gate` times `up`, and optionally the
// q8_1 image of the result.
//
// Shapes   gate, up [rows][columns] with row strides; output [rows][columns]
//          dense; image of the output, one plane. The operands come as two
//          tensors or as halves of one row: see GluOperands.
//          The output may be gate or up itself (same first byte, dense rows).
// Cost     reads 8 bytes an output value, writes 4, and 36/32 a padded value
//          for the image.
// Formula  with x of gate and g of up:
//          kReglu        max(x, 0) * g
//          kGeglu        0.5x * (1 + tanh(0.79788456x * (1 + 0.044715x^2))) * g
//          kSwiglu       x / (1 + exp(-x)) * g
//          kGegluErf     0.5x * (1 + erf(0.70710678x)) * g
//          kGegluQuick   x * (1 / (1 + exp(-1.702x))) * g
//          kSwigluOai    x' = min(x, limit), g' = clamp(g, -limit, limit):
//                        x' / (1 + exp(-alpha x')) * (1 + g')
//          kSwigluClamp  x' / (1 + exp(-x')) * g', x' and g' as above
//          min and max take the other operand when one is NaN.
// Symbols  reprise_glu_reglu, _geglu, _swiglu, _geglu_erf, _geglu_quick,
//          _swiglu_oai, _swiglu_clamp, and each with _emit and _emit_t
#ifndef REPRISE_KERNELS_GLU_H_
#define REPRISE_KERNELS_GLU_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/emission.h"
#include "kernels/launch_shape.h"

namespace reprise {

enum class GluFunction {
  kReglu,
  kGeglu,
  kSwiglu,
  kGegluErf,
  kGegluQuick,
  kSwigluOai,
  kSwigluClamp,
};

inline constexpr std::uint32_t kGluThreads = 256;

struct GluParams {
  const float* gate = nullptr;  // the activated operand
  const float* up = nullptr;
  float* output = nullptr;  // emitting forms: null: floats not stored
  void* image = nullptr;    // emitting forms only
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t gate_row_stride = 0;
  std::int64_t up_row_stride = 0;
  float alpha = 0;  // kSwigluOai only
  float limit = 0;  // kSwigluOai and kSwigluClamp only
};
static_assert(sizeof(GluParams) == 72);

// Both forms run a thread a padded column, so that a warp holds one block and
// an emitting twin takes over the plain form's launch shape.
constexpr LaunchShape GluShape(const GluParams& params) {
  return {{GroupsOf(kGluThreads, PaddedColumns(params.columns)),
           Extent(params.rows), 1},
          {kGluThreads, 1, 1}};
}

// Where gate and up lie. Strides are in floats.
struct GluOperands {
  const float* gate;
  const float* up;
  std::int64_t gate_row_stride;
  std::int64_t up_row_stride;
};

constexpr GluOperands SeparateGlu(const float* gate,
                                  std::int64_t gate_row_stride, const float* up,
                                  std::int64_t up_row_stride) {
  return {gate, up, gate_row_stride, up_row_stride};
}

// A packed row is the `columns` values of gate, then those of up.
constexpr GluOperands PackedGlu(const float* packed, std::int64_t columns,
                                std::int64_t row_stride) {
  return {packed, packed + columns, row_stride, row_stride};
}

// As PackedGlu, with up first.
constexpr GluOperands PackedSwappedGlu(const float* packed,
                                       std::int64_t columns,
                                       std::int64_t row_stride) {
  return {packed + columns, packed, row_stride, row_stride};
}

void GluHost(GluFunction form, Emission emission, const GluParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_GLU_H_
