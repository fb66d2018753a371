#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/attention.h"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/softmax_weight.cuh"
#include "kernels/warp_sum.cuh"

namespace reprise {
namespace {

// Cache rows that a warp takes in one step, so that their loads overlap.
constexpr int kStepRows = 4;

// The largest score so far, and the sum of the weights relative to it.
struct Softmax {
  float top = -INFINITY;
  float total = 0;
};

__device__ float HalfAt(const std::uint16_t* row, int i) {
  return __half2float(__ushort_as_half(row[i]));
}

// Adds kStepRows rows of the cache to `output`, but no more than `count`. A
// lane reads and writes every 32nd value of a row and no other.
__device__ void Step(const AttentionParams& params, const float* q,
                     const std::uint16_t* keys, const std::uint16_t* values,
                     std::int64_t row_stride, std::int64_t count,
                     Softmax& softmax, float* output) {
  const int lane = static_cast<int>(threadIdx.x);
  float weights[kStepRows] = {};
  for (int i = lane; i < params.head_dim; i += kWarpThreads) {
#pragma unroll
    for (int r = 0; r < kStepRows; ++r) {
      if (r < count) weights[r] += q[i] * HalfAt(keys + r * row_stride, i);
    }
  }
  float top = softmax.top;
#pragma unroll
  for (int r = 0; r < kStepRows; ++r) {
    const float score = params.scale * WarpSumOfLanes(weights[r]);
    weights[r] = r < count ? score : -INFINITY;
    top = fmaxf(top, weights[r]);
  }
  const float kept = SoftmaxWeight(softmax.top, top);
  softmax.top = top;
  softmax.total *= kept;
#pragma unroll
  for (int r = 0; r < kStepRows; ++r) {
    weights[r] = SoftmaxWeight(weights[r], top);
    softmax.total += weights[r];
  }
  for (int i = lane; i < params.head_dim; i += kWarpThreads) {
    float sum = output[i] * kept;
#pragma unroll
    for (int r = 0; r < kStepRows; ++r) {
      if (r < count) sum += weights[r] * HalfAt(values + r * row_stride, i);
    }
    output[i] = sum;
  }
}

// What the block's warps leave in shared memory for each other.
struct Shared {
  float* outputs;  // [kAttentionWarps][head_dim]
  float* tops;     // [kAttentionWarps]
  float* totals;   // [kAttentionWarps]
};

// Joins the warps' rows in warp order.
__device__ void Join(const Shared& shared, int head_dim, float* out) {
  float top = -INFINITY;
  for (int w = 0; w < kAttentionWarps; ++w) top = fmaxf(top, shared.tops[w]);
  float weights[kAttentionWarps];
  float total = 0;
#pragma unroll
  for (int w = 0; w < kAttentionWarps; ++w) {
    weights[w] = SoftmaxWeight(shared.tops[w], top);
    total += weights[w] * shared.totals[w];
  }
  constexpr int kThreads = kWarpThreads * kAttentionWarps;
  const int thread = static_cast<int>(threadIdx.y * kWarpThreads + threadIdx.x);
  for (int i = thread; i < head_dim; i += kThreads) {
    float sum = 0;
#pragma unroll
    for (int w = 0; w < kAttentionWarps; ++w) {
      sum += weights[w] * shared.outputs[w * head_dim + i];
    }
    out[i] = sum / total;
  }
}

}  // namespace
}  // namespace reprise

// Warp w takes rows 4w .. 4w + 3 of every 64, with a running maximum: a short
// cache is read in few steps, each as long as memory takes to answer.
extern "C" __global__ void __launch_bounds__(
    reprise::kWarpThreads* reprise::kAttentionWarps)
    reprise_attention(const reprise::AttentionParams params) {
  using namespace reprise;
  TriggerDependents();
  extern __shared__ float memory[];
  const int head_dim = params.head_dim;
  const Shared shared = {memory, memory + kAttentionWarps * head_dim,
                         memory + kAttentionWarps * (head_dim + 1)};
  const int lane = static_cast<int>(threadIdx.x);
  const int warp = static_cast<int>(threadIdx.y);
  float* output = shared.outputs + warp * head_dim;
  for (int i = lane; i < head_dim; i += kWarpThreads) output[i] = 0;
  WaitForPrimaries();

  if (params.kv_heads <= 0 || params.heads < params.kv_heads) return;
  const std::int64_t head = blockIdx.x;
  const std::int64_t token = blockIdx.y;
  const std::int64_t kv_head = head / (params.heads / params.kv_heads);
  const std::int64_t row_stride = std::int64_t{params.kv_heads} * head_dim;
  const float* q = params.q + token * params.q_token_stride + head * head_dim;
  const std::uint16_t* keys = params.keys + kv_head * head_dim;
  const std::uint16_t* values = params.values + kv_head * head_dim;
  float* out = params.output + (token * params.heads + head) * head_dim;

  const std::int64_t past = std::int64_t{params.positions[token]} + 1;
  const std::int64_t seen = past < params.capacity ? past : params.capacity;
  if (seen <= 0) {
    for (int i = lane; i < head_dim; i += kWarpThreads) out[i] = 0;
    return;
  }

  Softmax softmax;
  for (std::int64_t row = warp * kStepRows; row < seen;
       row += kAttentionWarps * kStepRows) {
    Step(params, q, keys + row * row_stride, values + row * row_stride,
         row_stride, seen - row, softmax, output);
  }
  if (lane == 0) {
    shared.tops[warp] = softmax.top;
    shared.totals[warp] = softmax.total;
  }
  __syncthreads();
  Join(shared, head_dim, out);
}
