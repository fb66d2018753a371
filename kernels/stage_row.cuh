// Stages a piece of a row in shared memory, by the four lanes that share the
// row. A staged byte keeps its address modulo 16.
#ifndef REPRISE_KERNELS_STAGE_ROW_CUH_
#define REPRISE_KERNELS_STAGE_ROW_CUH_

#include <cstdint>

#include "kernels/async_copy.cuh"
#include "kernels/shared_address.cuh"

namespace reprise {

// Stages this lane's pieces t, t + 4, ... of kBytes bytes.
template <int kBytes, Reuse kReuse>
__device__ inline void CopyWhole(std::uint32_t to, const std::uint8_t* from) {
  constexpr int kPieces = (kBytes + 2 * (kPieceBytes - 1)) / kPieceBytes;
  const int first = kPieceBytes * (threadIdx.x % 4);
  const int skew = static_cast<int>(Skew(from));
  from += first - skew;
  to += first;
  const int left = skew + kBytes - first;
#pragma unroll
  for (int piece = 0; piece < kPieces; piece += 4) {
    const bool all_lanes = (piece + 4) * kPieceBytes <= kBytes;
    if (all_lanes || kPieceBytes * piece < left) {
      CopyPiece<kReuse>(to + kPieceBytes * piece, from + kPieceBytes * piece);
    }
  }
}

// The same of `bytes` bytes, and reads none behind them: there may be no
// memory.
__device__ inline void CopyExactly(std::uint32_t to, const std::uint8_t* from,
                                   int bytes) {
  const int lane = static_cast<int>(threadIdx.x % 4);
  const int skew = static_cast<int>(Skew(from));
  const int end = skew + bytes;
  const int whole = end / kPieceBytes * kPieceBytes;
  from -= skew;
#pragma unroll 1
  for (int at = kPieceBytes * lane; at < whole; at += 4 * kPieceBytes) {
    CopyPiece<Reuse::kNone>(to + at, from + at);
  }
#pragma unroll
  for (int i = 0; i < kPieceBytes; i += 4) {
    const int at = whole + i + lane;
    if (at < end && at >= skew) Shared(to)[at] = from[at];
  }
}

}  // namespace reprise

#endif  // REPRISE_KERNELS_STAGE_ROW_CUH_
