#include "kernels/launch_shape.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "kernels/attention.h"
#include "kernels/glu.h"
#include "kernels/matvec.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "kernels/routed_matvec.h"
#include "kernels/router_top_k.h"
#include "kernels/weight_blocks.h"

namespace reprise {
namespace {

static_assert(GroupsOf(256, 0) == 0);
static_assert(GroupsOf(256, 1) == 1);
static_assert(GroupsOf(256, 256) == 1);
static_assert(GroupsOf(256, 257) == 2);
static_assert(GroupsOf(256, -5) == 0);
static_assert(GroupsOf(1, 0xFFFFFFFF) == 0xFFFFFFFF);

TEST(LaunchShape, CoversThePaddedRowAThreadAColumn) {
  QuantizeQ8_1Params quantize{.columns = 2592, .rows = 3, .planes = 2};
  EXPECT_EQ(QuantizeQ8_1Shape(quantize),
            (LaunchShape{{12, 3, 2}, {256, 1, 1}, 0}));
  GluParams glu{.columns = 32, .rows = 7};
  EXPECT_EQ(GluShape(glu), (LaunchShape{{2, 7, 1}, {256, 1, 1}, 0}));
}

// Somewhere for an output that is not the input.
float elsewhere = 0;

TEST(LaunchShape, GivesANormMoreThreadsForLongRows) {
  RmsNormParams norm{.output = &elsewhere, .columns = 1023, .rows = 9};
  EXPECT_EQ(RmsNormShape(norm), (LaunchShape{{9, 1, 1}, {512, 1, 1}, 128}));
  norm.columns = 1024;
  EXPECT_EQ(RmsNormShape(norm), (LaunchShape{{9, 1, 1}, {1024, 1, 1}, 128}));
}

TEST(LaunchShape, GivesANormABlockForEachTurnOfALongRowWithinLimits) {
  const struct {
    std::int64_t columns, rows;
    std::uint32_t slices;
  } kCases[] = {
      {1, 1, 1},
      {1024, 1, 1},
      {1025, 1, 2},
      {4096, 1, 4},
      {4097, 1, 5},
      {8192, 1, 8},
      {8192, 16, 8},
      // Ten turns: two each for five blocks, as soon as with eight.
      {10240, 1, 5},
      {65536, 1, 8},
      {1 << 20, 1, 8},
      // 128 blocks in all are six a row, of which four do, or two, or one.
      {8192, 20, 4},
      {8192, 43, 2},
      {8192, 64, 2},
      {8192, 65, 1},
      {8192, 1 << 20, 1},
  };
  for (const auto& [columns, rows, slices] : kCases) {
    const RmsNormParams norm{
        .output = &elsewhere, .columns = columns, .rows = rows};
    EXPECT_EQ(RmsNormShape(norm).grid[0], rows);
    EXPECT_EQ(RmsNormShape(norm).grid[1], slices)
        << rows << " rows of " << columns;
  }
}

TEST(LaunchShape, LeavesARowWholeThatANormReplaces) {
  const RmsNormParams norm{
      .x = &elsewhere, .output = &elsewhere, .columns = 8192, .rows = 1};
  EXPECT_EQ(RmsNormShape(norm), (LaunchShape{{1, 1, 1}, {1024, 1, 1}, 128}));
}

TEST(LaunchShape, KeepsARowAMaximumAndASumForEachWarpOfAttention) {
  AttentionParams attention{.tokens = 3, .heads = 8, .head_dim = 128};
  EXPECT_EQ(AttentionShape(attention),
            (LaunchShape{{8, 3, 1}, {32, 16, 1}, 16 * 130 * 4}));
}

TEST(LaunchShape, StagesTheCacheForTilesOfAttentionInLessThanAPlainLaunchHas) {
  AttentionParams attention{.tokens = 65, .heads = 8, .head_dim = 128};
  EXPECT_EQ(AttentionTileShape(attention),
            (LaunchShape{{8, 2, 1}, {32, 4, 1}, 2 * 2 * 32 * 272}));
  EXPECT_LE(AttentionTileShape(attention).shared_bytes, 48u * 1024);
  attention.head_dim = 64;
  EXPECT_LE(AttentionTileShape(attention).shared_bytes, 48u * 1024);
}

TEST(LaunchShape, AttendsInTilesWhereAWarpHasTokensToShareRows) {
  const auto symbol = [](std::int32_t tokens, std::int32_t head_dim) {
    return std::string(
        AttentionSymbol({.tokens = tokens, .head_dim = head_dim}));
  };
  EXPECT_EQ(symbol(16, 64), "reprise_attention");
  EXPECT_EQ(symbol(17, 64), "reprise_attention_tile_64");
  EXPECT_EQ(symbol(17, 128), "reprise_attention_tile_128");
  EXPECT_EQ(symbol(17, 96), "reprise_attention");
}

TEST(LaunchShape, IsEmptyWhereThereIsNothingToDo) {
  EXPECT_TRUE(QuantizeQ8_1Shape({.columns = 512, .planes = 1}).empty());
  EXPECT_TRUE(RmsNormShape({.columns = 512}).empty());
  EXPECT_TRUE(GluShape({.rows = 1}).empty());
  EXPECT_TRUE(MatVecShape<BlockQ4_0>({.rows = 64, .tokens = 0}).empty());
  EXPECT_TRUE(RoutedMatVecShape<BlockQ4_0>({.rows = 64, .slots = 2}).empty());
  EXPECT_TRUE(RouterTopKShape({.tokens = 2, .slots = 0}).empty());
  EXPECT_TRUE(AttentionTileShape({}).empty());
  EXPECT_FALSE(MatVecShape<BlockQ4_0>({.rows = 64, .tokens = 1}).empty());
}

}  // namespace
}  // namespace reprise
