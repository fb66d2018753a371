// Quantizes rows of floats into the q8_1 image that matrix kernels read.
//
// Shapes   source [planes][rows][columns] with strides in floats, columns next
//          to each other; image as block_q8_1.h says. `columns` need not be a
//          multiple of 32: lanes past it count as 0.
// Cost     reads 4 * columns and writes 36/32 bytes per padded column.
// Formula  amax  = max |x|, ignoring NaN unless all 32 are NaN
//          scale = amax / 127
//          q     = amax == 0 ? 0 : round_half_away(x / scale), as a saturating
//                  32-bit integer of which the low byte is kept; NaN gives 0
//          sum   = the inputs in warp order (warp_sum.h)
//          Scale and sum are stored as halves; q uses the scale before that.
// Bytes    IEEE division, denormals kept, no fused multiply-add: the image has
//          the same bytes on every machine.
// Symbol   reprise_quantize_q8_1
#ifndef REPRISE_KERNELS_QUANTIZE_Q8_1_H_
#define REPRISE_KERNELS_QUANTIZE_Q8_1_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/launch_shape.h"

namespace reprise {

inline constexpr std::uint32_t kQuantizeThreads = 256;

struct QuantizeQ8_1Params {
  const float* source = nullptr;
  BlockQ8_1* image = nullptr;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t planes = 0;
  std::int64_t row_stride = 0;
  std::int64_t plane_stride = 0;
};
static_assert(sizeof(QuantizeQ8_1Params) == 56);

// A thread a padded column, so that a warp holds one block.
constexpr LaunchShape QuantizeQ8_1Shape(const QuantizeQ8_1Params& params) {
  return {{GroupsOf(kQuantizeThreads, PaddedColumns(params.columns)),
           Extent(params.rows), Extent(params.planes)},
          {kQuantizeThreads, 1, 1}};
}

void QuantizeQ8_1Host(const QuantizeQ8_1Params& params);

// Writes all ImageRowBlocks(columns) blocks of one row. The quantizer and every
// emitting producer call this.
void QuantizeRowQ8_1(const float* row, std::int64_t columns, BlockQ8_1* out);

}  // namespace reprise

#endif  // REPRISE_KERNELS_QUANTIZE_Q8_1_H_
