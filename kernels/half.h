// IEEE half precision as bits, for hosts without a half type.
//
// FloatToHalf gives what the device's cvt.rn.f16.f32 gives: round to nearest,
// ties to even, half subnormals kept, overflow to infinity, any NaN to 0x7FFF.
#ifndef REPRISE_KERNELS_HALF_H_
#define REPRISE_KERNELS_HALF_H_

#include <bit>
#include <cstdint>

namespace reprise {

inline constexpr std::uint16_t kHalfNan = 0x7FFF;
inline constexpr std::uint16_t kHalfInfinity = 0x7C00;

// value / 2^shift to nearest, ties to even. REQUIRES: 0 < shift < 32.
constexpr std::uint32_t ShiftToNearestEven(std::uint32_t value, int shift) {
  const std::uint32_t quotient = value >> shift;
  const std::uint32_t rest = value - (quotient << shift);
  const std::uint32_t tie = std::uint32_t{1} << (shift - 1);
  const bool up = rest > tie || (rest == tie && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

constexpr std::uint16_t FloatToHalf(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return kHalfNan;
  // 65520 is halfway between the largest half and the next power of two.
  if (magnitude >= 0x477FF000) {
    return static_cast<std::uint16_t>(sign | kHalfInfinity);
  }
  std::uint32_t half = 0;
  if (magnitude >= 0x38800000) {  // 2^-14, the smallest normal half
    // Exponent and mantissa are rounded as one number, so that a carry out of
    // the mantissa raises the exponent; then the bias goes from 127 to 15.
    half = ShiftToNearestEven(magnitude, 13) - ((127 - 15) << 10);
  } else if (magnitude > 0x33000000) {  // above 2^-25, half of the last step
    const int exponent = static_cast<int>(magnitude >> 23);
    const std::uint32_t mantissa = (magnitude & 0x007FFFFF) | 0x00800000;
    half = ShiftToNearestEven(mantissa, 126 - exponent);  // in steps of 2^-24
  }
  return static_cast<std::uint16_t>(sign | half);
}

constexpr float HalfToFloat(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1F;
  const std::uint32_t mantissa = half & 0x3FF;
  if (exponent == 0) {
    const float steps = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(steps));
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_HALF_H_
