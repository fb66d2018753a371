// Causal attention of a few new tokens over a half-precision cache.
//
// Shapes   q [tokens][heads][head_dim] with a stride between tokens; keys and
//          values [capacity][kv_heads][head_dim] of half bits, dense; positions
//          [tokens], in device memory so that a replay moves on without a new
//          parameter; output [tokens][heads][head_dim], dense.
//          heads is a multiple of kv_heads; head h reads kv head
//          h / (heads / kv_heads).
// Cost     reads 4 * (position + 1) * kv_heads * head_dim bytes of cache a
//          token.
// Formula  the token at position p sees cache rows 0..p:
//          output = sum(softmax(scale * q.k) * v), all in float.
// Errors   a position past the cache sees all of it; a negative one sees
//          nothing and leaves zeros.
// Symbol   reprise_attention
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

void AttentionHost(const AttentionParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_ATTENTION_H_
