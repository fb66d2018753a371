// A replacement for ggml-cuda's rms_norm_f32 that writes the q8_1 image too.
//
// It leaves the F32 bytes of that kernel, as its engine compiles it, and the
// image bytes of that engine's quantize_q8_1: the same operations on the same
// threads in the same order. No host can say whether it does, since both are in
// approximate arithmetic (fast_math.cuh): the one oracle is that engine's
// kernel, on the device (replay/emission_probe.h).
//
// Shapes   x [samples][channels][rows][columns] with strides; output dense;
//          mul and add as x, with extents of their own that repeat over x;
//          image of the output, one plane of samples * channels * rows rows.
//          x may be the output itself.
// Launch   that of the replaced node: a thread block a row, grid (rows,
//          channels, samples), 256 or 1024 threads. The image's padding is
//          written by the threads that come there.
// Formula  scale = rsqrt(sum(x * x) / columns + epsilon)
//          plain    scale * x               mul    (scale * x) * mul
//          mul_add  fma(scale * x, mul, add)
//          scale    output_scale * (scale * x)
// Symbols  reprise_ggml_rms_norm_plain, _mul, _mul_add; and, for a version of
//          the engine that passes an output scale,
//          reprise_ggml_scaled_rms_norm_plain, _mul, _mul_add, _scale
#ifndef REPRISE_KERNELS_GGML_RMS_NORM_H_
#define REPRISE_KERNELS_GGML_RMS_NORM_H_

#include <cstddef>
#include <cstdint>

#include "kernels/block_q8_1.h"

namespace reprise {

// n / divisor = (high word of n * multiplier + n) >> shift, for 32-bit n.
// Hacker's Delight, chapter 10; the engine passes extents so.
struct MagicDivisor {
  std::uint32_t multiplier = 0;
  std::uint32_t shift = 0;
  std::uint32_t divisor = 0;
};

// REQUIRES: divisor > 0.
constexpr MagicDivisor MagicOf(std::uint32_t divisor) {
  std::uint32_t shift = 0;
  while (shift < 32 && (std::uint64_t{1} << shift) < divisor) ++shift;
  const std::uint64_t excess = (std::uint64_t{1} << shift) - divisor;
  const std::uint64_t multiplier = (excess << 32) / divisor + 1;
  return {static_cast<std::uint32_t>(multiplier), shift, divisor};
}

// REQUIRES: n < 2^31.
constexpr std::uint32_t Modulo(std::uint32_t n, const MagicDivisor& by) {
  const std::uint64_t product = std::uint64_t{n} * by.multiplier;
  const auto high = static_cast<std::uint32_t>(product >> 32);
  return n - ((high + n) >> by.shift) * by.divisor;
}

// Strides are in floats.
struct GgmlFactor {
  const float* values = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t channel_stride = 0;
  std::int64_t sample_stride = 0;
  MagicDivisor columns;
  MagicDivisor rows;
  MagicDivisor channels;
  MagicDivisor samples;
};

// The engine's parameters where it has them, then the image.
struct GgmlRmsNormParams {
  const float* x = nullptr;
  float* output = nullptr;  // null: floats not stored
  std::int32_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t channel_stride = 0;
  std::int64_t sample_stride = 0;
  float epsilon = 0;
  GgmlFactor mul;  // mul and mul_add only
  GgmlFactor add;  // mul_add only
  BlockQ8_1* image = nullptr;
};
static_assert(offsetof(GgmlRmsNormParams, mul) == 56);
static_assert(offsetof(GgmlRmsNormParams, add) == 136);
static_assert(offsetof(GgmlRmsNormParams, image) == 216);
static_assert(sizeof(GgmlRmsNormParams) == 224);

// The same from ggml 0.25 on.
struct GgmlScaledRmsNormParams {
  const float* x = nullptr;
  float* output = nullptr;
  std::int32_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t channel_stride = 0;
  std::int64_t sample_stride = 0;
  float epsilon = 0;
  GgmlFactor mul;          // mul and mul_add only
  GgmlFactor add;          // mul_add only
  float output_scale = 1;  // scale only
  BlockQ8_1* image = nullptr;
};
static_assert(offsetof(GgmlScaledRmsNormParams, add) == 136);
static_assert(offsetof(GgmlScaledRmsNormParams, output_scale) == 216);
static_assert(offsetof(GgmlScaledRmsNormParams, image) == 224);
static_assert(sizeof(GgmlScaledRmsNormParams) == 232);

}  // namespace reprise

#endif  // REPRISE_KERNELS_GGML_RMS_NORM_H_
