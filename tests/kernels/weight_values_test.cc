#include "kernels/weight_values.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/codebooks.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/random_weights.h"
#include "tests/kernels/weight_formats.h"

namespace reprise {
namespace {

template <typename Block>
class WeightValues : public testing::Test {};
TYPED_TEST_SUITE(WeightValues, WeightBlocks, FormatNames);

TYPED_TEST(WeightValues, HaveOneScaleAndOneMinForSixteenNeighbours) {
  RandomFloats random(16);
  for (const TypeParam& block : RandomWeights<TypeParam>(random, 50)) {
    for (int v = 0; v < TypeParam::kValues; ++v) {
      ASSERT_EQ(ScaleAt(block, v), ScaleAt(block, v / 16 * 16)) << v;
      ASSERT_EQ(MinAt(block, v), MinAt(block, v / 16 * 16)) << v;
    }
  }
}

TYPED_TEST(WeightValues, HaveIntegersOfEightBits) {
  RandomFloats random(17);
  for (const TypeParam& block : RandomWeights<TypeParam>(random, 50)) {
    for (int v = 0; v < TypeParam::kValues; ++v) {
      ASSERT_GE(QuantAt(block, v), INT8_MIN) << v;
      ASSERT_LE(QuantAt(block, v), INT8_MAX) << v;
    }
  }
}

// A value is rounded once if what it is made of is exact.
TYPED_TEST(WeightValues, HaveExactProducts) {
  RandomFloats random(18);
  for (const TypeParam& block : RandomWeights<TypeParam>(random, 50)) {
    for (int v = 0; v < TypeParam::kValues; ++v) {
      const float scale = ScaleAt(block, v);
      const int quant = QuantAt(block, v);
      ASSERT_EQ(double{scale * static_cast<float>(quant)},
                double{scale} * quant)
          << v;
    }
  }
}

TEST(E8M0, IsAPowerOfTwoOrNoNumber) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(E8M0ToFloat(0)), 0x00400000u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(E8M0ToFloat(1)), 0x00800000u);
  EXPECT_EQ(E8M0ToFloat(126), 0.5f);
  EXPECT_EQ(E8M0ToFloat(127), 1.0f);
  EXPECT_EQ(E8M0ToFloat(254), 0x1p127f);
  EXPECT_TRUE(std::isnan(E8M0ToFloat(255)));
}

TEST(E8M0, HasSmallestScalesThatMxfp4StillHalves) {
  const BlockMxfp4 zero{.exponent = 0, .nibbles = {}};
  EXPECT_EQ(ScaleAt(zero, 0), 0x1p-128f);
  const BlockMxfp4 one{.exponent = 1, .nibbles = {}};
  EXPECT_EQ(ScaleAt(one, 0), 0x1p-127f);
}

TEST(Ue4m3, HasSubnormalsNoSignAndNoNan) {
  EXPECT_EQ(Ue4m3ToFloat(0x00), 0.0f);
  EXPECT_EQ(Ue4m3ToFloat(0x01), 0x1p-9f);
  EXPECT_EQ(Ue4m3ToFloat(0x07), 7 * 0x1p-9f);
  EXPECT_EQ(Ue4m3ToFloat(0x08), 0x1p-6f);
  EXPECT_EQ(Ue4m3ToFloat(0x38), 1.0f);
  EXPECT_EQ(Ue4m3ToFloat(0x3D), 1.625f);
  EXPECT_EQ(Ue4m3ToFloat(0x7E), 448.0f);
  EXPECT_EQ(Ue4m3ToFloat(0x7F), 0.0f);
  for (int bits = 0; bits < 128; ++bits) {
    EXPECT_EQ(Ue4m3ToFloat(bits | 0x80), Ue4m3ToFloat(bits)) << bits;
  }
}

TEST(EvenSigns, HaveAnEvenNumberOfNegatives) {
  for (int seven = 0; seven < 128; ++seven) {
    int negatives = 0;
    for (int p = 0; p < 8; ++p) negatives += EvenSignAt(seven, p);
    EXPECT_EQ(negatives % 2, 0) << seven;
    EXPECT_EQ(EvenSignAt(seven, 6), seven >> 6);
  }
}

// Which entry is which is what the golden blocks of dequantize_test show.
template <int kCount>
void ExpectAGrid(const std::uint16_t (&grid)[kCount], int bits, int values,
                 int codes) {
  for (int i = 0; i < kCount; ++i) {
    if (i > 0) {
      EXPECT_LT(grid[i - 1], grid[i]) << "an entry twice, at " << i;
    }
    EXPECT_EQ(grid[i] >> (bits * values), 0) << i;
    for (int v = 0; v < values; ++v) {
      EXPECT_LT(BitsAt(grid[i], v * bits, bits), codes) << i;
    }
  }
}

TEST(Grids, HaveDifferentEntriesOfTheCodesThatTheyMayHave) {
  ExpectAGrid(kIq2XxsGrid, 2, 8, 3);
  ExpectAGrid(kIq2XsGrid, 2, 8, 3);
  ExpectAGrid(kIq2SGrid, 2, 8, 3);
  ExpectAGrid(kIq1Grid, 2, 8, 3);
  ExpectAGrid(kIq3XxsGrid, 3, 4, 8);
  ExpectAGrid(kIq3SGrid, 3, 4, 8);
}

}  // namespace
}  // namespace reprise
