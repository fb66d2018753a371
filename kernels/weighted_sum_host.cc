#include <cstdint>

#include "kernels/weighted_sum.h"

namespace reprise {

void WeightedSumHost(const WeightedSumParams& params) {
  for (std::int64_t token = 0; token < params.tokens; ++token) {
    const float* rows = params.rows + token * params.slots * params.columns;
    const float* weights = params.weights + token * params.slots;
    float* out = params.output + token * params.columns;
    for (std::int64_t c = 0; c < params.columns; ++c) {
      float sum = 0;
      for (std::int64_t slot = 0; slot < params.slots; ++slot) {
        sum += weights[slot] * rows[slot * params.columns + c];
      }
      out[c] = sum;
    }
  }
}

}  // namespace reprise
