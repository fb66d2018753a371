// Quantizes rows of floats into a q8_0 image, in either of its layouts
// (image_q8_0.h).
//
// Shapes   source [tokens][columns] with a row stride in floats; image of that
//          many tokens. `columns` need not be a multiple of 32.
// Cost     reads 4 * columns bytes a token; writes 1.25, or 1.125 transposed, a
//          column of a whole block, for whole tiles of tokens.
// Formula  amax  = max |x|, ignoring NaN unless all 32 are NaN
//          scale = amax / 127
//          q     = amax == 0 ? 0 : round_half_away(x / scale), as a saturating
//                  32-bit integer of which the low byte is kept; NaN gives 0
// Align    the image at a multiple of 8, transposed of 16.
// Bytes    IEEE division, denormals kept: the same on every machine.
// Symbols  reprise_quantize_q8_0_pad40, reprise_quantize_q8_0_pad40_t
#ifndef REPRISE_KERNELS_QUANTIZE_Q8_0_H_
#define REPRISE_KERNELS_QUANTIZE_Q8_0_H_

#include <cstdint>

#include "kernels/image_q8_0.h"
#include "kernels/launch_shape.h"

namespace reprise {

struct QuantizeQ8_0Params {
  const float* source = nullptr;
  void* image = nullptr;
  std::int64_t columns = 0;
  std::int64_t tokens = 0;
  std::int64_t row_stride = 0;
};
static_assert(sizeof(QuantizeQ8_0Params) == 40);

// Eight lanes make a block, four values each, so that a warp reads whole
// sectors of four tokens and stores sixteen-byte pieces of them side by side.
inline constexpr int kQ8_0BlockLanes = 8;
inline constexpr int kQ8_0WarpTokens = kWarpThreads / kQ8_0BlockLanes;
inline constexpr int kQ8_0Warps = 8;

// Of either layout.
constexpr LaunchShape QuantizeQ8_0Shape(const QuantizeQ8_0Params& params) {
  return {
      {GroupsOf(kQ8_0Warps, Q8_0Blocks(params.columns)),
       GroupsOf(kQ8_0WarpTokens, Q8_0Tiles(params.tokens) * kQ8_0TileTokens),
       1},
      {kWarpThreads, kQ8_0Warps, 1}};
}

void QuantizePad40Host(const QuantizeQ8_0Params& params);
void QuantizeTransposedHost(const QuantizeQ8_0Params& params);

// One token's blocks, which are the same in both layouts.
void QuantizeRowPad40(const float* row, std::int64_t columns,
                      BlockQ8_0Pad40* out);
// Puts such blocks where a transposed image has them.
void StoreTransposed(const BlockQ8_0Pad40* blocks, const TransposedImage& image,
                     std::int64_t token, void* to);

}  // namespace reprise

#endif  // REPRISE_KERNELS_QUANTIZE_Q8_0_H_
