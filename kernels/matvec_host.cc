#include <cstdint>

#include "kernels/block_dot.h"
#include "kernels/matvec.h"
#include "kernels/weight_blocks.h"

namespace reprise {

template <typename Block>
void MatVecHost(const MatVecParams& params) {
  for (std::int32_t plane = 0; plane < params.planes; ++plane) {
    const Block* weights =
        static_cast<const Block*>(params.weights) +
        plane / params.weight_share * params.weight_plane_stride;
    for (std::int32_t token = 0; token < params.tokens; ++token) {
      const BlockQ8_1* image = params.image +
                               plane * params.image_plane_stride +
                               token * params.image_row_stride;
      float* out = params.output + plane * params.output_plane_stride +
                   token * params.output_row_stride;
      for (std::int64_t row = 0; row < params.rows; ++row) {
        out[row] = RowDot(weights + row * params.weight_row_stride, image,
                          params.columns);
      }
    }
  }
}

#define REPRISE_INSTANTIATE(format, Block) \
  template void MatVecHost<Block>(const MatVecParams&);
REPRISE_WEIGHT_BLOCKS(REPRISE_INSTANTIATE)
#undef REPRISE_INSTANTIATE

}  // namespace reprise
