#include <cstdint>

#include "kernels/emission.h"
#include "kernels/glu.h"
#include "kernels/image_row.cuh"
#include "kernels/launch_shape.h"
#include "kernels/programmatic.cuh"

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
  using Image = ImageRow<kEmission>;
  if constexpr (Image::kWritten) {
    const int columns = static_cast<int>(params.columns);
    if (column >= Image::Padded(columns)) return;  // a whole warp
    Image(params.image, row, params.rows, params.columns)
        .Put(value, threadIdx.x % kWarpThreads, static_cast<int>(column));
  }
}

}  // namespace
}  // namespace reprise

#define REPRISE_GLU_TWIN(symbol, form, emission)                           \
  extern "C" __global__ void __launch_bounds__(reprise::kGluThreads)       \
      symbol(const reprise::GluParams params) {                            \
    reprise::Glu<reprise::GluFunction::form, reprise::Emission::emission>( \
        params);                                                           \
  }
#define REPRISE_GLU(symbol, form)              \
  REPRISE_GLU_TWIN(symbol, form, kPlain)       \
  REPRISE_GLU_TWIN(symbol##_emit, form, kEmit) \
  REPRISE_GLU_TWIN(symbol##_emit_t, form, kEmitTransposed)

REPRISE_GLU(reprise_glu_reglu, kReglu)
REPRISE_GLU(reprise_glu_geglu, kGeglu)
REPRISE_GLU(reprise_glu_swiglu, kSwiglu)
REPRISE_GLU(reprise_glu_geglu_erf, kGegluErf)
REPRISE_GLU(reprise_glu_geglu_quick, kGegluQuick)
REPRISE_GLU(reprise_glu_swiglu_oai, kSwigluOai)
REPRISE_GLU(reprise_glu_swiglu_clamp, kSwigluClamp)
