#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/attention.h"
#include "kernels/half.h"

namespace reprise {
namespace {

float ScaledDot(const AttentionParams& params, const float* q,
                const std::uint16_t* key) {
  float dot = 0;
  for (std::int32_t i = 0; i < params.head_dim; ++i) {
    dot += q[i] * HalfToFloat(key[i]);
  }
  return params.scale * dot;
}

// Scores are computed twice, for the maximum and for the weights, rather than
// kept: a cache may be long and a reference allocates nothing.
void AttendHead(const AttentionParams& params, const float* q,
                std::int64_t kv_head, std::int64_t seen, float* out) {
  const std::int64_t stride =
      std::int64_t{params.kv_heads} * std::int64_t{params.head_dim};
  const std::uint16_t* keys = params.keys + kv_head * params.head_dim;
  const std::uint16_t* values = params.values + kv_head * params.head_dim;
  std::fill_n(out, params.head_dim, 0.0f);
  if (seen <= 0) return;

  float top = -std::numeric_limits<float>::infinity();
  for (std::int64_t row = 0; row < seen; ++row) {
    top = std::fmax(top, ScaledDot(params, q, keys + row * stride));
  }
  float total = 0;
  for (std::int64_t row = 0; row < seen; ++row) {
    const float weight =
        std::exp(ScaledDot(params, q, keys + row * stride) - top);
    total += weight;
    for (std::int32_t i = 0; i < params.head_dim; ++i) {
      out[i] += weight * HalfToFloat(values[row * stride + i]);
    }
  }
  for (std::int32_t i = 0; i < params.head_dim; ++i) out[i] /= total;
}

}  // namespace

void AttentionHost(const AttentionParams& params) {
  if (params.kv_heads <= 0 || params.heads < params.kv_heads) return;
  const std::int64_t group = params.heads / params.kv_heads;
  float* out = params.output;
  for (std::int64_t token = 0; token < params.tokens; ++token) {
    const std::int64_t seen = std::min<std::int64_t>(
        std::int64_t{params.positions[token]} + 1, params.capacity);
    const float* q = params.q + token * params.q_token_stride;
    for (std::int64_t head = 0; head < params.heads; ++head) {
      AttendHead(params, q, head / group, seen, out);
      q += params.head_dim;
      out += params.head_dim;
    }
  }
}

}  // namespace reprise
