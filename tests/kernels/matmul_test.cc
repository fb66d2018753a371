#include "kernels/matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/image_q8_0.h"
#include "kernels/quantize_q8_0.h"
#include "kernels/weight_blocks.h"
#include "tests/kernels/guarded.h"
#include "tests/kernels/random_floats.h"
#include "tests/kernels/random_weights.h"
#include "tests/kernels/slow_dot.h"
#include "tests/kernels/weight_formats.h"

namespace reprise {
namespace {

template <typename Block>
class MatMul : public testing::Test {};
TYPED_TEST_SUITE(MatMul, WeightBlocks, FormatNames);

// Weights, the floats of some tokens, and room for the outputs.
template <typename Block>
struct Problem {
  Problem(std::int64_t columns, std::int64_t rows, std::int64_t tokens)
      : params{.columns = columns,
               .rows = rows,
               .weight_row_stride = columns / Block::kValues + 1,
               .output_row_stride = rows + 2,
               .tokens = tokens},
        output(tokens * (rows + 2)) {
    RandomFloats random(71);
    weights = RandomWeights<Block>(random, rows * params.weight_row_stride);
    source = random.Row(static_cast<std::size_t>(tokens * columns));
    params.weights = weights.data();
    params.output = output.data();
    image.resize(static_cast<std::size_t>(Pad40Blocks(columns, tokens)));
    QuantizePad40Host({source.data(), image.data(), columns, tokens, columns});
    params.image = image.data();
  }

  MatMulParams params;
  std::vector<Block> weights;
  std::vector<float> source;
  std::vector<BlockQ8_0Pad40> image;
  Guarded<float> output;
};

// As slow_dot.h bounds it: a term goes through one rounding in the oracle's
// weight, at most five in its step, and one for each step of the row.
template <typename Block>
SlowDot DotOf(const SlowRow& row, const BlockQ8_0Pad40* image) {
  SlowDot dot;
  double reach = 0;
  const std::size_t blocks = row.weights.size() / kQ8_0Values;
  for (std::size_t c = 0; c < row.weights.size(); ++c) {
    const BlockQ8_0Pad40& block = image[c / kQ8_0Values];
    const double value = double{block.scale} * block.quants[c % kQ8_0Values];
    dot.value += value * double{row.weights[c]};
    reach += std::fabs(value) * row.reaches[c];
  }
  dot.bound = reach * (static_cast<double>(blocks) + 7) * 0x1p-24;
  return dot;
}

TYPED_TEST(MatMul, IsNearTheDequantizedProduct) {
  for (const std::int64_t columns : {256, 1280}) {
    Problem<TypeParam> problem(columns, 5, 9);
    const MatMulParams& params = problem.params;
    MatMulPad40Host<TypeParam>(params);
    EXPECT_TRUE(problem.output.guards_intact());
    for (std::int64_t r = 0; r < params.rows; ++r) {
      const SlowRow row = SlowRowOf(
          problem.weights.data() + r * params.weight_row_stride, columns);
      for (std::int64_t t = 0; t < params.tokens; ++t) {
        const SlowDot dot = DotOf<TypeParam>(
            row, problem.image.data() + t * Q8_0Blocks(columns));
        ASSERT_NEAR(problem.output[t * params.output_row_stride + r], dot.value,
                    dot.bound)
            << "token " << t << " row " << r;
      }
    }
    const auto poisoned = std::count_if(
        problem.output.data(), problem.output.data() + problem.output.size(),
        [](float x) { return std::isnan(x); });
    EXPECT_EQ(poisoned, 2 * params.tokens) << "wrote between rows";
  }
}

template <typename Block>
void ExpectTheSameOfATransposedImage() {
  for (const std::int64_t tokens : {1, 9, 65}) {
    Problem<Block> problem(512, 3, tokens);
    MatMulPad40Host<Block>(problem.params);
    const std::vector<std::uint8_t> expected = problem.output.bytes();
    std::vector<std::uint8_t> image(
        static_cast<std::size_t>(TransposedImage(512, tokens).bytes()));
    QuantizeTransposedHost(
        {problem.source.data(), image.data(), 512, tokens, 512});
    problem.params.image = image.data();
    Guarded<float> output(static_cast<std::int64_t>(problem.output.size()));
    problem.params.output = output.data();
    MatMulHost<Block>(problem.params);
    EXPECT_EQ(output.bytes(), expected);
  }
}

TEST(MatMulOfTransposedImage, LeavesTheSameBytes) {
#define REPRISE_EXPECT(format, Block) ExpectTheSameOfATransposedImage<Block>();
  REPRISE_MATMUL_BLOCKS(REPRISE_EXPECT)
#undef REPRISE_EXPECT
}

TEST(MatMulShape, HasSmallerBlocksWhereTheirLastRoundCounts) {
  EXPECT_EQ(MatMulWarpsFor(18944, 512), (MatMulWarps{8, 1}));
  EXPECT_EQ(MatMulWarpsFor(8192, 512), (MatMulWarps{4, 1}));
  EXPECT_EQ(MatMulWarpsFor(4300, 505), (MatMulWarps{4, 1}));
  // All at once.
  EXPECT_EQ(MatMulWarpsFor(3584, 512), (MatMulWarps{8, 1}));
}

template <typename Block>
void ExpectToFitEveryShape() {
  for (const std::int64_t rows : {1, 820, 1800, 3400, 4300, 18944}) {
    const LaunchShape shape =
        MatMulShape<Block>({.columns = 256, .rows = rows, .tokens = 505});
    EXPECT_LE(shape.shared_bytes, 101376u) << rows << " rows";
  }
}

TEST(MatMulShape, FitsTheSharedMemoryOfSmallerDevices) {
#define REPRISE_EXPECT(format, Block) ExpectToFitEveryShape<Block>();
  REPRISE_MATMUL_BLOCKS(REPRISE_EXPECT)
#undef REPRISE_EXPECT
  // With four sixteens of rows q6_k would take 24 bytes more.
  const MatMulParams params{.columns = 256, .rows = 1800, .tokens = 505};
  EXPECT_EQ(MatMulShape<BlockQ6_K>(params).block[1], 2u);
  EXPECT_EQ(MatMulShape<BlockQ4_K>(params).block[1], 4u);
}

TEST(MatMulShape, HasFewerWarpsWhereThereAreFewRowsAndTokens) {
  EXPECT_EQ(MatMulWarpsFor(3400, 505), (MatMulWarps{8, 1}));
  EXPECT_EQ(MatMulWarpsFor(1800, 505), (MatMulWarps{4, 2}));
  EXPECT_EQ(MatMulWarpsFor(820, 505), (MatMulWarps{2, 2}));
  EXPECT_EQ(MatMulWarpsFor(2048, 512), (MatMulWarps{4, 2}));
  EXPECT_EQ(MatMulWarpsFor(512, 512), (MatMulWarps{1, 2}));
  EXPECT_EQ(MatMulWarpsFor(1, 1), (MatMulWarps{1, 2}));
  EXPECT_EQ(MatMulWarpsFor(0, 0), (MatMulWarps{1, 2}));
  EXPECT_TRUE(MatMulShape<BlockQ4_0>({.columns = 32, .rows = 5}).empty());
  EXPECT_TRUE(MatMulShape<BlockQ4_0>({.columns = 32, .tokens = 5}).empty());
}

}  // namespace
}  // namespace reprise
