// Quantized weights times the q8_1 images of up to eight tokens.
//
// Shapes   weights [planes / weight_share][rows][columns] of one block format;
//          image [planes][tokens] rows; output [planes][tokens][rows]. Plane p
//          reads the weights of plane p / weight_share. Weight and image
//          strides count their blocks, the output's floats. `columns` is a
//          multiple of the format's block.
// Cost     reads a plane's weights once for all its tokens, rows * columns *
//          bits / 8; once a token where tokens go one by one.
// Formula  output = sum over columns of weight * (image scale * image quant),
//          weights as weight_values.h says; the image's `sum` is not read.
//          Products within 16 or 32 columns are exact integers. The reference
//          adds a row's blocks in order; the kernel in another, fixed order.
// Align    weight rows start at a multiple of 4 where the block is whole words,
//          else of 2, and of mxfp4 anywhere; image rows at a multiple of 4.
//          Rows at multiples of 16 are fastest.
// Limits   fewer than 2^31 columns and rows. Where tokens go one by one, an
//          image row lies in shared memory whole: 175,000 columns fit on sm_90,
//          116,000 on sm_80, 58,000 on sm_86 and sm_89, 26,000 on sm_75. A
//          launch beyond returns cudaErrorInvalidValue.
// Symbols  reprise_matvec_q4_0 and so on, one a format of weight_blocks.h
#ifndef REPRISE_KERNELS_MATVEC_H_
#define REPRISE_KERNELS_MATVEC_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/launch_shape.h"
#include "kernels/matvec_row_tiling.h"
#include "kernels/matvec_tiling.h"

namespace reprise {

inline constexpr std::int32_t kMatVecMaxTokens = kTileTokens;

struct MatVecParams {
  const void* weights = nullptr;
  const BlockQ8_1* image = nullptr;
  float* output = nullptr;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t weight_row_stride = 0;
  std::int64_t image_row_stride = 0;
  std::int64_t output_row_stride = 0;
  std::int64_t weight_plane_stride = 0;
  std::int64_t image_plane_stride = 0;
  std::int64_t output_plane_stride = 0;
  std::int32_t tokens = 0;  // at most kMatVecMaxTokens
  std::int32_t planes = 1;
  std::int32_t weight_share = 1;  // at least 1
  std::int32_t padding = 0;
};
static_assert(sizeof(MatVecParams) == 104);

// A few tokens of a small matrix go one by one: it comes from the cache anyway,
// and a tile of the tensor core takes longer to fill up. Counted in rows of a
// chunk.
inline constexpr std::int64_t kOneByOneChunks = 6144;
inline constexpr std::int32_t kOneByOneTokens = 4;

constexpr bool TakesTokensOneByOne(const MatVecParams& params) {
  const std::int64_t chunks =
      (params.columns + kChunkColumns - 1) / kChunkColumns;
  return params.tokens == 1 ||
         (params.tokens <= kOneByOneTokens &&
          params.rows * params.planes * params.tokens * chunks <=
              kOneByOneChunks);
}

// Block is the format's struct of weight_blocks.h.
template <typename Block>
constexpr LaunchShape MatVecShape(const MatVecParams& params) {
  if (params.tokens <= 0) return {{0, 1, 1}};
  const std::int64_t outputs = params.rows * params.planes;
  if (TakesTokensOneByOne(params)) {
    const RowSplit split = SplitRows(params.columns, outputs * params.tokens);
    return {{GroupsOf(split.rows(), params.rows), Extent(params.planes),
             Extent(params.tokens)},
            {kWarpThreads, Extent(split.column_warps), Extent(split.row_warps)},
            RowSharedBytes<Block>(params.columns, split)};
  }
  const std::uint32_t warps = MatVecWarps(params.columns, outputs);
  return {{GroupsOf(kTileRows, params.rows), Extent(params.planes), 1},
          {kWarpThreads, warps, 1},
          MatVecSharedBytes<Block>(warps, params.tokens)};
}

template <typename Block>
void MatVecHost(const MatVecParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATVEC_H_
