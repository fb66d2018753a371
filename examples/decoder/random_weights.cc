#include "examples/decoder/random_weights.h"

#include <cmath>
#include <cstddef>
#include <cstring>

#include "kernels/half.h"

namespace reprise::decoder {
namespace {

// About 1 / the spread of a format's stored values times their sub-scales.
float UnitScale(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return 1.0f / 4.6f;
    case WeightFormat::kQ8_0:
      return 1.0f / 74.0f;
    default:
      return 1.0f / 200.0f;
  }
}

void PutHalf(float value, std::uint8_t* out) {
  const std::uint16_t half = FloatToHalf(value);
  std::memcpy(out, &half, sizeof(half));
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
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(random() >> 24);
  }
  // Every format read here begins its blocks with the scale; q4_k's second half
  // scales the mins, which take its values back to around 0.
  const float scale =
      UnitScale(matrix.format) / std::sqrt(static_cast<float>(matrix.columns));
  const auto block =
      static_cast<std::size_t>(InfoOf(matrix.format).block_bytes);
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    const float own = scale * RandomFloat(random, 0.5f, 1.5f);
    PutHalf(own, &bytes[at]);
    if (matrix.format == WeightFormat::kQ4K)
      PutHalf(7.5f * own, &bytes[at + 2]);
  }
  return bytes;
}

}  // namespace reprise::decoder
