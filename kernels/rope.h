// Rotary position embedding: turns pairs of a head's values by an angle that
// grows with the token's position.
//
// Shapes   x [tokens][heads][head_dim] with a stride between tokens; output the
//          same, dense; positions [tokens], in device memory so that a replay
//          moves on without a new parameter. x may be the output itself.
// Cost     reads and writes 4 bytes a value.
// Formula  pair i is (x[i], x[i + n/2]) of the first n = rotary_dims values;
//          a = position * base^(-2i/n):
//          (x0 cos a - x1 sin a, x0 sin a + x1 cos a). Values past n are
//          copied.
// Symbol   reprise_rope
#ifndef REPRISE_KERNELS_ROPE_H_
#define REPRISE_KERNELS_ROPE_H_

#include <cstdint>

#include "kernels/launch_shape.h"

namespace reprise {

inline constexpr std::uint32_t kRopeThreads = 64;

struct RopeParams {
  const float* x = nullptr;
  float* output = nullptr;
  const std::int32_t* positions = nullptr;
  std::int64_t x_token_stride = 0;
  std::int32_t tokens = 0;
  std::int32_t heads = 0;
  std::int32_t head_dim = 0;
  std::int32_t rotary_dims = 0;  // even, at most head_dim
  float base = 10000;
  std::int32_t padding = 0;
};
static_assert(sizeof(RopeParams) == 56);

// A thread block a head.
constexpr LaunchShape RopeShape(const RopeParams& params) {
  return {{Extent(params.heads), Extent(params.tokens), 1},
          {kRopeThreads, 1, 1}};
}

void RopeHost(const RopeParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_ROPE_H_
