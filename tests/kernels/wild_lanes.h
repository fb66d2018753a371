// Blocks of 32 floats that are hard on a quantizer: every bit pattern, every
// size, quotients beside a tie, sums that cancel, and specials.
#ifndef REPRISE_TESTS_KERNELS_WILD_LANES_H_
#define REPRISE_TESTS_KERNELS_WILD_LANES_H_

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#include "kernels/block_q8_1.h"
#include "tests/kernels/random_floats.h"

namespace reprise {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kSignalingNan =
    std::numeric_limits<float>::signaling_NaN();
inline constexpr float kStep = 0x1p-149f;  // the smallest float

inline constexpr float kSpecials[] = {
    0.0f,        -0.0f,     kNan,      -kNan,      kInfinity,
    -kInfinity,  kStep,     -kStep,    60 * kStep, 190 * kStep,
    1e-40f,      FLT_MIN,   -FLT_MIN,  FLT_MAX,    -FLT_MAX,
    65504,       8.3216e6f, 8.3218e6f, -1,         127,
    0.49999997f, 0.5f,      1.5f,      -2.5f,      kSignalingNan};

using Lanes = std::array<float, kImageBlockValues>;

inline Lanes AnyBits(RandomFloats& random) {
  Lanes lanes;
  for (float& lane : lanes) lane = std::bit_cast<float>(random.Bits());
  return lanes;
}

inline Lanes AnySize(RandomFloats& random) {
  const int exponent = static_cast<int>(random.Bits() % 270) - 145;
  Lanes lanes;
  for (float& lane : lanes) lane = std::ldexp(random.Next(), exponent);
  return lanes;
}

// A quotient or a scale that is off by its last bit gives another quant.
inline Lanes BesideTies(RandomFloats& random) {
  const int exponent = static_cast<int>(random.Bits() % 200) - 100;
  const float amax = std::ldexp(3 + random.Next(), exponent);
  Lanes lanes;
  for (float& lane : lanes) {
    const auto whole = static_cast<float>(random.Bits() % 127);
    const float tie = (whole + 0.5f) * (amax / 127);
    lane = std::nextafter(tie, 2 * amax * random.Next());
  }
  lanes[0] = amax;
  return lanes;
}

// The bits of the sum hang on its order.
inline Lanes Cancelling(RandomFloats& random) {
  Lanes lanes;
  for (std::size_t i = 0; i < lanes.size(); i += 2) {
    const int exponent = static_cast<int>(random.Bits() % 24);
    lanes[i] = std::ldexp(random.Next(), exponent);
    lanes[i + 1] = 0x1p-8f * random.Next() - lanes[i];
  }
  return lanes;
}

inline Lanes SomeSpecials(RandomFloats& random) {
  const std::uint32_t rarity = 1 + random.Bits() % 64;
  Lanes lanes = AnySize(random);
  for (float& lane : lanes) {
    const std::uint32_t bits = random.Bits() >> 8;
    if (bits % rarity == 0) lane = kSpecials[bits % std::size(kSpecials)];
  }
  return lanes;
}

inline Lanes SpecialsAlone(RandomFloats& random) {
  Lanes lanes;
  for (float& lane : lanes) lane = kSpecials[random.Bits() % 8];
  return lanes;
}

// The i-th of many: each sort comes round.
inline Lanes WildLanes(std::int64_t i, RandomFloats& random) {
  constexpr Lanes (*kKinds[])(RandomFloats&) = {&AnyBits,      &AnySize,
                                                &BesideTies,   &Cancelling,
                                                &SomeSpecials, &SpecialsAlone};
  return kKinds[static_cast<std::size_t>(i) % std::size(kKinds)](random);
}

}  // namespace reprise

#endif  // REPRISE_TESTS_KERNELS_WILD_LANES_H_
