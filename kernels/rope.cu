#include <cstdint>

#include "kernels/programmatic.cuh"
#include "kernels/rope.h"

// A thread owns a pair, or a value past the rotary ones, so that the output may
// take the input's place.
extern "C" __global__ void __launch_bounds__(reprise::kRopeThreads)
    reprise_rope(const reprise::RopeParams params) {
  using namespace reprise;
  TriggerDependents();
  const std::int64_t head = blockIdx.x;
  const std::int64_t token = blockIdx.y;
  const float* x =
      params.x + token * params.x_token_stride + head * params.head_dim;
  float* out = params.output + (token * params.heads + head) * params.head_dim;
  const int half = params.rotary_dims / 2;
  WaitForPrimaries();
  const float position = static_cast<float>(params.positions[token]);
  for (int i = static_cast<int>(threadIdx.x); i < half; i += kRopeThreads) {
    const float exponent =
        -2.0f * static_cast<float>(i) / static_cast<float>(params.rotary_dims);
    const float angle = position * powf(params.base, exponent);
    float sine = 0;
    float cosine = 0;
    sincosf(angle, &sine, &cosine);
    const float x0 = x[i];
    const float x1 = x[i + half];
    out[i] = x0 * cosine - x1 * sine;
    out[i + half] = x0 * sine + x1 * cosine;
  }
  for (int i = 2 * half + static_cast<int>(threadIdx.x); i < params.head_dim;
       i += kRopeThreads) {
    out[i] = x[i];
  }
}
