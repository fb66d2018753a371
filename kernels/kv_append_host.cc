#include <algorithm>
#include <cstdint>

#include "kernels/half.h"
#include "kernels/kv_append.h"

namespace reprise {

void KvAppendHost(const KvAppendParams& params) {
  for (std::int64_t token = 0; token < params.tokens; ++token) {
    const std::int64_t position = params.positions[token];
    if (position < 0 || position >= params.capacity) continue;
    const float* source = params.source + token * params.source_row_stride;
    std::transform(source, source + params.columns,
                   params.cache + position * params.columns, &FloatToHalf);
  }
}

}  // namespace reprise
