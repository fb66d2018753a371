#include <algorithm>
#include <cstdint>

#include "kernels/half.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/quantize_values.h"
#include "kernels/warp_sum.h"

namespace reprise {
namespace {

void QuantizeBlock(const float (&lanes)[kImageBlockValues], BlockQ8_1* out) {
  const float scale = QuantizeValues(lanes, out->quants);
  out->scale = FloatToHalf(scale);
  out->sum = FloatToHalf(WarpSum(lanes));
}

}  // namespace

void QuantizeRowQ8_1(const float* row, std::int64_t columns, BlockQ8_1* out) {
  const std::int64_t padded = PaddedColumns(columns);
  for (std::int64_t first = 0; first < padded; first += kImageBlockValues) {
    float lanes[kImageBlockValues] = {};
    const std::int64_t present = std::clamp<std::int64_t>(
        columns - first, 0, std::int64_t{kImageBlockValues});
    std::copy_n(row + std::min(first, columns), present, lanes);
    QuantizeBlock(lanes, out++);
  }
}

void QuantizeQ8_1Host(const QuantizeQ8_1Params& params) {
  BlockQ8_1* out = params.image;
  for (std::int64_t plane = 0; plane < params.planes; ++plane) {
    for (std::int64_t row = 0; row < params.rows; ++row) {
      QuantizeRowQ8_1(
          params.source + plane * params.plane_stride + row * params.row_stride,
          params.columns, out);
      out += ImageRowBlocks(params.columns);
    }
  }
}

}  // namespace reprise
