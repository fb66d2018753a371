#include "kernels/matvec_tiling.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/launch_shape.h"
#include "kernels/matvec.h"
#include "kernels/matvec_row_tiling.h"
#include "kernels/routed_matvec.h"
#include "kernels/weight_blocks.h"
#include "tests/kernels/weight_formats.h"

namespace reprise {
namespace {

// What a thread block may have on the devices with the most.
constexpr std::uint32_t kMostSharedBytes = 227 * 1024;

template <typename Block>
class MatVecTilingOf : public testing::Test {};
TYPED_TEST_SUITE(MatVecTilingOf, WeightBlocks, FormatNames);

TYPED_TEST(MatVecTilingOf, HasWholeBlocksInAUnit) {
  constexpr MatVecTiling kTiling = TilingOf<TypeParam>();
  EXPECT_EQ(kUnitColumns % TypeParam::kValues, 0);
  EXPECT_EQ(kUnitColumns % kImageBlockValues, 0);
  EXPECT_EQ(kTiling.weight_bytes,
            kUnitColumns / TypeParam::kValues * sizeof(TypeParam));
}

TYPED_TEST(MatVecTilingOf, HoldsARowThatStartsAtAnyByteInAnOddNumberOfPieces) {
  constexpr MatVecTiling kTiling = TilingOf<TypeParam>();
  EXPECT_GE(16 * kTiling.weight_pieces, kTiling.weight_bytes + 15);
  EXPECT_EQ(kTiling.weight_pieces % 2, 1);
  EXPECT_GE(16 * kTiling.image_pieces, kUnitColumns / 32 * 36 + 15);
  EXPECT_EQ(kTiling.image_pieces % 2, 1);
}

TYPED_TEST(MatVecTilingOf, FitsInSharedMemoryWithAllWarpsAndTokens) {
  EXPECT_LE(MatVecSharedBytes<TypeParam>(kMatVecMaxWarps, kTileTokens),
            kMostSharedBytes);
}

TYPED_TEST(MatVecTilingOf, HasRoomForTheSumsOfAllWarps) {
  for (std::uint32_t tokens = 1; tokens <= kTileTokens; ++tokens) {
    EXPECT_GE(MatVecSharedBytes<TypeParam>(8, static_cast<int>(tokens)),
              8 * kTileRows * tokens * sizeof(float));
  }
}

TEST(MatVecWarps, AreNeverMoreThanUnitsOrThanTheMostAndNoneIsSpare) {
  for (std::int64_t units = 1; units < 100; ++units) {
    const std::int64_t warps = MatVecWarps(kUnitColumns * units, 16);
    EXPECT_GE(warps, 1);
    EXPECT_LE(warps, kMatVecMaxWarps);
    EXPECT_LE(warps, units);
    // As short a longest run as with all warps, and not with one warp less.
    const std::int64_t longest = (units + 7) / 8;
    EXPECT_GE(warps * longest, units);
    EXPECT_LT((warps - 1) * longest, units);
  }
}

TEST(MatVecWarps, AreFewerWhereTilesAreMany) {
  EXPECT_EQ(MatVecWarps(4096, 4096), 8u);
  EXPECT_EQ(MatVecWarps(4096, 14336), 4u);
  EXPECT_EQ(MatVecWarps(4096, 151936), 1u);
}

TEST(SplitRows, GivesSmallLaunchesSmallThreadBlocks) {
  const RowSplit split = SplitRows(2048, 768);
  EXPECT_EQ(split.chunks, 2);
  EXPECT_EQ(split.column_warps, 2);
  EXPECT_EQ(split.row_warps, 1);
  EXPECT_EQ(split.rows(), 4u);
}

TEST(SplitRows, LetsWarpsShareRowsOnlyWhereRowsAreFew) {
  EXPECT_EQ(SplitRows(4096, 4096).column_warps, 2);
  EXPECT_EQ(SplitRows(4096, 4096).row_warps, 4);
  EXPECT_EQ(SplitRows(4096, 14336).column_warps, 1);
  EXPECT_EQ(SplitRows(4096, 14336).row_warps, 4);
}

TEST(SplitRows, CoversEveryChunkOnceAndKeepsNoWarpIdle) {
  for (std::int64_t columns = 32; columns < 100000; columns = columns * 5 / 3) {
    for (std::int64_t outputs : {1, 4, 5, 100, 768, 4096, 14336, 151936}) {
      const RowSplit split = SplitRows(columns, outputs);
      EXPECT_GE(std::int64_t{split.chunks} * kChunkColumns, columns);
      EXPECT_LT((split.chunks - 1) * std::int64_t{kChunkColumns}, columns);
      EXPECT_GE(split.column_warps * split.chunks_per_warp, split.chunks);
      EXPECT_LT((split.column_warps - 1) * split.chunks_per_warp, split.chunks);
      EXPECT_GE(split.row_warps, 1);
      EXPECT_LE(split.column_warps * split.row_warps, 8);
    }
  }
}

void ExpectAThreadBlockThatCanRun(const LaunchShape& shape) {
  EXPECT_EQ(shape.block[0], kWarpThreads);
  EXPECT_LE(shape.block[0] * shape.block[1] * shape.block[2], 1024u);
  EXPECT_LE(shape.shared_bytes, kMostSharedBytes);
}

// The widest rows of models that people run.
constexpr std::int64_t kColumns[] = {256, 2560, 4096, 18944, 53248};
constexpr std::int64_t kRows[] = {1, 4, 5, 17, 1000, 151936};

TYPED_TEST(MatVecTilingOf, HasAPlaneOfTheGridForEachPlane) {
  for (std::int64_t columns : kColumns) {
    for (std::int64_t rows : kRows) {
      for (std::int32_t tokens = 1; tokens <= kMatVecMaxTokens; ++tokens) {
        const LaunchShape shape = MatVecShape<TypeParam>(
            {.columns = columns, .rows = rows, .tokens = tokens, .planes = 3});
        ExpectAThreadBlockThatCanRun(shape);
        EXPECT_GE(shape.grid[0], 1u);
        EXPECT_LE(shape.grid[0], rows);
        EXPECT_EQ(shape.grid[1], 3u);
        EXPECT_TRUE(shape.grid[2] == 1u ||
                    shape.grid[2] == static_cast<std::uint32_t>(tokens));
      }
    }
  }
}

TYPED_TEST(MatVecTilingOf, HasAPlaneOfTheGridForEachTokenAndSlot) {
  for (std::int64_t columns : kColumns) {
    for (std::int64_t rows : kRows) {
      const LaunchShape shape = RoutedMatVecShape<TypeParam>(
          {.columns = columns, .rows = rows, .slots = 2, .tokens = 7});
      ExpectAThreadBlockThatCanRun(shape);
      EXPECT_GE(shape.grid[0], 1u);
      EXPECT_LE(shape.grid[0], rows);
      EXPECT_EQ(shape.grid[1], 2u);
      EXPECT_EQ(shape.grid[2], 7u);
    }
  }
}

TEST(MatVecWarps, CountsAUnitThatHasBegun) {
  EXPECT_EQ(MatVecWarps(0, 16), 1u);
  EXPECT_EQ(MatVecWarps(32, 16), 1u);
  EXPECT_EQ(MatVecWarps(256, 16), 1u);
  EXPECT_EQ(MatVecWarps(288, 16), 2u);
  EXPECT_EQ(MatVecWarps(2048, 16), 8u);
  EXPECT_EQ(MatVecWarps(2080, 16), 5u);  // nine units, two a warp
  EXPECT_EQ(MatVecWarps(2560, 16), 5u);
}

TEST(MatVecShape, GivesATileOfRowsAndAPlaneAThreadBlockForManyTokens) {
  MatVecParams params{.columns = 4096, .rows = 4097, .tokens = 2, .planes = 3};
  const std::uint32_t warps = MatVecWarps(4096, 3 * 4097);
  EXPECT_EQ(MatVecShape<BlockQ4_0>(params),
            (LaunchShape{{257, 3, 1},
                         {32, warps, 1},
                         MatVecSharedBytes<BlockQ4_0>(warps, 2)}));
  params.rows = 4096;
  params.planes = 1;
  params.tokens = 8;
  EXPECT_EQ(MatVecShape<BlockQ4_0>(params),
            (LaunchShape{
                {256, 1, 1}, {32, 8, 1}, MatVecSharedBytes<BlockQ4_0>(8, 8)}));
}

TEST(MatVecShape, TakesFewTokensOneByOneWhereTheMatrixIsSmall) {
  const LaunchShape small = MatVecShape<BlockQ4_0>(
      {.columns = 2048, .rows = 768, .tokens = 4, .planes = 1});
  EXPECT_EQ(small.grid[2], 4u);
  const LaunchShape large = MatVecShape<BlockQ4_0>(
      {.columns = 2048, .rows = 2048, .tokens = 4, .planes = 1});
  EXPECT_EQ(large.grid[2], 1u);
  const LaunchShape many = MatVecShape<BlockQ4_0>(
      {.columns = 2048, .rows = 256, .tokens = 8, .planes = 1});
  EXPECT_EQ(many.grid[2], 1u);
}

}  // namespace
}  // namespace reprise
