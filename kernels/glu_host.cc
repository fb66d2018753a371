#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/emission.h"
#include "kernels/glu.h"

namespace reprise {
namespace {

float Silu(float x) { return x / (1.0f + std::exp(-x)); }

float GeluTanh(float x) {
  const float inner = 0.79788456f * x * (1.0f + 0.044715f * x * x);
  return 0.5f * x * (1.0f + std::tanh(inner));
}

float GeluErf(float x) { return 0.5f * x * (1.0f + std::erf(0.70710678f * x)); }

float GeluQuick(float x) { return x * (1.0f / (1.0f + std::exp(-1.702f * x))); }

float Clamp(float g, float limit) {
  return std::fmax(std::fmin(g, limit), -limit);
}

float SwigluOai(float x, float g, float alpha, float limit) {
  const float low = std::fmin(x, limit);
  return low / (1.0f + std::exp(-alpha * low)) * (1.0f + Clamp(g, limit));
}

float Gated(GluFunction form, const GluParams& params, float x, float g) {
  switch (form) {
    case GluFunction::kReglu:
      return std::fmax(x, 0.0f) * g;
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
      return Silu(std::fmin(x, params.limit)) * Clamp(g, params.limit);
  }
  return 0;
}

}  // namespace

void GluHost(GluFunction form, Emission emission, const GluParams& params) {
  const bool stores = params.output != nullptr;
  std::vector<float> unstored(stores ? 0 : params.columns);
  for (std::int64_t row = 0; row < params.rows; ++row) {
    const float* gate = params.gate + row * params.gate_row_stride;
    const float* up = params.up + row * params.up_row_stride;
    float* out =
        stores ? params.output + row * params.columns : unstored.data();
    for (std::int64_t c = 0; c < params.columns; ++c) {
      out[c] = Gated(form, params, gate[c], up[c]);
    }
    EmitRow(emission, out, row, params.rows, params.columns, params.image);
  }
}

}  // namespace reprise
