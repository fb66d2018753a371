// What the families of weight_values.h share.
#ifndef REPRISE_KERNELS_WEIGHT_VALUES_BASE_H_
#define REPRISE_KERNELS_WEIGHT_VALUES_BASE_H_

#include <cstdint>

#include "kernels/half.h"
#include "kernels/weight_blocks.h"

namespace reprise {

// How many columns a kernel multiplies before it scales: those that share a
// scale, and 32 where more do.
template <typename Block>
inline constexpr int kScaleColumns = 32;
template <>
inline constexpr int kScaleColumns<BlockNvfp4> = 16;
template <>
inline constexpr int kScaleColumns<BlockQ2_K> = 16;
template <>
inline constexpr int kScaleColumns<BlockQ3_K> = 16;
template <>
inline constexpr int kScaleColumns<BlockQ6_K> = 16;
template <>
inline constexpr int kScaleColumns<BlockIq2Xs> = 16;
template <>
inline constexpr int kScaleColumns<BlockIq2S> = 16;
template <>
inline constexpr int kScaleColumns<BlockIq1M> = 16;

// A format with more than one scale, or with a min, overloads these.
template <typename Block>
float ScaleAt(const Block& block, int) {
  return HalfToFloat(block.scale);
}
template <typename Block>
float MinAt(const Block&, int) {
  return 0;
}

constexpr int BitsAt(std::uint32_t word, int first, int count) {
  return static_cast<int>(word >> first & ((std::uint32_t{1} << count) - 1));
}

constexpr std::uint32_t WordOf(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 |
         std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}

// Of 32 values in 16 bytes, the first half has the low nibbles.
constexpr int NibbleAt(const std::uint8_t* bytes, int value) {
  return BitsAt(bytes[value % 16], value / 16 * 4, 4);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_WEIGHT_VALUES_BASE_H_
