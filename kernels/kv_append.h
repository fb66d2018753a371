// Stores each token's key or value row, rounded to half, in the cache row of
// its position.
//
// Shapes   source [tokens][columns] with a row stride; cache
// [capacity][columns]
//          of half bits, dense; positions [tokens], in device memory so that a
//          replay moves on without a new parameter.
// Cost     reads 4 and writes 2 bytes a value.
// Errors   a position outside [0, capacity) stores nothing.
// Symbol   reprise_kv_append
#ifndef REPRISE_KERNELS_KV_APPEND_H_
#define REPRISE_KERNELS_KV_APPEND_H_

#include <cstdint>

#include "kernels/launch_shape.h"

namespace reprise {

inline constexpr std::uint32_t kKvAppendThreads = 256;

struct KvAppendParams {
  const float* source = nullptr;
  std::uint16_t* cache = nullptr;
  const std::int32_t* positions = nullptr;
  std::int64_t columns = 0;
  std::int64_t source_row_stride = 0;
  std::int32_t capacity = 0;
  std::int32_t tokens = 0;
};
static_assert(sizeof(KvAppendParams) == 48);

constexpr LaunchShape KvAppendShape(const KvAppendParams& params) {
  return {
      {GroupsOf(kKvAppendThreads, params.columns), Extent(params.tokens), 1},
      {kKvAppendThreads, 1, 1}};
}

void KvAppendHost(const KvAppendParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_KV_APPEND_H_
