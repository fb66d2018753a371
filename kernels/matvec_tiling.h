// How the matrix kernels that take several tokens at once cut their work
// (matvec_tile.cuh), as arithmetic that a launch, the kernel and a test without
// a GPU share.
//
// A thread block makes kTileRows output values of every token. Its warps split
// the columns: a unit is the columns that a warp stages in shared memory at
// once, and each warp takes a contiguous run of units. At the end the warps'
// sums are added in warp order, so equal inputs give equal bytes.
#ifndef REPRISE_KERNELS_MATVEC_TILING_H_
#define REPRISE_KERNELS_MATVEC_TILING_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/launch_shape.h"

namespace reprise {

// The tensor core's tile: 16 rows, 32 columns, 8 tokens.
inline constexpr int kTileRows = 16;
inline constexpr int kTileTokens = 8;

inline constexpr std::int64_t kMatVecMaxWarps = 8;
inline constexpr std::int64_t kWantedTileWarps = 4096;
inline constexpr int kUnitColumns = 256;  // a multiple of every block
inline constexpr int kMatVecStages = 2;

// Rows in shared memory are an odd number of 16-byte pieces apart: then eight
// rows times sixteen bytes are in 32 different banks.
constexpr int OddPieces(int bytes) { return (bytes + 15) / 16 | 1; }

struct MatVecTiling {
  int weight_bytes = 0;   // of one row of a unit
  int weight_pieces = 0;  // 16-byte pieces from one row to the next
  int image_pieces = 0;

  constexpr int StageBytes(int tokens) const {
    return 16 * (kTileRows * weight_pieces + tokens * image_pieces);
  }
};

// A row may start at any byte, so its pieces can reach 15 bytes to either side.
template <typename Block>
constexpr MatVecTiling TilingOf() {
  MatVecTiling tiling;
  tiling.weight_bytes =
      kUnitColumns / Block::kValues * static_cast<int>(sizeof(Block));
  tiling.weight_pieces = OddPieces(tiling.weight_bytes + 15);
  tiling.image_pieces =
      OddPieces(kUnitColumns / kImageBlockValues * int{sizeof(BlockQ8_1)} + 15);
  return tiling;
}

// Enough warps to fill a large device, and of those as few as make the longest
// run of units no longer: ten units are five warps' work of two, not eight
// warps'. `outputs` counts the rows of all matrices of the launch.
constexpr std::uint32_t MatVecWarps(std::int64_t columns,
                                    std::int64_t outputs) {
  const std::int64_t units = GroupsOf(kUnitColumns, columns);
  if (units == 0) return 1;
  std::int64_t wanted = kWantedTileWarps / (outputs / kTileRows + 1);
  if (wanted > kMatVecMaxWarps) wanted = kMatVecMaxWarps;
  if (wanted < 1) wanted = 1;
  const std::int64_t longest = (units - 1) / wanted + 1;
  return static_cast<std::uint32_t>((units - 1) / longest + 1);
}

// The sums of all warps take the place of the stages at the end.
template <typename Block>
constexpr std::uint32_t MatVecSharedBytes(std::uint32_t warps, int tokens) {
  const int stages = kMatVecStages * TilingOf<Block>().StageBytes(tokens);
  const int sums = kTileRows * tokens * int{sizeof(float)};
  return warps * static_cast<std::uint32_t>(stages > sums ? stages : sums);
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATVEC_TILING_H_
