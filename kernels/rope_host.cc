#include <cmath>
#include <cstdint>

#include "kernels/rope.h"

namespace reprise {
namespace {

void TurnHead(const RopeParams& params, float position, const float* x,
              float* out) {
  const std::int32_t half = params.rotary_dims / 2;
  for (std::int32_t i = 0; i < half; ++i) {
    const float exponent =
        -2.0f * static_cast<float>(i) / static_cast<float>(params.rotary_dims);
    const float angle = position * std::pow(params.base, exponent);
    const float sine = std::sin(angle);
    const float cosine = std::cos(angle);
    const float x0 = x[i];
    const float x1 = x[i + half];
    out[i] = x0 * cosine - x1 * sine;
    out[i + half] = x0 * sine + x1 * cosine;
  }
  for (std::int32_t i = 2 * half; i < params.head_dim; ++i) out[i] = x[i];
}

}  // namespace

void RopeHost(const RopeParams& params) {
  float* out = params.output;
  for (std::int64_t token = 0; token < params.tokens; ++token) {
    const float* x = params.x + token * params.x_token_stride;
    const float position = static_cast<float>(params.positions[token]);
    for (std::int32_t head = 0; head < params.heads; ++head) {
      TurnHead(params, position, x, out);
      x += params.head_dim;
      out += params.head_dim;
    }
  }
}

}  // namespace reprise
