#include "kernels/launch_shape.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/attention.h"
#include "kernels/glu.h"
#include "kernels/matvec.h"
#include "kernels/quantize_q8_1.h"
#include "kernels/rms_norm.h"
#include "kernels/routed_matvec.h"
#include "kernels/router_top_k.h"

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

TEST(LaunchShape, GivesANormABlockARowAndMoreThreadsToLongRows) {
  RmsNormParams norm{.columns = 1023, .rows = 9};
  EXPECT_EQ(RmsNormShape(norm), (LaunchShape{{9, 1, 1}, {256, 1, 1}, 128}));
  norm.columns = 1024;
  EXPECT_EQ(RmsNormShape(norm), (LaunchShape{{9, 1, 1}, {1024, 1, 1}, 128}));
}

TEST(LaunchShape, GivesAMatVecABlockARowWhateverTheTokens) {
  MatVecParams matvec{.rows = 4096, .tokens = 8};
  EXPECT_EQ(MatVecShape(matvec), (LaunchShape{{4096, 1, 1}, {32, 4, 1}, 0}));
  RoutedMatVecParams routed{.rows = 64, .slots = 2, .tokens = 5};
  EXPECT_EQ(RoutedMatVecShape(routed),
            (LaunchShape{{64, 2, 5}, {32, 4, 1}, 0}));
}

TEST(LaunchShape, KeepsARowAMaximumAndASumForEachWarpOfAttention) {
  AttentionParams attention{.tokens = 3, .heads = 8, .head_dim = 128};
  EXPECT_EQ(AttentionShape(attention),
            (LaunchShape{{8, 3, 1}, {32, 4, 1}, 4 * 130 * 4}));
}

TEST(LaunchShape, IsEmptyWhereThereIsNothingToDo) {
  EXPECT_TRUE(QuantizeQ8_1Shape({.columns = 512, .planes = 1}).empty());
  EXPECT_TRUE(RmsNormShape({.columns = 512}).empty());
  EXPECT_TRUE(GluShape({.rows = 1}).empty());
  EXPECT_TRUE(MatVecShape({.rows = 64, .tokens = 0}).empty());
  EXPECT_TRUE(RoutedMatVecShape({.rows = 64, .slots = 2}).empty());
  EXPECT_TRUE(RouterTopKShape({.tokens = 2, .slots = 0}).empty());
  EXPECT_FALSE(MatVecShape({.rows = 64, .tokens = 1}).empty());
}

}  // namespace
}  // namespace reprise
