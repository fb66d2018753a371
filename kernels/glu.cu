#include <cstdint>

#include "kernels/block_q8_1.h"
#include "kernels/emission.h"
#include "kernels/glu.h"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"
#include "kernels/quantize_warp.cuh"

namespace reprise {
namespace {

__device__ float Silu(float x) { return x / (1.0f + expf(-x)); }

__device__ float GeluTanh(float x) {
  const float inner = 0.79788456f * x * (1.0f + 0.044715f * x * x);
  return 0.5f * x * (1.0f + tanhf(inner));
}

__device__ float GeluErf(float x) {
  return 0.5f * x * (1.0f + erff(0.70710678f * x));
}

__device__ float GeluQuick(float x) {
  return x * (1.0f / (1.0f + expf(-1.702f * x)));
}

__device__ float Clamp(float g, float limit) {
  return fmaxf(fminf(g, limit), -limit);
}

__device__ float SwigluOai(float x, float g, float alpha, float limit) {
  const float low = fminf(x, limit);
  return low / (1.0f + expf(-alpha * low)) * (1.0f + Clamp(g, limit));
}

template <GluFunction kForm>
__device__ float Gated(const GluParams& params, float x, float g) {
  switch (kForm) {
    case GluFunction::kReglu:
      return fmaxf(x, 0.0f) * g;
    case GluFunction::kGeglu:
      return GeluTanh(x) * g;
    case GluFunction::kSwiglu:
      return Silu(x) * g;
    case GluFunction::kGegluErf:
      return GeluErf(x) * g;
    case GluFunction::kGegluQuick:
      return GeluQuick(x) * g;
    case GluFunction::kSwigluOai:
      return SwigluOai(x, g, params.alpha, params.limit);
    case GluFunction::kSwigluClamp:
      return Silu(fminf(x, params.limit)) * Clamp(g, params.limit);
  }
  return 0;
}

template <GluFunction kForm, Emission kEmission>
__device__ void Glu(const GluParams& params) {
  TriggerDependents();
  const std::int64_t column =
      std::int64_t{blockIdx.x} * kGluThreads + threadIdx.x;
  const std::int64_t row = blockIdx.y;
  WaitForPrimaries();
  float value = 0;
  if (column < params.columns) {
    value =
        Gated<kForm>(params, params.gate[row * params.gate_row_stride + column],
                     params.up[row * params.up_row_stride + column]);
    if (params.output != nullptr) {
      params.output[row * params.columns + column] = value;
    }
  }
  if constexpr (kEmission == Emission::kEmit) {
    const std::int64_t row_blocks = ImageRowBlocks(params.columns);
    QuantizeWarp(value, threadIdx.x % kWarpThreads,
                 params.image + row * row_blocks + column / kImageBlockValues);
  }
}

}  // namespace
}  // namespace reprise

#define REPRISE_GLU(symbol, form)                                        \
  extern "C" __global__ void __launch_bounds__(reprise::kGluThreads)     \
      symbol(const reprise::GluParams params) {                          \
    reprise::Glu<reprise::GluFunction::form, reprise::Emission::kPlain>( \
        params);                                                         \
  }                                                                      \
  extern "C" __global__ void __launch_bounds__(reprise::kGluThreads)     \
      symbol##_emit(const reprise::GluParams params) {                   \
    reprise::Glu<reprise::GluFunction::form, reprise::Emission::kEmit>(  \
        params);                                                         \
  }

REPRISE_GLU(reprise_glu_reglu, kReglu)
REPRISE_GLU(reprise_glu_geglu, kGeglu)
REPRISE_GLU(reprise_glu_swiglu, kSwiglu)
REPRISE_GLU(reprise_glu_geglu_erf, kGegluErf)
REPRISE_GLU(reprise_glu_geglu_quick, kGegluQuick)
REPRISE_GLU(reprise_glu_swiglu_oai, kSwigluOai)
REPRISE_GLU(reprise_glu_swiglu_clamp, kSwigluClamp)
