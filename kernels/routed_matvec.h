// Quantized weights of the experts that a router chose, times q8_1 images.
//
// Shapes   weights [experts][rows][columns]; ids [tokens][slots]; image
//          [tokens][image_rows], where image_rows is 1 (a token's slots share
//          one row) or `slots` (a row each); output [tokens][slots][rows],
//          dense. Weight and image strides count their blocks, ids_stride ids.
// Cost     reads rows * columns * bits / 8 for each token and slot.
// Formula  matvec.h; its limits for one token hold, for up to 65,535 tokens.
// Ids      may repeat. An id outside [0, experts) makes its output row zero,
//          reads neither weights nor image, and adds one to *invalid_ids, which
//          nobody resets; a null counter counts nothing. Without rows no id
//          is looked at.
// Symbols  reprise_routed_matvec_q4_0 and so on, one a format of
//          weight_blocks.h
#ifndef REPRISE_KERNELS_ROUTED_MATVEC_H_
#define REPRISE_KERNELS_ROUTED_MATVEC_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/launch_shape.h"
#include "kernels/matvec_row_tiling.h"

namespace reprise {

struct RoutedMatVecParams {
  const void* weights = nullptr;
  const BlockQ8_1* image = nullptr;
  const std::int32_t* ids = nullptr;
  float* output = nullptr;
  std::uint32_t* invalid_ids = nullptr;
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
static_assert(sizeof(RoutedMatVecParams) == 104);

// Block is the format's struct of weight_blocks.h.
template <typename Block>
constexpr LaunchShape RoutedMatVecShape(const RoutedMatVecParams& params) {
  const RowSplit split =
      SplitRows(params.columns, params.rows * params.slots * params.tokens);
  return {{GroupsOf(split.rows(), params.rows), Extent(params.slots),
           Extent(params.tokens)},
          {kWarpThreads, Extent(split.column_warps), Extent(split.row_warps)},
          RowSharedBytes<Block>(params.columns, split)};
}

template <typename Block>
void RoutedMatVecHost(const RoutedMatVecParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_ROUTED_MATVEC_H_
