// Copies the rows of an F32 table that the token ids name.
//
// Shapes   table [table_rows][columns]; tokens [count]; output
// [count][columns]. Cost     reads and writes 4 * count * columns bytes. Ids
// outside [0, table_rows) make a row of zeros. They come from device
//          memory, so that a replay takes new tokens without a new parameter.
// Symbol   reprise_embedding_row
#ifndef REPRISE_KERNELS_EMBEDDING_ROW_H_
#define REPRISE_KERNELS_EMBEDDING_ROW_H_

#include <cstdint>

#include "kernels/launch_shape.h"

namespace reprise {

inline constexpr std::uint32_t kEmbeddingRowThreads = 256;

struct EmbeddingRowParams {
  const float* table = nullptr;
  const std::int32_t* tokens = nullptr;
  float* output = nullptr;
  std::int64_t columns = 0;
  std::int64_t table_rows = 0;
  std::int32_t count = 0;
  std::int32_t padding = 0;
};
static_assert(sizeof(EmbeddingRowParams) == 48);

constexpr LaunchShape EmbeddingRowShape(const EmbeddingRowParams& params) {
  return {
      {GroupsOf(kEmbeddingRowThreads, params.columns), Extent(params.count), 1},
      {kEmbeddingRowThreads, 1, 1}};
}

void EmbeddingRowHost(const EmbeddingRowParams& params);

}  // namespace reprise

#endif  // REPRISE_KERNELS_EMBEDDING_ROW_H_
