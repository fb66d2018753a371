// Quantized weights times the q8_0 images of many tokens (image_q8_0.h).
//
// Shapes   weights [rows][columns] of one block format, with a row stride in
//          blocks; image of [tokens][columns]; output [tokens][rows] with a row
//          stride in floats. `columns` is a multiple of the format's block.
// Cost     reads all weights once for each 64 tokens, and the image once for
//          each 128 rows or fewer, mostly from the second-level cache.
// Formula  output = the row's steps of 32 columns in order, each added by
//          fma(image scale, weighted dot, sum), where the weighted dot is
//            fma(-min, quant sum, scale * dot)
//          of exact integer dots and sums, and for a format with a scale for
//          each 16 columns
//            fma(-min', sum', fma(-min, sum, fma(scale', dot', scale * dot)))
//          of the two sixteens.
// Bytes    those of the reference, on every device and in both layouts, where
//          every scale of a weight is finite.
// Align    the transposed image at a multiple of 16, the other of 8; weights as
//          matvec.h says. Weight rows at multiples of 16 are fastest.
// Limits   fewer than 2^31 columns and rows, and 2^22 tokens; 99 KB of shared
//          memory a thread block, more than sm_75 has.
// Symbols  reprise_matmul_q4_0 and so on for the REPRISE_MATMUL_BLOCKS, which
//          read the transposed layout by the tensor core;
//          reprise_matmul_pad40_q4_0 and so on for every format, which read
//          q8_0_pad40, simply
#ifndef REPRISE_KERNELS_MATMUL_H_
#define REPRISE_KERNELS_MATMUL_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "kernels/launch_shape.h"
#include "kernels/matmul_tiling.h"

namespace reprise {

struct MatMulParams {
  const void* weights = nullptr;
  const void* image = nullptr;
  float* output = nullptr;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t weight_row_stride = 0;
  std::int64_t output_row_stride = 0;
  std::int64_t tokens = 0;
};
static_assert(sizeof(MatMulParams) == 64);

// _(name of the format, its block) for each with a kernel on the tensor core.
#define REPRISE_MATMUL_BLOCKS(_) \
  _(q4_0, BlockQ4_0)             \
  _(q8_0, BlockQ8_0)             \
  _(q4_k, BlockQ4_K)             \
  _(q6_k, BlockQ6_K)

constexpr bool ReadsTransposedImage(std::string_view format) {
  constexpr std::string_view kFormats[] = {
#define REPRISE_FORMAT_NAME(format, Block) #format,
      REPRISE_MATMUL_BLOCKS(REPRISE_FORMAT_NAME)
#undef REPRISE_FORMAT_NAME
  };
  return std::ranges::find(kFormats, format) != std::end(kFormats);
}

// Block is the format's struct of weight_blocks.h.
template <typename Block>
constexpr LaunchShape MatMulShape(const MatMulParams& params) {
  constexpr MatMulTiling kTiling = MatMulTilingOf<Block>();
  const MatMulWarps warps =
      FittingWarps(kTiling, MatMulWarpsFor(params.rows, params.tokens));
  return {{GroupsOf(warps.rows * kTileRows, params.rows),
           Extent(Q8_0Tiles(params.tokens)), 1},
          {kWarpThreads, Extent(warps.rows), Extent(warps.tokens)},
          Extent(MatMulSharedBytes(kTiling, warps))};
}

// A warp takes a row and eight tokens.
inline constexpr std::uint32_t kPad40Warps = 8;
inline constexpr std::int64_t kPad40WarpTokens = 8;

constexpr LaunchShape MatMulPad40Shape(const MatMulParams& params) {
  return {{Extent(params.rows),
           GroupsOf(kPad40Warps * kPad40WarpTokens, params.tokens), 1},
          {kWarpThreads, kPad40Warps, 1}};
}

template <typename Block>
void MatMulHost(const MatMulParams& params);
template <typename Block>
void MatMulPad40Host(const MatMulParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATMUL_H_
