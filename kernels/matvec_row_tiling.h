// How the matrix kernels that take a token at a time cut their work
// (matvec_rows.cuh), as arithmetic that a launch, the kernel and a test without
// a GPU share.
//
// A warp makes eight output values, four in a small launch, or its part of
// them. It walks along the rows chunk by chunk: a chunk is 1,024 columns, 32 a
// lane, and the next chunks are on their way through shared memory meanwhile.
// The image lies in shared memory whole. Where rows are few, warps share them
// and their sums are added in warp order, so equal inputs give equal bytes.
#ifndef REPRISE_KERNELS_MATVEC_ROW_TILING_H_
#define REPRISE_KERNELS_MATVEC_ROW_TILING_H_

#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/launch_shape.h"

namespace reprise {

inline constexpr int kChunkColumns = 1024;
inline constexpr int kWarpRows = 4;

// What fills a large device; with fewer rows than that, warps share rows.
inline constexpr std::int64_t kWantedRowWarps = 3072;
inline constexpr std::int64_t kMaxColumnWarps = 8;

struct RowSplit {
  int chunks = 0;  // of a row
  int chunks_per_warp = 0;
  int column_warps = 0;  // that share four rows
  int row_warps = 0;     // times four rows in a thread block

  constexpr std::uint32_t rows() const {
    return static_cast<std::uint32_t>(row_warps * kWarpRows);
  }
};

// `outputs` counts the rows of all matrices of the launch.
constexpr RowSplit SplitRows(std::int64_t columns, std::int64_t outputs) {
  const std::int64_t chunks =
      columns > kChunkColumns ? (columns + kChunkColumns - 1) / kChunkColumns
                              : 1;
  RowSplit split;
  const std::int64_t groups = outputs / kWarpRows + 1;
  std::int64_t sharing = kWantedRowWarps / groups;
  if (sharing > chunks) sharing = chunks;
  if (sharing > kMaxColumnWarps) sharing = kMaxColumnWarps;
  if (sharing < 1) sharing = 1;
  split.chunks = static_cast<int>(chunks);
  split.chunks_per_warp = static_cast<int>((chunks - 1) / sharing + 1);
  split.column_warps = (split.chunks - 1) / split.chunks_per_warp + 1;
  // Few rows go to many small thread blocks, so that every multiprocessor has
  // some; many rows share an image. Whole rows a warp leave less of it to
  // share.
  const std::int64_t fitting =
      (split.column_warps > 1 ? 8 : 4) / split.column_warps;
  const std::int64_t wanted = groups / 128 < fitting ? groups / 128 : fitting;
  split.row_warps = wanted < 1 ? 1 : static_cast<int>(wanted);
  return split;
}

// What a staged row takes. It keeps its bytes' addresses modulo sixteen, so its
// pieces can reach fifteen bytes to either side.
template <typename Block>
constexpr int StagedRowBytes() {
  constexpr int kBytes =
      kChunkColumns / Block::kValues * static_cast<int>(sizeof(Block));
  return (kBytes + 15 + 15) / 16 * 16;
}

// Chunks on their way: enough bytes to hide the memory's latency.
template <typename Block>
constexpr int RowStages() {
  return kWarpRows * StagedRowBytes<Block>() >= 3072 ? 2 : 4;
}

template <typename Block>
constexpr std::uint32_t RowStagesBytes() {
  return static_cast<std::uint32_t>(RowStages<Block>() * kWarpRows *
                                    StagedRowBytes<Block>());
}

// The image of one row, with room for its address modulo sixteen.
constexpr std::uint32_t StagedImageBytes(std::int64_t columns) {
  const std::int64_t blocks =
      (columns + kImageBlockValues - 1) / kImageBlockValues;
  return Extent(
      (blocks * static_cast<std::int64_t>(sizeof(BlockQ8_1)) + 15 + 15) / 16 *
      16);
}

template <typename Block>
constexpr std::uint32_t RowSharedBytes(std::int64_t columns,
                                       const RowSplit& split) {
  return StagedImageBytes(columns) +
         Extent(split.column_warps * split.row_warps) * RowStagesBytes<Block>();
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_MATVEC_ROW_TILING_H_
