#include "kernels/matvec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/quantize_q8_1.h"
#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/random_weights.h"
#include "tests/kernels/slow_dot.h"

namespace reprise {
namespace {

template <typename Block>
class MatVec : public testing::Test {};
using Formats = testing::Types<BlockQ4_0, BlockQ8_0, BlockQ4_K>;
TYPED_TEST_SUITE(MatVec, Formats);

struct Shape {
  std::int64_t columns, rows;
  std::int32_t tokens;
  std::int64_t pad;  // blocks or floats after each row
};

template <typename Block>
void ExpectNearTheOracle(Shape shape) {
  RandomFloats random(12);
  const std::int64_t weight_stride = shape.columns / Block::kValues + shape.pad;
  const std::int64_t image_stride = ImageRowBlocks(shape.columns) + shape.pad;
  const std::int64_t output_stride = shape.rows + shape.pad;
  const auto weights = RandomWeights<Block>(random, shape.rows * weight_stride);
  Guarded<BlockQ8_1> image(shape.tokens * image_stride);
  for (std::int64_t t = 0; t < shape.tokens; ++t) {
    const auto row = random.Row(static_cast<std::size_t>(shape.columns));
    QuantizeRowQ8_1(row.data(), shape.columns, &image[t * image_stride]);
  }
  Guarded<float> out(shape.tokens * output_stride);
  MatVecHost<Block>({.weights = weights.data(),
                     .image = image.data(),
                     .output = out.data(),
                     .columns = shape.columns,
                     .rows = shape.rows,
                     .weight_row_stride = weight_stride,
                     .image_row_stride = image_stride,
                     .output_row_stride = output_stride,
                     .tokens = shape.tokens});
  EXPECT_TRUE(out.guards_intact());
  for (std::int64_t t = 0; t < shape.tokens; ++t) {
    for (std::int64_t r = 0; r < shape.rows; ++r) {
      const SlowDot dot = DotOfRow(weights.data() + r * weight_stride,
                                   &image[t * image_stride], shape.columns);
      ASSERT_NEAR(out[t * output_stride + r], dot.value, dot.bound)
          << "token " << t << " row " << r;
    }
    for (std::int64_t r = shape.rows; r < output_stride; ++r) {
      ASSERT_NE(out[t * output_stride + r], out[t * output_stride + r])
          << "wrote between rows";
    }
  }
}

TYPED_TEST(MatVec, IsNearTheDequantizedProductForOneToEightTokens) {
  for (std::int32_t tokens = 1; tokens <= kMatVecMaxTokens; ++tokens) {
    ExpectNearTheOracle<TypeParam>({512, 5, tokens, 0});
    ExpectNearTheOracle<TypeParam>({2560, 3, tokens, 2});
  }
}

TYPED_TEST(MatVec, IsNearTheDequantizedProductOfLongRows) {
  ExpectNearTheOracle<TypeParam>({18944, 7, 1, 0});
  ExpectNearTheOracle<TypeParam>({13824, 7, 2, 1});
}

TYPED_TEST(MatVec, DoesNothingWithoutRowsOrTokens) {
  Guarded<float> out(8);
  MatVecHost<TypeParam>({.output = out.data(), .columns = 512, .tokens = 1});
  MatVecHost<TypeParam>({.output = out.data(), .columns = 512, .rows = 8});
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
  weights.sixes[1] = 3;
  weights.sixes[5] = 2;
  weights.nibbles[4] = 0xA0;
  // Sub-block 7: scale 4 and the top two bits of byte 3, min 5 and those of
  // byte 7; value 31 is 2.
  weights.sixes[11] = 0x54;
  weights.sixes[3] = 3 << 6;
  weights.sixes[7] = 1 << 6;
  weights.nibbles[127] = 0x20;
  const float one = 0.5f * 3 * 10 * 6 - 0.25f * 2 * 32 * 6;
  const float seven = 0.5f * (4 + 48) * 2 * 6 - 0.25f * (5 + 16) * 32 * 6;
  EXPECT_EQ(OneBlock(weights, ImageOfSixes(8)), one + seven);
}

TEST(MatVecBlock, TakesTheOffsetOfQ4_0FromTheImagesSum) {
  const BlockQ4_0 zeros{FloatToHalf(1), {}};  // every value is -8
  auto image = ImageOfSixes(1);
  image[0].sum = FloatToHalf(10);
  EXPECT_EQ(OneBlock(zeros, image), -80);
  image[0].sum = 0x7C00;  // a sum that passed half carries into the product
  EXPECT_EQ(OneBlock(zeros, image), -HalfToFloat(0x7C00));
}

TYPED_TEST(MatVec, ReadsNoImageBlockPastTheColumns) {
  RandomFloats random(13);
  const auto weights = RandomWeights<TypeParam>(random, 1);
  auto image = ImageOfSixes(16);
  const float clean = OneBlock(weights[0], image);
  for (std::size_t b = TypeParam::kValues / 32; b < image.size(); ++b) {
    image[b].scale = image[b].sum = 0x7FFF;
  }
  EXPECT_EQ(OneBlock(weights[0], image), clean);
}

}  // namespace
}  // namespace reprise
