// How the matrix kernel for many tokens cuts its work (matmul_tile.cuh), as
// arithmetic that a launch, the kernel and a test without a GPU share.
//
// A thread block makes the outputs of some sixteens of rows for the 64 tokens
// of one tile of the image. A warp has sixteen rows and all 64 tokens, so that
// each weight is unpacked once; or 32 tokens, where there are too few rows to
// keep the device busy otherwise. The block walks along the columns a unit at a
// time: the columns that it stages in shared memory at once, of its rows and of
// the tile. A kernel has each of the MatMulWarps built in.
#ifndef REPRISE_KERNELS_MATMUL_TILING_H_
#define REPRISE_KERNELS_MATMUL_TILING_H_

#include <cstdint>
#include <type_traits>

#include "kernels/image_q8_0.h"
#include "kernels/launch_shape.h"
#include "kernels/matvec_tiling.h"
#include "kernels/weight_blocks.h"

namespace reprise {

inline constexpr int kMatMulMaxWarps = 8;
inline constexpr int kMatMulBarrierBytes = 8;  // of a stage (bulk_copy.cuh)
// Thread blocks that keep a large device busy: about two a multiprocessor.
inline constexpr std::int64_t kWantedMatMulBlocks = 200;
// Of eight warps: those that it runs at once, and so many that the last round
// of them counts for little.
inline constexpr std::int64_t kMatMulBlocksAtOnce = 264;
inline constexpr std::int64_t kManyMatMulBlocks = 1000;

struct MatMulTiling {
  int unit_columns = 0;
  int weight_bytes = 0;     // of one row of a unit
  int weight_pitch = 0;     // from one staged row to the next
  bool token_sums = false;  // whether the sums of the tile's quants are staged

  constexpr int steps() const { return unit_columns / kQ8_0Values; }
  constexpr int image_bytes() const {
    return steps() * (kTransposedBlockBytes + kTransposedScaleBytes);
  }
  constexpr int StageBytes(int row_warps) const {
    return row_warps * kTileRows * weight_pitch + image_bytes();
  }
  // A scale and a sum for each step and token of a unit.
  constexpr int sum_bytes() const {
    return token_sums ? steps() * kQ8_0TileTokens * 2 * int{sizeof(float)} : 0;
  }
};

// Whole blocks, and of small ones as many as make a unit long enough to hide
// the copies for the next.
template <typename Block>
constexpr MatMulTiling MatMulTilingOf() {
  MatMulTiling tiling;
  tiling.unit_columns = Block::kValues > 128 ? Block::kValues : 128;
  tiling.weight_bytes =
      tiling.unit_columns / Block::kValues * static_cast<int>(sizeof(Block));
  // A row may start at any byte, so its pieces reach 15 bytes to either side.
  tiling.weight_pitch = 16 * OddPieces(tiling.weight_bytes + 15);
  // The one of these formats with mins, as the kernel asserts.
  tiling.token_sums = std::is_same_v<Block, BlockQ4_K>;
  return tiling;
}

// A thread block's warps: those that share no row, and those that share each.
struct MatMulWarps {
  int rows = kMatMulMaxWarps;
  int tokens = 1;

  // Few warps have little else to do while copies are under way.
  constexpr int stages() const { return tokens == 1 ? 2 : 3; }

  friend constexpr bool operator==(const MatMulWarps&,
                                   const MatMulWarps&) = default;
};

constexpr MatMulWarps MatMulWarpsFor(std::int64_t rows, std::int64_t tokens) {
  const auto blocks = [&](int row_warps) {
    return GroupsOf(row_warps * kTileRows, rows) * Q8_0Tiles(tokens);
  };
  if (blocks(8) >= kWantedMatMulBlocks) {
    const bool few_rounds =
        blocks(8) > kMatMulBlocksAtOnce && blocks(8) < kManyMatMulBlocks;
    return {few_rounds ? 4 : 8, 1};
  }
  MatMulWarps warps = {4, 2};
  while (warps.rows > 1 && blocks(warps.rows) < kWantedMatMulBlocks) {
    warps.rows /= 2;
  }
  return warps;
}

constexpr int MatMulSharedBytes(const MatMulTiling& tiling, MatMulWarps warps) {
  return warps.stages() *
             (tiling.StageBytes(warps.rows) + kMatMulBarrierBytes) +
         tiling.sum_bytes();
}

// What every device from sm_80 on gives a thread block.
inline constexpr int kMatMulMaxSharedBytes = 99 * 1024;

// These, or so few of them that their thread block fits.
constexpr MatMulWarps FittingWarps(const MatMulTiling& tiling,
                                   MatMulWarps warps) {
  while (MatMulSharedBytes(tiling, warps) > kMatMulMaxSharedBytes) {
    warps.rows /= 2;
  }
  return warps;
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATMUL_TILING_H_
