// Causal attention of new tokens over a half-precision cache: of a few, or by
// the tensor core of many.
//
// Shapes   q [tokens][heads][head_dim] with a stride between tokens; keys and
//          values [capacity][kv_heads][head_dim] of half bits, dense; positions
//          [tokens], in device memory so that a replay moves on without a new
//          parameter; output [tokens][heads][head_dim], dense.
//          heads is a multiple of kv_heads; head h reads kv head
//          h / (heads / kv_heads).
// Cost     reads 4 * (position + 1) * kv_heads * head_dim bytes of cache a
//          token, or in tiles a 64th of that a token and head.
// Formula  the token at position p sees cache rows 0..p:
//          output = sum(softmax(scale * q.k) * v), all in float.
// Errors   a position past the cache sees all of it; a negative one sees
//          nothing and leaves zeros.
// Tiles    q and the weights as two halves each, so that a product is off by
//          2^-24 of the row's largest: as a float is. head_dim is the symbol's;
//          keys, values and their rows at multiples of 16 bytes. Numbers are
//          finite: a NaN or an infinity in the cache also reaches those of its
//          64 tokens that do not see it.
// Symbols  reprise_attention; reprise_attention_tile_64 and
//          reprise_attention_tile_128 by head_dim
#ifndef REPRISE_KERNELS_ATTENTION_H_
#define REPRISE_KERNELS_ATTENTION_H_

#include <cstdint>

#include "kernels/launch_shape.h"

namespace reprise {

inline constexpr std::uint32_t kAttentionWarps = 16;

struct AttentionParams {
  const float* q = nullptr;
  const std::uint16_t* keys = nullptr;
  const std::uint16_t* values = nullptr;
  const std::int32_t* positions = nullptr;
  float* output = nullptr;
  std::int64_t q_token_stride = 0;
  std::int32_t tokens = 0;
  std::int32_t heads = 0;
  std::int32_t kv_heads = 0;
  std::int32_t head_dim = 0;
  std::int32_t capacity = 0;
  float scale = 1;
};
static_assert(sizeof(AttentionParams) == 72);

// A thread block a head. Shared memory does not depend on the position: each
// warp keeps an output row, a maximum and a sum over the rows it visited.
constexpr LaunchShape AttentionShape(const AttentionParams& params) {
  const std::uint32_t warp_floats = Extent(params.head_dim) + 2;
  return {{Extent(params.heads), Extent(params.tokens), 1},
          {kWarpThreads, kAttentionWarps, 1},
          kAttentionWarps * warp_floats *
              static_cast<std::uint32_t>(sizeof(float))};
}

// Of the kernels in tiles: a thread block takes 64 tokens of one head, a warp
// sixteen of them, and stages some rows of the cache while it uses the last.
inline constexpr std::uint32_t kAttentionTileWarps = 4;
inline constexpr std::int32_t kAttentionWarpTokens = 16;
inline constexpr std::uint32_t kAttentionTileTokens =
    kAttentionTileWarps * kAttentionWarpTokens;
inline constexpr std::uint32_t kAttentionStages = 2;

constexpr std::uint32_t AttentionStagedRows(std::uint32_t head_dim) {
  return head_dim > 0 ? 64 * 64 / head_dim : 0;
}
// In bytes. An odd number of sixteens, so that eight rows meet all banks.
constexpr std::uint32_t AttentionRowPitch(std::uint32_t head_dim) {
  return head_dim * 2 + 16;
}
// Of keys and of values.
constexpr std::uint32_t AttentionStageBytes(std::uint32_t head_dim) {
  return 2 * AttentionStagedRows(head_dim) * AttentionRowPitch(head_dim);
}

// Of up to sixteen tokens a tile would keep one warp busy, where the plain
// kernel has as many for each.
constexpr const char* AttentionSymbol(const AttentionParams& params) {
  if (params.tokens <= kAttentionWarpTokens) return "reprise_attention";
  if (params.head_dim == 64) return "reprise_attention_tile_64";
  if (params.head_dim == 128) return "reprise_attention_tile_128";
  return "reprise_attention";
}

constexpr LaunchShape AttentionTileShape(const AttentionParams& params) {
  return {
      {Extent(params.heads), GroupsOf(kAttentionTileTokens, params.tokens), 1},
      {kWarpThreads, kAttentionTileWarps, 1},
      kAttentionStages * AttentionStageBytes(Extent(params.head_dim))};
}

void AttentionHost(const AttentionParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_ATTENTION_H_
