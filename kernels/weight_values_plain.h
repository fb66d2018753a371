// Formats whose quants are integers or four-bit floats with one scale for a
// block, or for 16 of its values (nvfp4).
//
//   q1_0  +-scale              q5_0   (q - 16) * scale
//   q2_0  (q - 1) * scale      q5_1   q * scale + offset
//   q4_0  (q - 8) * scale      q8_0   q * scale
//   q4_1  q * scale + offset   mxfp4, nvfp4   E2M1 * scale
#ifndef REPRISE_KERNELS_WEIGHT_VALUES_PLAIN_H_
#define REPRISE_KERNELS_WEIGHT_VALUES_PLAIN_H_

#include <cmath>
#include <limits>

#include "kernels/codebooks.h"
#include "kernels/half.h"
#include "kernels/weight_blocks.h"
#include "kernels/weight_values_base.h"

namespace reprise {

// An exponent alone. 0 is 2^-127, a subnormal; 255 is no number.
inline float E8M0ToFloat(int bits) {
  if (bits == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0f, bits - 127);
}

// Four bits of exponent with bias 7 and three of mantissa. The top bit is not
// read, and the code that an E4M3 float has for NaN is 0.
inline float Ue4m3ToFloat(int bits) {
  const int exponent = BitsAt(bits, 3, 4);
  const int mantissa = BitsAt(bits, 0, 3);
  if (exponent == 15 && mantissa == 7) return 0;
  return exponent == 0
             ? std::ldexp(static_cast<float>(mantissa), -9)
             : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

inline int QuantAt(const BlockQ1_0& block, int value) {
  return BitsAt(block.bits[value / 8], value % 8, 1) == 1 ? 1 : -1;
}

inline int QuantAt(const BlockQ2_0& block, int value) {
  return BitsAt(block.pairs[value / 4], value % 4 * 2, 2) - 1;
}

inline int QuantAt(const BlockQ4_0& block, int value) {
  return NibbleAt(block.nibbles, value) - 8;
}

inline int QuantAt(const BlockQ4_1& block, int value) {
  return NibbleAt(block.nibbles, value);
}
inline float MinAt(const BlockQ4_1& block, int) {
  return -HalfToFloat(block.offset);
}

inline int QuantAt(const BlockQ5_0& block, int value) {
  const int fifth = BitsAt(WordOf(block.fifth_bits), value, 1);
  return (NibbleAt(block.nibbles, value) | fifth << 4) - 16;
}

inline int QuantAt(const BlockQ5_1& block, int value) {
  const int fifth = BitsAt(WordOf(block.fifth_bits), value, 1);
  return NibbleAt(block.nibbles, value) | fifth << 4;
}
inline float MinAt(const BlockQ5_1& block, int) {
  return -HalfToFloat(block.offset);
}

inline int QuantAt(const BlockQ8_0& block, int value) {
  return block.quants[value];
}

// The codebook holds E2M1 values doubled, so the scale is halved.
inline int QuantAt(const BlockMxfp4& block, int value) {
  return kFp4Values[NibbleAt(block.nibbles, value)];
}
inline float ScaleAt(const BlockMxfp4& block, int) {
  return 0.5f * E8M0ToFloat(block.exponent);
}

inline int QuantAt(const BlockNvfp4& block, int value) {
  const int byte = block.nibbles[value / 16 * 8 + value % 8];
  return kFp4Values[BitsAt(byte, value % 16 / 8 * 4, 4)];
}
inline float ScaleAt(const BlockNvfp4& block, int value) {
  return 0.5f * Ue4m3ToFloat(block.sub_scales[value / 16]);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_WEIGHT_VALUES_PLAIN_H_
