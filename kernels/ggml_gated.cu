#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/fast_math.cuh"
#include "kernels/ggml_gated.h"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"

namespace reprise {
namespace {

struct Silu {
  __device__ float operator()(float x, float g) const {
    return FastDivide(x, 1.0f + FastExp(-x)) * g;
  }
};

struct Gelu {
  __device__ float operator()(float x, float g) const {
    const float inner =
        0.79788456080286535588f * x * __fmaf_rn(x, 0.044715f * x, 1.0f);
    return 0.5f * x * (1.0f + FastTanh(inner)) * g;
  }
};

struct GeluErf {
  __device__ float operator()(float x, float g) const {
    return 0.5f * x * (1.0f + erff(x * 0.70710678118654752440f)) * g;
  }
};

struct GeluQuick {
  __device__ float operator()(float x, float g) const {
    return x * FastReciprocal(1.0f + FastExp(-1.702f * x)) * g;
  }
};

struct Relu {
  __device__ float operator()(float x, float g) const {
    return fmaxf(x, 0.0f) * g;
  }
};

struct SwigluOai {
  float alpha;
  float limit;

  __device__ float operator()(float x, float g) const {
    const float low = fminf(x, limit);
    const float clamped = fmaxf(fminf(g, limit), -limit);
    return FastDivide(low, 1.0f + FastExp(-(low * alpha))) * (1.0f + clamped);
  }
};

// The zero blocks between a row's end and its padding, as words: all lanes of
// one warp.
__device__ void ZeroBlocks(BlockQ8_1* begin, const BlockQ8_1* end,
                           unsigned lane) {
  auto* word = reinterpret_cast<std::uint32_t*>(begin) + lane;
  const auto* stop = reinterpret_cast<const std::uint32_t*>(end);
  for (; word < stop; word += kWarpThreads) *word = 0;
}

template <typename Function>
__device__ void Gated(const GgmlGatedOperands& in, const Function& function,
                      BlockQ8_1* image) {
  const std::int64_t index =
      std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t row = index / in.columns;
  const std::int64_t column = index - row * in.columns;
  WaitForPrimaries();
  if (index >= in.count) return;  // for a whole warp at once
  const float value = function(in.x[row * in.x_row_stride + column],
                               in.g[row * in.g_row_stride + column]);
  if (in.output != nullptr) in.output[index] = value;

  const unsigned lane = threadIdx.x % kWarpThreads;
  BlockQ8_1* image_row = image + row * ImageRowBlocks(in.columns);
  BlockQ8_1* block = image_row + column / kImageBlockValues;
  FastQuantizeWarp(value, lane, block);
  if (column / kImageBlockValues + 1 == in.columns / kImageBlockValues) {
    ZeroBlocks(block + 1, image_row + ImageRowBlocks(in.columns), lane);
  }
}

}  // namespace
}  // namespace reprise

#define REPRISE_GGML_GATED(symbol, Function)                                 \
  extern "C" __global__ void symbol(const reprise::GgmlGatedParams params) { \
    reprise::TriggerDependents();                                            \
    reprise::Gated(params.operands, reprise::Function{}, params.image);      \
  }

REPRISE_GGML_GATED(reprise_ggml_gated_silu, Silu)
REPRISE_GGML_GATED(reprise_ggml_gated_gelu, Gelu)
REPRISE_GGML_GATED(reprise_ggml_gated_gelu_erf, GeluErf)
REPRISE_GGML_GATED(reprise_ggml_gated_gelu_quick, GeluQuick)
REPRISE_GGML_GATED(reprise_ggml_gated_relu, Relu)

// Triggers nothing early, as the kernel that it replaces.
extern "C" __global__ void reprise_ggml_swiglu_oai(
    const reprise::GgmlSwigluOaiParams params) {
  reprise::Gated(params.operands,
                 reprise::SwigluOai{params.alpha, params.limit}, params.image);
}
