// Stages a piece of each of a warp's rows in shared memory. Eight lanes copy
// 128 bytes of a row at once, which is a line of global memory and touches each
// bank once; of what is left of a row as few as it takes. A staged byte keeps
// its address modulo 16.
#ifndef REPRISE_KERNELS_STAGE_ROWS_CUH_
#define REPRISE_KERNELS_STAGE_ROWS_CUH_

#include <cstdint>

#include "kernels/async_copy.cuh"

namespace reprise {

// Whether memory behind the bytes of a row may be read, up to a whole piece.
enum class Behind { kReadable, kNothing };

// Of kRows rows at most, kBytes bytes each at a time, to rows kPitch apart.
template <int kRows, int kBytes, int kPitch>
class RowStager {
 public:
  // `rows` of the rows there are, `stride` bytes apart.
  __device__ RowStager(const std::uint8_t* first, std::int64_t stride, int rows)
      : first_(first), stride_(stride), rows_(min(rows, kRows)) {}

  __device__ void Advance() { first_ += kBytes; }

  // Of each row from where the stager is, `bytes` bytes, at most kBytes.
  template <Behind kBehind>
  __device__ void Stage(std::uint32_t to, int bytes = kBytes) const {
    StageFrom<kBehind, 0>(to, bytes);
  }

 private:
  template <Behind kBehind, int kFirst>
  __device__ void StageFrom(std::uint32_t to, int bytes) const {
    // As many as a row has at the worst of alignments.
    constexpr int kPieces =
        (kBytes + 2 * (kPieceBytes - 1)) / kPieceBytes - kFirst;
    if constexpr (kPieces > 0) {
      constexpr int kLanes = kPieces > 4 ? 8 : kPieces > 2 ? 4 : kPieces;
      StagePieces<kBehind, kFirst, kLanes>(to, bytes);
      StageFrom<kBehind, kFirst + kLanes>(to, bytes);
    }
  }

  // Pieces kFirst to kFirst + kLanes - 1 of each row, by kLanes lanes a row.
  template <Behind kBehind, int kFirst, int kLanes>
  __device__ void StagePieces(std::uint32_t to, int bytes) const {
    constexpr bool kWhole = kBehind == Behind::kReadable &&
                            (kFirst + kLanes) * kPieceBytes <= kBytes;
    const int lane = static_cast<int>(threadIdx.x);
    const int offset = (kFirst + lane % kLanes) * kPieceBytes;
    const std::int64_t stride = Opaque(stride_);
    const std::uint8_t* at = first_ + lane / kLanes * stride + offset;
    to += lane / kLanes * kPitch + offset;
#pragma unroll
    for (int row = 0; row < kRows; row += 32 / kLanes) {
      const int skew = static_cast<int>(Skew(at));
      const int left = skew + bytes - offset;
      if (row + lane / kLanes < rows_ && (kWhole || left > 0)) {
        if constexpr (kBehind == Behind::kReadable) {
          CopyPiece<Reuse::kNone>(to + row * kPitch, at - skew);
        } else {
          CopyPieceUpTo(to + row * kPitch, at - skew, min(left, kPieceBytes));
        }
      }
      at += 32 / kLanes * stride;
    }
  }

  // Hides where it comes from, or the compiler keeps its multiples in registers
  // that the products need.
  __device__ static std::int64_t Opaque(std::int64_t stride) {
    asm volatile("" : "+l"(stride));
    return stride;
  }

  const std::uint8_t* first_;
  std::int64_t stride_;
  int rows_;
};

}  // namespace reprise

#endif  // REPRISE_KERNELS_STAGE_ROWS_CUH_
