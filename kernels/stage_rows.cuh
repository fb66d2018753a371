// Stages a piece of each of a warp's rows in shared memory. Eight lanes copy
// 128 bytes of a row at once, which is a line of global memory and touches each
// bank once; of what is left of a row as few as it takes. A staged byte keeps
// its address modulo 16.
#ifndef REPRISE_KERNELS_STAGE_ROWS_CUH_
#define REPRISE_KERNELS_STAGE_ROWS_CUH_

#include <cstdint>

#include "kernels/async_copy.cuh"

namespace reprise {

// At most kRows rows, `stride` bytes apart, of which `rows` there are.
template <int kRows>
struct RowsToStage {
  const std::uint8_t* first;
  std::int64_t stride;
  int rows;
};

// Whether memory behind the bytes of a row may be read, up to a whole piece.
enum class Behind { kReadable, kNothing };

// Pieces kFirst to kFirst + kLanes - 1 of each row, by kLanes lanes a row.
template <Behind kBehind, int kFirst, int kLanes, int kPitch, int kRows>
__device__ inline void StagePieces(std::uint32_t to,
                                   const RowsToStage<kRows>& rows, int bytes) {
  const int lane = static_cast<int>(threadIdx.x);
  const int offset = (kFirst + lane % kLanes) * kPieceBytes;
#pragma unroll
  for (int turn = 0; turn < kRows; turn += 32 / kLanes) {
    const int row = turn + lane / kLanes;
    const std::uint8_t* at = rows.first + row * rows.stride;
    const int skew = static_cast<int>(Skew(at));
    const int left = skew + bytes - offset;
    if (row >= min(rows.rows, kRows) || left <= 0) continue;
    const std::uint32_t out = to + row * kPitch + offset;
    if constexpr (kBehind == Behind::kReadable) {
      CopyPiece<Reuse::kNone>(out, at - skew + offset);
    } else {
      CopyPieceUpTo(out, at - skew + offset, min(left, kPieceBytes));
    }
  }
}

template <Behind kBehind, int kMaxBytes, int kPitch, int kRows, int kFirst = 0>
__device__ inline void StageRows(std::uint32_t to,
                                 const RowsToStage<kRows>& rows, int bytes) {
  constexpr int kPieces =
      (kMaxBytes + 2 * (kPieceBytes - 1)) / kPieceBytes - kFirst;
  if constexpr (kPieces > 0) {
    constexpr int kLanes = kPieces > 4 ? 8 : kPieces > 2 ? 4 : kPieces;
    StagePieces<kBehind, kFirst, kLanes, kPitch>(to, rows, bytes);
    StageRows<kBehind, kMaxBytes, kPitch, kRows, kFirst + kLanes>(to, rows,
                                                                  bytes);
  }
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_STAGE_ROWS_CUH_
