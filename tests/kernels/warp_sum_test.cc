#include "kernels/warp_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "tests/kernels/random_floats.h"
#include "tests/kernels/slow_q8_1.h"

namespace reprise {
namespace {

TEST(WarpSum, HasTheBitsOfEveryLaneOfTheButterfly) {
  RandomFloats random(2);
  for (int round = 0; round < 10'000; ++round) {
    WarpLanes lanes;
    // Sizes far apart make the order of additions show in the bits.
    for (float& lane : lanes) {
      const int exponent = static_cast<int>(random.Bits() % 40);
      lane = std::ldexp(random.Next(), exponent);
    }
    const auto sums = Butterfly(lanes, [](float a, float b) { return a + b; });
    for (const float sum : sums) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(WarpSum(lanes.data())),
                std::bit_cast<std::uint32_t>(sum));
    }
  }
}

TEST(WarpSum, AddsDistantLanesFirst) {
  WarpLanes lanes{};
  lanes[0] = 1e8f;
  lanes[16] = -1e8f;
  lanes[1] = 1;  // would be lost next to 1e8
  EXPECT_EQ(WarpSum(lanes.data()), 1.0f);
}

}  // namespace
}  // namespace reprise
