#include <cstdint>

#include "kernels/dequantize.h"
#include "kernels/half.h"

namespace reprise {
namespace {

float ValueAt(const BlockQ4_0& block, int value) {
  return static_cast<float>(QuantAt(block, value) - 8) *
         HalfToFloat(block.scale);
}

float ValueAt(const BlockQ8_0& block, int value) {
  return static_cast<float>(QuantAt(block, value)) * HalfToFloat(block.scale);
}

float ValueAt(const BlockQ4_K& block, int value) {
  const int sub = value / 32;
  const float scale =
      HalfToFloat(block.scale) * static_cast<float>(SubScale(block, sub));
  const float min =
      HalfToFloat(block.min_scale) * static_cast<float>(SubMin(block, sub));
  return scale * static_cast<float>(QuantAt(block, value)) - min;
}

template <typename Block>
void DequantizeBlocks(const Block* blocks, std::int64_t columns, float* out) {
  for (std::int64_t c = 0; c < columns; ++c) {
    out[c] = ValueAt(blocks[c / Block::kValues],
                     static_cast<int>(c % Block::kValues));
  }
}

}  // namespace

void DequantizeRow(const BlockQ4_0* blocks, std::int64_t columns, float* out) {
  DequantizeBlocks(blocks, columns, out);
}

void DequantizeRow(const BlockQ8_0* blocks, std::int64_t columns, float* out) {
  DequantizeBlocks(blocks, columns, out);
}

void DequantizeRow(const BlockQ4_K* blocks, std::int64_t columns, float* out) {
  DequantizeBlocks(blocks, columns, out);
}

}  // namespace reprise
