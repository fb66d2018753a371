#include "kernels/matvec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/half.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/weight_blocks.h"
#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/random_weights.h"
#include "tests/kernels/slow_dot.h"
#include "tests/kernels/weight_formats.h"

namespace reprise {
namespace {

template <typename Block>
class MatVec : public testing::Test {};
TYPED_TEST_SUITE(MatVec, WeightBlocks, FormatNames);

struct Shape {
  std::int64_t columns, rows;
  std::int32_t tokens;
  std::int64_t pad = 0;  // blocks or floats after each row and each plane
  std::int32_t planes = 1;
  std::int32_t weight_share = 1;
};

template <typename Block>
void ExpectNearTheOracle(Shape shape) {
  RandomFloats random(12);
  MatVecParams params{.columns = shape.columns,
                      .rows = shape.rows,
                      .tokens = shape.tokens,
                      .planes = shape.planes,
                      .weight_share = shape.weight_share};
  params.weight_row_stride = shape.columns / Block::kValues + shape.pad;
  params.image_row_stride = ImageRowBlocks(shape.columns) + shape.pad;
  params.output_row_stride = shape.rows + shape.pad;
  params.weight_plane_stride =
      shape.rows * params.weight_row_stride + shape.pad;
  params.image_plane_stride =
      shape.tokens * params.image_row_stride + shape.pad;
  params.output_plane_stride =
      shape.tokens * params.output_row_stride + shape.pad;

  const std::int64_t weight_planes =
      (shape.planes + shape.weight_share - 1) / shape.weight_share;
  const auto weights =
      RandomWeights<Block>(random, weight_planes * params.weight_plane_stride);
  Guarded<BlockQ8_1> image(shape.planes * params.image_plane_stride);
  for (std::int64_t p = 0; p < shape.planes; ++p) {
    for (std::int64_t t = 0; t < shape.tokens; ++t) {
      const auto row = random.Row(static_cast<std::size_t>(shape.columns));
      QuantizeRowQ8_1(
          row.data(), shape.columns,
          &image[p * params.image_plane_stride + t * params.image_row_stride]);
    }
  }
  Guarded<float> out(shape.planes * params.output_plane_stride);
  params.weights = weights.data();
  params.image = image.data();
  params.output = out.data();
  MatVecHost<Block>(params);

  EXPECT_TRUE(out.guards_intact());
  std::int64_t written = 0;
  for (std::int64_t p = 0; p < shape.planes; ++p) {
    for (std::int64_t t = 0; t < shape.tokens; ++t) {
      for (std::int64_t r = 0; r < shape.rows; ++r) {
        const SlowDot dot = DotOfRow(
            weights.data() +
                p / shape.weight_share * params.weight_plane_stride +
                r * params.weight_row_stride,
            &image[p * params.image_plane_stride + t * params.image_row_stride],
            shape.columns);
        const float value = out[p * params.output_plane_stride +
                                t * params.output_row_stride + r];
        ASSERT_NEAR(value, dot.value, dot.bound)
            << "plane " << p << " token " << t << " row " << r;
        ++written;
      }
    }
  }
  const auto poisoned = std::count_if(out.data(), out.data() + out.size(),
                                      [](float x) { return std::isnan(x); });
  EXPECT_EQ(poisoned, static_cast<std::int64_t>(out.size()) - written)
      << "wrote between rows";
}

TYPED_TEST(MatVec, IsNearTheDequantizedProductForOneToEightTokens) {
  for (std::int32_t tokens = 1; tokens <= kMatVecMaxTokens; ++tokens) {
    ExpectNearTheOracle<TypeParam>({512, 5, tokens});
    ExpectNearTheOracle<TypeParam>({2560, 3, tokens, 2});
  }
}

TYPED_TEST(MatVec, IsNearTheDequantizedProductOfASingleBlock) {
  ExpectNearTheOracle<TypeParam>({TypeParam::kValues, 17, 3, 1});
}

TYPED_TEST(MatVec, IsNearTheDequantizedProductOfLongRows) {
  ExpectNearTheOracle<TypeParam>({18944, 7, 1});
  ExpectNearTheOracle<TypeParam>({13824, 7, 2, 1});
}

TYPED_TEST(MatVec, GivesEachPlaneTheWeightsThatItShares) {
  ExpectNearTheOracle<TypeParam>({512, 5, 2, 0, 3, 1});
  ExpectNearTheOracle<TypeParam>({512, 5, 2, 3, 4, 2});
  ExpectNearTheOracle<TypeParam>({256, 3, 1, 1, 5, 3});
  ExpectNearTheOracle<TypeParam>({256, 3, 8, 0, 2, 8});
}

TYPED_TEST(MatVec, DoesNothingWithoutRowsTokensOrPlanes) {
  Guarded<float> out(8);
  MatVecHost<TypeParam>({.output = out.data(), .columns = 512, .tokens = 1});
  MatVecHost<TypeParam>({.output = out.data(), .columns = 512, .rows = 8});
  MatVecHost<TypeParam>({.output = out.data(),
                         .columns = 512,
                         .rows = 8,
                         .tokens = 1,
                         .planes = 0});
  EXPECT_TRUE(out.untouched());
}

// Every value is 2 * 3, and each block has the sum that goes with it.
std::vector<BlockQ8_1> ImageOfSixes(int blocks) {
  std::vector<BlockQ8_1> image(static_cast<std::size_t>(blocks));
  for (BlockQ8_1& block : image) {
    block.scale = FloatToHalf(2);
    block.sum = FloatToHalf(32 * 6);
    std::fill_n(block.quants, 32, std::int8_t{3});
  }
  return image;
}

template <typename Block>
float OneBlock(const Block& weights, const std::vector<BlockQ8_1>& image) {
  float out = 0;
  MatVecHost<Block>({.weights = &weights,
                     .image = image.data(),
                     .output = &out,
                     .columns = Block::kValues,
                     .rows = 1,
                     .tokens = 1});
  return out;
}

TEST(MatVecBlock, GivesWorkedValuesOfQ8_0) {
  BlockQ8_0 weights{FloatToHalf(0.5f), {}};
  weights.quants[0] = -128;
  weights.quants[31] = 100;
  EXPECT_EQ(OneBlock(weights, ImageOfSixes(1)), 0.5f * (-128 + 100) * 6);
}

TEST(MatVecBlock, GivesWorkedValuesOfQ4_0) {
  BlockQ4_0 weights{FloatToHalf(0.5f), {}};
  std::fill_n(weights.nibbles, 16, std::uint8_t{0x88});  // 8 stands for 0
  weights.nibbles[2] = 0xF9;                             // value 2: 1, 18: 7
  EXPECT_EQ(OneBlock(weights, ImageOfSixes(1)), 0.5f * (1 + 7) * 6);
}

TEST(MatVecBlock, GivesWorkedValuesOfQ4_K) {
  BlockQ4_K weights{FloatToHalf(0.5f), FloatToHalf(0.25f), {}, {}};
  // Sub-block 1: scale 3, min 2, value 4 is 10.
  weights.sub_scales[1] = 3;
  weights.sub_scales[5] = 2;
  weights.nibbles[4] = 0xA0;
  // Sub-block 7: scale 4 and the top two bits of byte 3, min 5 and those of
  // byte 7; value 31 is 2.
  weights.sub_scales[11] = 0x54;
  weights.sub_scales[3] = 3 << 6;
  weights.sub_scales[7] = 1 << 6;
  weights.nibbles[127] = 0x20;
  const float one = 0.5f * 3 * 10 * 6 - 0.25f * 2 * 32 * 6;
  const float seven = 0.5f * (4 + 48) * 2 * 6 - 0.25f * (5 + 16) * 32 * 6;
  EXPECT_EQ(OneBlock(weights, ImageOfSixes(8)), one + seven);
}

TEST(MatVecBlock, GivesWorkedValuesOfIq1_S) {
  BlockIq1S weights{FloatToHalf(0.5f), {}, {}};  // all -1 + 1/8
  weights.groups[0] = 0x8000;                    // 32 values of -1 - 1/8
  weights.groups[7] = 7 << 12;                   // a scale of 15
  const float first = -1.125f * 32 * 6, last = -0.875f * 15 * 32 * 6;
  const float between = -0.875f * 6 * 32 * 6;
  EXPECT_EQ(OneBlock(weights, ImageOfSixes(8)),
            0.5f * (first + between + last));
}

TYPED_TEST(MatVec, DoesNotReadTheImagesSum) {
  RandomFloats random(15);
  const auto weights = RandomWeights<TypeParam>(random, 1);
  auto image = ImageOfSixes(TypeParam::kValues / 32);
  const float clean = OneBlock(weights[0], image);
  for (BlockQ8_1& block : image) block.sum = kHalfNan;
  EXPECT_EQ(OneBlock(weights[0], image), clean);
}

TYPED_TEST(MatVec, ReadsNoImageBlockPastTheColumns) {
  RandomFloats random(13);
  const auto weights = RandomWeights<TypeParam>(random, 1);
  auto image = ImageOfSixes(16);
  const float clean = OneBlock(weights[0], image);
  for (std::size_t b = TypeParam::kValues / 32; b < image.size(); ++b) {
    image[b].scale = kHalfNan;
  }
  EXPECT_EQ(OneBlock(weights[0], image), clean);
}

}  // namespace
}  // namespace reprise
