// The k formats: 256 values, an integer scale for each 16 or 32 of them.
//
//   q2_k  scale * sub * q - min_scale * sub min               16 values
//   q3_k  scale * (sub - 32) * (q - 4)                        16
//   q4_k  scale * sub * q - min_scale * sub min               32
//   q5_k  the same
//   q6_k  scale * sub * (q - 32)                              16
#ifndef REPRISE_KERNELS_WEIGHT_VALUES_K_H_
#define REPRISE_KERNELS_WEIGHT_VALUES_K_H_

#include <cstdint>

#include "kernels/half.h"
#include "kernels/weight_blocks.h"
#include "kernels/weight_values_base.h"

namespace reprise {

inline float Scaled(std::uint16_t half, int sub_scale) {
  return HalfToFloat(half) * static_cast<float>(sub_scale);
}

// Four quarters of 128 values share 32 bytes, two bits each.
constexpr int PairAt(const std::uint8_t* bytes, int value) {
  return BitsAt(bytes[value / 128 * 32 + value % 32], value % 128 / 32 * 2, 2);
}

// Two neighbouring sub-blocks of 32 share 32 bytes: low nibbles, high nibbles.
constexpr int SharedNibbleAt(const std::uint8_t* bytes, int value) {
  return BitsAt(bytes[value / 64 * 32 + value % 32], value % 64 / 32 * 4, 4);
}

inline int QuantAt(const BlockQ2_K& block, int value) {
  return PairAt(block.pairs, value);
}
inline float ScaleAt(const BlockQ2_K& block, int value) {
  return Scaled(block.scale, BitsAt(block.sub_scales[value / 16], 0, 4));
}
inline float MinAt(const BlockQ2_K& block, int value) {
  return Scaled(block.min_scale, BitsAt(block.sub_scales[value / 16], 4, 4));
}

inline int QuantAt(const BlockQ3_K& block, int value) {
  const int third = BitsAt(block.third_bits[value % 32], value / 32, 1);
  return (PairAt(block.pairs, value) | third << 2) - 4;
}
// Eight bytes have the low four bits of two scales each; the other four have
// the high two bits of four scales each.
inline float ScaleAt(const BlockQ3_K& block, int value) {
  const int sub = value / 16;
  const int low = BitsAt(block.sub_scales[sub % 8], sub / 8 * 4, 4);
  const int high = BitsAt(block.sub_scales[8 + sub % 4], sub / 4 * 2, 2);
  return Scaled(block.scale, (low | high << 4) - 32);
}

// Of eight scales and eight mins of six bits in 12 bytes: scales 0 to 3 are the
// low bits of bytes 0 to 3, mins 0 to 3 those of bytes 4 to 7. The others have
// their low four bits in bytes 8 to 11 and their high two above an earlier one.
constexpr int SixBitScale(const std::uint8_t* bytes, int sub) {
  if (sub < 4) return BitsAt(bytes[sub], 0, 6);
  return BitsAt(bytes[sub + 4], 0, 4) | BitsAt(bytes[sub - 4], 6, 2) << 4;
}
constexpr int SixBitMin(const std::uint8_t* bytes, int sub) {
  if (sub < 4) return BitsAt(bytes[sub + 4], 0, 6);
  return BitsAt(bytes[sub + 4], 4, 4) | BitsAt(bytes[sub], 6, 2) << 4;
}

inline int QuantAt(const BlockQ4_K& block, int value) {
  return SharedNibbleAt(block.nibbles, value);
}
inline float ScaleAt(const BlockQ4_K& block, int value) {
  return Scaled(block.scale, SixBitScale(block.sub_scales, value / 32));
}
inline float MinAt(const BlockQ4_K& block, int value) {
  return Scaled(block.min_scale, SixBitMin(block.sub_scales, value / 32));
}

inline int QuantAt(const BlockQ5_K& block, int value) {
  const int fifth = BitsAt(block.fifth_bits[value % 32], value / 32, 1);
  return SharedNibbleAt(block.nibbles, value) | fifth << 4;
}
inline float ScaleAt(const BlockQ5_K& block, int value) {
  return Scaled(block.scale, SixBitScale(block.sub_scales, value / 32));
}
inline float MinAt(const BlockQ5_K& block, int value) {
  return Scaled(block.min_scale, SixBitMin(block.sub_scales, value / 32));
}

// Of four quarters of 128 values the first two have the low nibbles of 64
// bytes, the others the high ones.
inline int QuantAt(const BlockQ6_K& block, int value) {
  const int byte = block.nibbles[value / 128 * 64 + value % 64];
  const int low = BitsAt(byte, value % 128 / 64 * 4, 4);
  return (low | PairAt(block.high_pairs, value) << 4) - 32;
}
inline float ScaleAt(const BlockQ6_K& block, int value) {
  return Scaled(block.scale, block.sub_scales[value / 16]);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_WEIGHT_VALUES_K_H_
