// Stages some bytes of each of a warp's rows in shared memory. Eight lanes copy
// 128 bytes of a row at once, which is a line of global memory and touches each
// bank once; what is left of a row as few lanes as it takes. A staged byte
// keeps its address modulo 16. (stage_row.cuh has four lanes for each row.)
#ifndef REPRISE_KERNELS_STAGE_ROWS_CUH_
#define REPRISE_KERNELS_STAGE_ROWS_CUH_

#include <cstdint>

#include "kernels/async_copy.cuh"
#include "kernels/shared_address.cuh"

namespace reprise {

// Of kRows rows at most, kBytes bytes each at a time, to rows kPitch apart.
template <int kRows, int kBytes, int kPitch>
class RowStager {
 public:
  // `rows` are left in the matrix, `stride` bytes apart; none if negative.
  __device__ RowStager(const std::uint8_t* first, std::int64_t stride, int rows)
      : first_(first), stride_(stride), rows_(rows) {}

  __device__ void Advance() { first_ += kBytes; }

  // Of each row kBytes bytes from where the stager is. Up to 15 bytes behind
  // them are read as well.
  __device__ void Stage(std::uint32_t to) const {
    StageFrom<false, 0>(to, kBytes);
  }

  // The last `bytes` bytes of each row. None behind the matrix is read: there
  // may be no memory.
  __device__ void StageLast(std::uint32_t to, int bytes) const {
    StageFrom<true, 0>(to, bytes);
    const int row = LastRow();
    if (row < 0 || row >= kRows) return;
    const std::uint8_t* from = first_ + row * stride_;
    const int skew = static_cast<int>(Skew(from));
    const int end = skew + bytes;
    const int at =
        end / kPieceBytes * kPieceBytes + static_cast<int>(threadIdx.x);
    if (at >= skew && at < end) Shared(to + row * kPitch)[at] = from[at - skew];
  }

 private:
  __device__ int LastRow() const { return rows_ - 1; }

  // Pieces kFirst and on of each row.
  template <bool kLast, int kFirst>
  __device__ void StageFrom(std::uint32_t to, int bytes) const {
    // As many as a row has at the worst of alignments.
    constexpr int kPieces =
        (kBytes + 2 * (kPieceBytes - 1)) / kPieceBytes - kFirst;
    if constexpr (kPieces > 0) {
      constexpr int kLanes = kPieces > 4 ? 8 : kPieces > 2 ? 4 : kPieces;
      StagePieces<kLast, kFirst, kLanes>(to, bytes);
      StageFrom<kLast, kFirst + kLanes>(to, bytes);
    }
  }

  // Pieces kFirst to kFirst + kLanes - 1 of each row, by kLanes lanes a row.
  template <bool kLast, int kFirst, int kLanes>
  __device__ void StagePieces(std::uint32_t to, int bytes) const {
    constexpr bool kAll = !kLast && (kFirst + kLanes) * kPieceBytes <= kBytes;
    const int lane = static_cast<int>(threadIdx.x);
    const int offset = (kFirst + lane % kLanes) * kPieceBytes;
    const std::int64_t stride = NotMultiplied(stride_);
    const std::uint8_t* at = first_ + lane / kLanes * stride + offset;
    to += lane / kLanes * kPitch + offset;
#pragma unroll
    for (int turn = 0; turn < kRows; turn += 32 / kLanes) {
      const int row = turn + lane / kLanes;
      const int skew = static_cast<int>(Skew(at));
      const int left = skew + bytes - offset;
      // A part of a piece that the matrix ends in is for StageLast.
      const int least = kLast && row == LastRow() ? kPieceBytes : 1;
      const bool mine = 32 / kLanes <= kRows || row < kRows;
      if (mine && row <= LastRow() && (kAll || left >= least)) {
        CopyPiece<Reuse::kNone>(to + turn * kPitch, at - skew);
      }
      at += 32 / kLanes * stride;
    }
  }

  // Hides where it comes from, or the compiler keeps its multiples in registers
  // that the products need.
  __device__ static std::int64_t NotMultiplied(std::int64_t stride) {
    asm volatile("" : "+l"(stride));
    return stride;
  }

  const std::uint8_t* first_;
  std::int64_t stride_;
  int rows_;
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_STAGE_ROWS_CUH_
