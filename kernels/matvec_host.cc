#include <cstdint>

#include "kernels/block_dot.h"
#include "kernels/matvec.h"

namespace reprise {

template <typename Block>
void MatVecHost(const MatVecParams& params) {
  const Block* weights = static_cast<const Block*>(params.weights);
  for (std::int32_t token = 0; token < params.tokens; ++token) {
    const BlockQ8_1* image = params.image + token * params.image_row_stride;
    float* out = params.output + token * params.output_row_stride;
    for (std::int64_t row = 0; row < params.rows; ++row) {
      out[row] = RowDot(weights + row * params.weight_row_stride, image,
                        params.columns);
    }
  }
}

template void MatVecHost<BlockQ4_0>(const MatVecParams&);
template void MatVecHost<BlockQ8_0>(const MatVecParams&);
template void MatVecHost<BlockQ4_K>(const MatVecParams&);

}  // namespace reprise
