// Half precision by definition: a half is the number its fields spell, and a
// float becomes the nearest one, found by looking at all of them.
#ifndef REPRISE_TESTS_KERNELS_SLOW_HALF_H_
#define REPRISE_TESTS_KERNELS_SLOW_HALF_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace reprise {

inline constexpr int kFiniteHalves = 0x7C00;  // of one sign

// REQUIRES: not a NaN or an infinity. 0x7C00 reads as 2^16, the number that
// would come next, which makes overflow a case of rounding.
inline double SlowHalfValue(int bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double value = exponent == 0
                           ? std::ldexp(mantissa, -24)
                           : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

inline std::uint16_t SlowFloatToHalf(float value) {
  static const auto kValues = [] {
    std::array<double, kFiniteHalves + 1> values{};
    for (int bits = 0; bits <= kFiniteHalves; ++bits) {
      values[static_cast<std::size_t>(bits)] = SlowHalfValue(bits);
    }
    return values;
  }();
  if (std::isnan(value)) return 0x7FFF;
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(static_cast<double>(value));
  if (size >= kValues.back()) return static_cast<std::uint16_t>(sign | 0x7C00);
  const auto above = std::upper_bound(kValues.begin(), kValues.end(), size);
  const int low = static_cast<int>(above - kValues.begin()) - 1;
  const double down = size - *(above - 1);
  const double up = *above - size;
  const bool take_low = down < up || (down == up && low % 2 == 0);
  return static_cast<std::uint16_t>(sign | (take_low ? low : low + 1));
}

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_SLOW_HALF_H_
