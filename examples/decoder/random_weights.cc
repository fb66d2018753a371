#include "examples/decoder/random_weights.h"

#include <cmath>
#include <cstddef>
#include <cstring>

#include "absl/strings/string_view.h"
#include "examples/decoder/weight_scale.h"
#include "kernels/dequantize.h"
#include "kernels/half.h"
#include "kernels/weight_values.h"

namespace reprise::decoder {
namespace {

// Of a format whose quants begin at 0.
template <typename Block>
float MeanQuant() {
  Block ones;
  std::memset(&ones, 0xFF, sizeof(ones));
  return 0.5f * static_cast<float>(QuantAt(ones, 0));
}

// Random bits of that scale. Where no quant is below 0, the min takes the
// values back to around 0.
template <typename Block>
Block RandomBlock(std::mt19937& random, float scale) {
  std::uint8_t bytes[sizeof(Block)];
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(random() >> 24);
  }
  Block block;
  std::memcpy(&block, bytes, sizeof(block));
  SetScale(block, scale);
  if constexpr (requires { block.min_scale; }) {
    block.min_scale = FloatToHalf(MeanQuant<Block>() * scale);
  }
  if constexpr (requires { block.offset; }) {
    block.offset = FloatToHalf(-MeanQuant<Block>() * scale);
  }
  return block;
}

// The root mean square of a format's values at a scale of 1.
template <typename Block>
float Spread() {
  constexpr int kSample = 64;
  std::mt19937 random;
  double squares = 0;
  for (int i = 0; i < kSample; ++i) {
    const Block block = RandomBlock<Block>(random, 1);
    float values[Block::kValues];
    DequantizeRow(&block, Block::kValues, values);
    for (double value : values) squares += value * value;
  }
  return static_cast<float>(std::sqrt(squares / (kSample * Block::kValues)));
}

template <typename Block>
void FillBlocks(std::mt19937& random, std::int64_t columns,
                std::vector<std::uint8_t>& bytes) {
  const float scale =
      1 / (Spread<Block>() * std::sqrt(static_cast<float>(columns)));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Block)) {
    const float own = scale * RandomFloat(random, 0.5f, 1.5f);
    const auto block = RandomBlock<Block>(random, own);
    std::memcpy(&bytes[at], &block, sizeof(block));
  }
}

}  // namespace

float RandomFloat(std::mt19937& random, float low, float high) {
  const float unit = static_cast<float>(random() >> 8) * 0x1p-24f;
  return low + unit * (high - low);
}

std::vector<std::uint8_t> RandomFloats(std::mt19937& random, std::int64_t count,
                                       float low, float high) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count) *
                                  sizeof(float));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    const float value = RandomFloat(random, low, high);
    std::memcpy(&bytes[at], &value, sizeof(value));
  }
  return bytes;
}

std::vector<std::uint8_t> RandomBlocks(std::mt19937& random,
                                       const Matrix& matrix) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(matrix.bytes()));
  const absl::string_view name = InfoOf(matrix.format).name;
#define REPRISE_FILL(format, Block) \
  if (name == #format) FillBlocks<Block>(random, matrix.columns, bytes);
  REPRISE_WEIGHT_BLOCKS(REPRISE_FILL)
#undef REPRISE_FILL
  return bytes;
}

}  // namespace reprise::decoder
