// Quantized weights of the experts that a router chose, times q8_1 images.
//
// Shapes   weights [experts][rows][columns]; ids [tokens][slots]; image
//          [tokens][image_rows], where image_rows is 1 (a token's slots share
//          one row) or `slots` (a row each); output [tokens][slots][rows],
//          dense. Weight and image strides count their blocks, ids_stride ids.
// Cost     reads rows * columns * bits / 8 for each token and slot.
// Ids      may repeat. An id outside [0, experts) makes its output row zero and
//          reads neither weights nor image.
// Symbols  reprise_routed_matvec_q4_0, _q8_0, _q4_k
#ifndef REPRISE_KERNELS_ROUTED_MATVEC_H_
#define REPRISE_KERNELS_ROUTED_MATVEC_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/launch_shape.h"
#include "kernels/weight_blocks.h"

namespace reprise {

inline constexpr std::uint32_t kRoutedMatVecWarps = 4;

struct RoutedMatVecParams {
  const void* weights = nullptr;
  const BlockQ8_1* image = nullptr;
  const std::int32_t* ids = nullptr;
  float* output = nullptr;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t weight_row_stride = 0;
  std::int64_t expert_stride = 0;
  std::int64_t image_row_stride = 0;
  std::int64_t ids_stride = 0;
  std::int32_t experts = 0;
  std::int32_t slots = 0;
  std::int32_t tokens = 0;
  std::int32_t image_rows = 1;  // a token: 1 or `slots`
};
static_assert(sizeof(RoutedMatVecParams) == 96);

// A thread block an output value.
constexpr LaunchShape RoutedMatVecShape(const RoutedMatVecParams& params) {
  return {{Extent(params.rows), Extent(params.slots), Extent(params.tokens)},
          {kWarpThreads, kRoutedMatVecWarps, 1}};
}

// Block is BlockQ4_0, BlockQ8_0 or BlockQ4_K.
template <typename Block>
void RoutedMatVecHost(const RoutedMatVecParams& params);

extern template void RoutedMatVecHost<BlockQ4_0>(const RoutedMatVecParams&);
extern template void RoutedMatVecHost<BlockQ8_0>(const RoutedMatVecParams&);
extern template void RoutedMatVecHost<BlockQ4_K>(const RoutedMatVecParams&);

}  // namespace reprise

#endif  // REPRISE_KERNELS_ROUTED_MATVEC_H_
