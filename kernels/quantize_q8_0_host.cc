#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/quantize_q8_0.h"
#include "kernels/quantize_values.h"

namespace reprise {

void QuantizeRowPad40(const float* row, std::int64_t columns,
                      BlockQ8_0Pad40* out) {
  for (std::int64_t first = 0; first < columns; first += kQ8_0Values) {
    float values[kQ8_0Values] = {};
    std::copy_n(row + first,
                std::min<std::int64_t>(columns - first, kQ8_0Values), values);
    out->scale = QuantizeValues(values, out->quants);
    out->padding = 0;
    ++out;
  }
}

void StoreTransposed(const BlockQ8_0Pad40* blocks, const TransposedImage& image,
                     std::int64_t token, void* to) {
  auto* bytes = static_cast<std::byte*>(to);
  for (std::int64_t b = 0; b < image.blocks; ++b) {
    std::byte* quants = bytes + image.QuantsAt(token, b);
    std::memcpy(quants, blocks[b].quants, 16);
    std::memcpy(quants + kTransposedHalfBytes, blocks[b].quants + 16, 16);
    std::memcpy(bytes + image.ScaleAt(token, b), &blocks[b].scale,
                sizeof(float));
  }
}

void QuantizePad40Host(const QuantizeQ8_0Params& params) {
  auto* out = static_cast<BlockQ8_0Pad40*>(params.image);
  for (std::int64_t token = 0; token < params.tokens; ++token) {
    QuantizeRowPad40(params.source + token * params.row_stride, params.columns,
                     out);
    out += Q8_0Blocks(params.columns);
  }
  const std::int64_t written = params.tokens * Q8_0Blocks(params.columns);
  std::fill_n(out, Pad40Blocks(params.columns, params.tokens) - written,
              BlockQ8_0Pad40{});
}

void QuantizeTransposedHost(const QuantizeQ8_0Params& params) {
  const TransposedImage image(params.columns, params.tokens);
  std::vector<BlockQ8_0Pad40> row(static_cast<std::size_t>(image.blocks));
  for (std::int64_t token = 0; token < image.tiles * kQ8_0TileTokens; ++token) {
    if (token < params.tokens) {
      QuantizeRowPad40(params.source + token * params.row_stride,
                       params.columns, row.data());
    } else {
      std::fill(row.begin(), row.end(), BlockQ8_0Pad40{});
    }
    StoreTransposed(row.data(), image, token, params.image);
  }
}

}  // namespace reprise
