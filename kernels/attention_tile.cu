#include <cstdint>

#include "kernels/async_copy.cuh"
#include "kernels/attention.h"
#include "kernels/attention_tile.cuh"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/shared_address.cuh"

namespace reprise {
namespace {

extern __shared__ uint4 attention_shared[];

// Stages rows first.. of a cache's head by the whole thread block, zeros behind
// the last of `rows`: what is there may be no number.
template <int kHeadDim>
__device__ void Stage(const std::uint16_t* cache, std::int64_t row_stride,
                      int first, int rows, std::uint32_t to) {
  constexpr int kRowPieces = kHeadDim * 2 / kPieceBytes;
  constexpr int kThreads = kWarpThreads * kAttentionTileWarps;
  using Tile = AttentionTile<kHeadDim>;
#pragma unroll
  for (int at = 0; at < Tile::kRows * kRowPieces; at += kThreads) {
    const int piece =
        at + static_cast<int>(threadIdx.y * kWarpThreads + threadIdx.x);
    const int row = piece / kRowPieces;
    const int bytes = piece % kRowPieces * kPieceBytes;
    const std::uint32_t staged = to + row * Tile::kPitch + bytes;
    if (first + row < rows) {
      CopyPiece<Reuse::kNone>(staged, reinterpret_cast<const std::uint8_t*>(
                                          cache + (first + row) * row_stride) +
                                          bytes);
    } else {
      *reinterpret_cast<uint4*>(Shared(staged)) = {};
    }
  }
}

template <int kHeadDim>
__device__ void Attend(const AttentionParams& params) {
  using Tile = AttentionTile<kHeadDim>;
  WaitForPrimaries();
  if (params.kv_heads <= 0 || params.heads < params.kv_heads) return;

  const int head = static_cast<int>(blockIdx.x);
  // The last tokens see most: they start first.
  const int block_token = static_cast<int>(gridDim.y - 1 - blockIdx.y) *
                          static_cast<int>(kAttentionTileTokens);
  int rows = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kAttentionTileTokens;
       i += kWarpThreads) {
    rows = max(rows, Seen(params, block_token + i));
  }
  rows = LargestOfLanes(rows);

  const std::int64_t row_stride = std::int64_t{params.kv_heads} * kHeadDim;
  const std::int64_t kv_at =
      std::int64_t{head / (params.heads / params.kv_heads)} * kHeadDim;
  const std::uint32_t shared = SharedAddress(attention_shared);
  constexpr std::uint32_t kStage = AttentionStageBytes(kHeadDim);
  const auto stage = [&](int first) {
    const std::uint32_t to =
        shared + first / Tile::kRows % kAttentionStages * kStage;
    if (first < rows) {
      Stage<kHeadDim>(params.keys + kv_at, row_stride, first, rows, to);
      Stage<kHeadDim>(params.values + kv_at, row_stride, first, rows,
                      to + kStage / 2);
    }
    CommitCopies();
    return to;
  };

  Tile tile(params, block_token + static_cast<int>(threadIdx.y) * 16, head);
  std::uint32_t staged = stage(0);
  for (int first = 0; first < rows; first += Tile::kRows) {
    AwaitCopies<0>();
    // The rows have arrived, and nobody reads those before them any more.
    __syncthreads();
    const std::uint32_t next = stage(first + Tile::kRows);
    tile.Add(first, staged, staged + kStage / 2);
    staged = next;
  }
  TriggerDependents();
  tile.Store();
}

}  // namespace
}  // namespace reprise

extern "C" __global__ void __launch_bounds__(
    reprise::kWarpThreads* reprise::kAttentionTileWarps)
    reprise_attention_tile_64(const reprise::AttentionParams params) {
  reprise::Attend<64>(params);
}

extern "C" __global__ void __launch_bounds__(
    reprise::kWarpThreads* reprise::kAttentionTileWarps)
    reprise_attention_tile_128(const reprise::AttentionParams params) {
  reprise::Attend<128>(params);
}
