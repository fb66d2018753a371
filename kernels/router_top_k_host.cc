#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/router_top_k.h"

namespace reprise {
namespace {

float Finite(float logit) {
  constexpr float kMax = std::numeric_limits<float>::max();
  return std::isnan(logit) ? -kMax : std::clamp(logit, -kMax, kMax);
}

// Whether expert a ranks ahead of expert b.
bool Ahead(const float* logits, std::int32_t a, std::int32_t b) {
  const float left = Finite(logits[a]);
  const float right = Finite(logits[b]);
  return left > right || (left == right && a < b);
}

// The expert that ranks next after `last` (-1: the first), or -1.
std::int32_t NextExpert(const float* logits, std::int32_t experts,
                        std::int32_t last) {
  std::int32_t best = -1;
  for (std::int32_t e = 0; e < experts; ++e) {
    if (last >= 0 && !Ahead(logits, last, e)) continue;
    if (best < 0 || Ahead(logits, e, best)) best = e;
  }
  return best;
}

// The softmax's own denominator cancels in the division by the chosen sum, so
// exponentials relative to the best expert are enough.
void ChooseExperts(const float* logits, const RouterTopKParams& params,
                   std::int32_t* ids, float* weights) {
  float sum = 0;
  std::int32_t last = -1;
  for (std::int32_t slot = 0; slot < params.slots; ++slot) {
    ids[slot] = -1;
    weights[slot] = 0;
    if (slot >= params.experts) continue;
    last = NextExpert(logits, params.experts, last);
    ids[slot] = last;
    weights[slot] = std::exp(Finite(logits[last]) - Finite(logits[ids[0]]));
    sum += weights[slot];
  }
  if (sum == 0) return;
  for (std::int32_t slot = 0; slot < params.slots; ++slot) weights[slot] /= sum;
}

}  // namespace

void RouterTopKHost(const RouterTopKParams& params) {
  for (std::int64_t token = 0; token < params.tokens; ++token) {
    ChooseExperts(params.logits + token * params.experts, params,
                  params.ids + token * params.ids_stride,
                  params.weights + token * params.slots);
  }
}

}  // namespace reprise
