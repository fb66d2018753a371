#include <cfloat>
#include <cstdint>

#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/router_top_k.h"
#include "kernels/warp_sum.cuh"

namespace reprise {
namespace {

struct Expert {
  float logit;  // finite
  std::int32_t id;
};

// What every expert is ahead of.
constexpr Expert kNobody = {-FLT_MAX, INT32_MAX};

__device__ float Finite(float logit) {
  return isnan(logit) ? -FLT_MAX : fminf(fmaxf(logit, -FLT_MAX), FLT_MAX);
}

__device__ bool Ahead(const Expert& a, const Expert& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

// Ranks are a strict order, so the lanes agree in whatever way they are paired.
__device__ Expert WarpBest(Expert best) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const Expert other = {__shfl_xor_sync(kWholeWarp, best.logit, distance),
                          __shfl_xor_sync(kWholeWarp, best.id, distance)};
    if (Ahead(other, best)) best = other;
  }
  return best;
}

// The expert that ranks next after `last`, or the first for slot 0.
__device__ Expert NextExpert(const float* logits, std::int32_t experts,
                             std::int32_t slot, const Expert& last) {
  Expert best = kNobody;
  for (std::int32_t e = threadIdx.x; e < experts; e += kWarpThreads) {
    const Expert expert = {Finite(logits[e]), e};
    if (slot > 0 && !Ahead(last, expert)) continue;
    if (Ahead(expert, best)) best = expert;
  }
  return WarpBest(best);
}

}  // namespace
}  // namespace reprise

// All lanes know each choice and the sum; a slot is written, and at the end
// divided, by one lane.
extern "C" __global__ void __launch_bounds__(reprise::kWarpThreads)
    reprise_router_top_k(const reprise::RouterTopKParams params) {
  using namespace reprise;
  TriggerDependents();
  const std::int64_t token = blockIdx.x;
  const std::int32_t lane = threadIdx.x;
  const std::int32_t warp = kWarpThreads;
  const float* logits = params.logits + token * params.experts;
  std::int32_t* ids = params.ids + token * params.ids_stride;
  float* weights = params.weights + token * params.slots;
  WaitForPrimaries();
  float sum = 0;
  float top = 0;
  Expert last = kNobody;
  for (std::int32_t slot = 0; slot < params.slots; ++slot) {
    std::int32_t id = -1;
    float weight = 0;
    if (slot < params.experts) {
      last = NextExpert(logits, params.experts, slot, last);
      if (slot == 0) top = last.logit;
      id = last.id;
      weight = expf(last.logit - top);
      sum += weight;
    }
    if (lane == slot % warp) {
      ids[slot] = id;
      weights[slot] = weight;
    }
  }
  if (sum == 0) return;
  for (std::int32_t slot = lane; slot < params.slots; slot += warp) {
    weights[slot] /= sum;
  }
}
