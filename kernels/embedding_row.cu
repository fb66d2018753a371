#include <cstdint>

#include "kernels/embedding_row.h"
#include "kernels/programmatic.cuh"

extern "C" __global__ void __launch_bounds__(reprise::kEmbeddingRowThreads)
    reprise_embedding_row(const reprise::EmbeddingRowParams params) {
  using namespace reprise;
  TriggerDependents();
  const std::int64_t column =
      std::int64_t{blockIdx.x} * kEmbeddingRowThreads + threadIdx.x;
  const std::int64_t i = blockIdx.y;
  WaitForPrimaries();
  if (column >= params.columns) return;
  const std::int64_t token = params.tokens[i];
  const bool known = token >= 0 && token < params.table_rows;
  params.output[i * params.columns + column] =
      known ? params.table[token * params.columns + column] : 0.0f;
}
