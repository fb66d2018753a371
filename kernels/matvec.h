// Quantized weights times the q8_1 images of up to eight tokens.
//
// Shapes   weights [rows][columns] of one block format; image [tokens] rows;
//          output [tokens][rows]. Weight and image strides count their blocks,
//          the output's floats. `columns` is a multiple of the format's block.
// Cost     reads the weights once for all tokens: rows * columns * bits / 8.
// Formula  block_dot.h. The reference adds a row's blocks in order; a kernel
//          that splits a row adds them in another, fixed order.
// Symbols  reprise_matvec_q4_0, reprise_matvec_q8_0, reprise_matvec_q4_k
#ifndef REPRISE_KERNELS_MATVEC_H_
#define REPRISE_KERNELS_MATVEC_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/launch_shape.h"
#include "kernels/weight_blocks.h"

namespace reprise {

inline constexpr std::uint32_t kMatVecWarps = 4;
inline constexpr std::int32_t kMatVecMaxTokens = 8;

struct MatVecParams {
  const void* weights = nullptr;
  const BlockQ8_1* image = nullptr;
  float* output = nullptr;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t weight_row_stride = 0;
  std::int64_t image_row_stride = 0;
  std::int64_t output_row_stride = 0;
  std::int32_t tokens = 0;  // at most kMatVecMaxTokens
  std::int32_t padding = 0;
};
static_assert(sizeof(MatVecParams) == 72);

// A thread block a weight row, for all tokens at once.
constexpr LaunchShape MatVecShape(const MatVecParams& params) {
  return {{params.tokens > 0 ? Extent(params.rows) : 0, 1, 1},
          {kWarpThreads, kMatVecWarps, 1}};
}

// Block is BlockQ4_0, BlockQ8_0 or BlockQ4_K.
template <typename Block>
void MatVecHost(const MatVecParams& params);

extern template void MatVecHost<BlockQ4_0>(const MatVecParams&);
extern template void MatVecHost<BlockQ8_0>(const MatVecParams&);
extern template void MatVecHost<BlockQ4_K>(const MatVecParams&);

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATVEC_H_
