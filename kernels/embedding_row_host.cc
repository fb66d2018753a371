#include <algorithm>
#include <cstdint>

#include "kernels/embedding_row.h"

namespace reprise {

void EmbeddingRowHost(const EmbeddingRowParams& params) {
  for (std::int64_t i = 0; i < params.count; ++i) {
    const std::int64_t token = params.tokens[i];
    float* out = params.output + i * params.columns;
    if (token < 0 || token >= params.table_rows) {
      std::fill_n(out, params.columns, 0.0f);
    } else {
      std::copy_n(params.table + token * params.columns, params.columns, out);
    }
  }
}

}  // namespace reprise
