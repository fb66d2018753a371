#include "kernels/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/kernels/random_floats.h"
#include "tests/kernels/slow_half.h"

namespace reprise {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Half, ReadsEveryFiniteHalfAsTheNumberItSpells) {
  for (const int sign : {0, 0x8000}) {
    for (int bits = 0; bits < kFiniteHalves; ++bits) {
      const float value = HalfToFloat(static_cast<std::uint16_t>(sign | bits));
      ASSERT_EQ(value, SlowHalfValue(sign | bits)) << bits;
      ASSERT_EQ(std::signbit(value), sign != 0) << bits;
    }
  }
}

TEST(Half, GivesBackEveryHalfItRead) {
  for (int bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const bool nan = (half & 0x7FFF) > kHalfInfinity;
    ASSERT_EQ(FloatToHalf(HalfToFloat(half)), nan ? kHalfNan : half);
  }
}

TEST(Half, RoundsTheFloatsAroundEveryTieToTheEvenNeighbour) {
  for (int bits = 0; bits < kFiniteHalves; ++bits) {
    const auto tie =
        static_cast<float>((SlowHalfValue(bits) + SlowHalfValue(bits + 1)) / 2);
    for (const float value :
         {std::nextafter(tie, 0.0f), tie, std::nextafter(tie, kInfinity)}) {
      ASSERT_EQ(FloatToHalf(value), SlowFloatToHalf(value)) << value;
      ASSERT_EQ(FloatToHalf(-value), SlowFloatToHalf(-value)) << value;
    }
  }
}

TEST(Half, RoundsAMillionFloatsOfAnyBitsToTheNearest) {
  RandomFloats random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    const float value = std::bit_cast<float>(random.Bits());
    ASSERT_EQ(FloatToHalf(value), SlowFloatToHalf(value)) << value;
  }
}

TEST(Half, HasTheBitsOfTheDeviceAtTheEdges) {
  const struct {
    float value;
    std::uint16_t half;
  } kEdges[] = {
      {0.0f, 0x0000},       {-0.0f, 0x8000},     {1.0f, 0x3C00},
      {65504.0f, 0x7BFF},   {65519.9f, 0x7BFF},  {65520.0f, 0x7C00},
      {-1e30f, 0xFC00},     {kInfinity, 0x7C00}, {-kInfinity, 0xFC00},
      {0x1p-14f, 0x0400},   {0x1p-24f, 0x0001},  {0x1p-25f, 0x0000},
      {0x1.8p-25f, 0x0001}, {-0x1p-26f, 0x8000}, {0x1.8p-24f, 0x0002},
      {1e-40f, 0x0000},
  };
  for (const auto& [value, half] : kEdges) {
    EXPECT_EQ(FloatToHalf(value), half) << value;
  }
}

TEST(Half, MakesOneNanOfAllNans) {
  for (const std::uint32_t bits :
       {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0xFFFFFFFFu}) {
    EXPECT_EQ(FloatToHalf(std::bit_cast<float>(bits)), 0x7FFF);
  }
  EXPECT_TRUE(std::isnan(HalfToFloat(0x7C01)));
  EXPECT_TRUE(std::isnan(HalfToFloat(0xFFFF)));
}

}  // namespace
}  // namespace reprise
