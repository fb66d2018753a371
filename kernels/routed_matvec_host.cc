#include <algorithm>
#include <cstdint>

#include "kernels/block_dot.h"
#include "kernels/routed_matvec.h"
#include "kernels/weight_blocks.h"

namespace reprise {
namespace {

template <typename Block>
void ComputeSlot(const RoutedMatVecParams& params, std::int64_t token,
                 std::int64_t slot, float* out) {
  const std::int32_t id = params.ids[token * params.ids_stride + slot];
  if (id < 0 || id >= params.experts) {
    std::fill_n(out, params.rows, 0.0f);
    if (params.invalid_ids != nullptr) ++*params.invalid_ids;
    return;
  }
  const Block* expert =
      static_cast<const Block*>(params.weights) + id * params.expert_stride;
  const std::int64_t image_row =
      token * params.image_rows + (params.image_rows == 1 ? 0 : slot);
  const BlockQ8_1* image = params.image + image_row * params.image_row_stride;
  for (std::int64_t row = 0; row < params.rows; ++row) {
    out[row] =
        RowDot(expert + row * params.weight_row_stride, image, params.columns);
  }
}

}  // namespace

template <typename Block>
void RoutedMatVecHost(const RoutedMatVecParams& params) {
  if (params.rows <= 0) return;  // no output, so no id is looked at
  float* out = params.output;
  for (std::int64_t token = 0; token < params.tokens; ++token) {
    for (std::int64_t slot = 0; slot < params.slots; ++slot) {
      ComputeSlot<Block>(params, token, slot, out);
      out += params.rows;
    }
  }
}

#define REPRISE_INSTANTIATE(format, Block) \
  template void RoutedMatVecHost<Block>(const RoutedMatVecParams&);
REPRISE_WEIGHT_BLOCKS(REPRISE_INSTANTIATE)
#undef REPRISE_INSTANTIATE

}  // namespace reprise
