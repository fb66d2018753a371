#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/half.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/warp_sum.h"

namespace reprise {
namespace {

// What the device's float-to-integer conversion and a byte store leave.
std::int8_t LowByteOfSaturated(float value) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (std::isnan(value)) return 0;
  if (value >= 0x1p31f) return static_cast<std::int8_t>(Limits::max());
  if (value <= -0x1p31f) return static_cast<std::int8_t>(Limits::min());
  return static_cast<std::int8_t>(static_cast<std::int32_t>(value));
}

void QuantizeBlock(const float (&lanes)[kImageBlockValues], BlockQ8_1* out) {
  // A NaN that any number replaces, so that 32 NaN give a NaN scale. Not by
  // fmax: what it makes of a signaling NaN is each C library's own.
  float amax = std::numeric_limits<float>::quiet_NaN();
  for (float lane : lanes) {
    const float size = std::fabs(lane);
    if (!std::isnan(size) && !(amax >= size)) amax = size;
  }
  const float scale = amax / 127.0f;
  for (int i = 0; i < kImageBlockValues; ++i) {
    out->quants[i] = amax == 0.0f
                         ? std::int8_t{0}
                         : LowByteOfSaturated(std::round(lanes[i] / scale));
  }
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
